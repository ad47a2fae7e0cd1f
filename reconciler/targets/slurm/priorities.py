"""What slurmctld says of a pending job's priority, factor by factor."""

from __future__ import annotations

from dataclasses import dataclass

from reconciler.errors import Terminal, UsageError
from reconciler.targets.slurm.client import Client


@dataclass(frozen=True, slots=True)
class Pending:
    """A pending job: its tier, slurmctld's own factors between 0 and 1, and its priority in points."""

    id: str
    owner: str
    account: str
    qos: str
    fairshare: float
    age: float
    points: int


def pending(client: Client, job: str) -> Pending:
    """Raises UsageError for a job that isn't there or isn't pending: slurmctld keeps factors of pending jobs only."""
    if not job.isdigit():
        raise UsageError(f"{job!r} is no job id; give a number, as squeue shows it")
    facts = client.read(
        "squeue", "--noheader", "--all", f"--jobs={job}", "--states=PENDING", "--format=%u|%a|%q"
    )
    factors = client.read("sprio", "--noheader", "--norm", f"--jobs={job}", "--format=%f|%a")
    points = client.read("sprio", "--noheader", f"--jobs={job}", "--format=%Y")
    if not facts.strip() or not factors.strip() or not points.strip():
        raise UsageError(
            f"job {job} is not pending, so it has no priority to explain; see: squeue --jobs={job}"
        )
    owner, account, qos = _row(facts, 3)
    fairshare, age = _row(factors, 2)
    return Pending(job, owner, account, qos, float(fairshare), float(age), int(_row(points, 1)[0]))


def _row(text: str, width: int) -> list[str]:
    cells = [cell.strip() for cell in text.strip().splitlines()[0].split("|")]
    if len(cells) != width:
        raise Terminal(f"a row of {len(cells)} fields instead of {width}: {text.strip()[:100]!r}")
    return cells
