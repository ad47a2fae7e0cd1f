"""Jobs that a change would hit, and ending them once somebody confirmed that.

Read by squeue in columns of fixed width: a record of `scontrol show job` holds text that its owner chose, which may look
like another job's account.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from reconciler.plan.action import Change, Job
from reconciler.targets.contract import Fence
from reconciler.targets.slurm.client import Client
from renderer.notation import tres
from renderer.notation.durations import seconds
from renderer.notation.error import NotationError

CANCELLED, KEEPS = "is cancelled once confirmed", "keeps it: a QOS in use is not removed"
_POLL = 0.5
_COLUMNS = (
    ("JobID", 16), ("UserName", 80), ("Account", 80), ("QOS", 80), ("Reservation", 80), ("State", 24), ("TimeUsed", 24),
    ("tres-alloc", 400), ("Partition", 80), ("TimeLimit", 24),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Record:
    """A job that isn't over, and what holds it. `limit_seconds` is its time limit, None where it has none."""

    job: Job
    qos: str
    reservation: str
    partition: str
    limit_seconds: int | None


def active(client: Client) -> list[Record]:
    """All jobs that aren't over, each task of an array by itself."""
    shape = ",".join(f"{name}:{width}" for name, width in _COLUMNS)
    output = client.read("squeue", "--noheader", "--all", "--array", f"--Format={shape}")
    return [_record(*_cells(line)) for line in output.splitlines() if line.strip()]


def parents(changes: Sequence[Change]) -> dict[str, str]:
    """Account to the one above it, of the accounts that would be removed."""
    removed = (change for change in changes if change.verb == "delete" and change.key.kind == "account")
    return {change.key.name: str((change.before or {}).get("parent", "")) for change in removed}


def hit(change: Change, records: Sequence[Record], above: Mapping[str, str]) -> tuple[Job, ...]:
    """Jobs of what would be removed; of an account also those of accounts below it (`above` as `parents` gives it)."""
    concerns = _concerns(change, above)
    ends = change.key.kind != "qos"
    effect = CANCELLED if ends else KEEPS
    return tuple(replace(record.job, effect=effect, ends=ends) for record in records if concerns(record))


def end(client: Client, jobs: Sequence[Job], fence: Fence) -> tuple[Job, ...]:
    """Cancel jobs and wait until they are gone, or the fence is near; returns what is still there."""
    if jobs:
        client.write("scancel", *(job.id for job in jobs), timeout=fence.remaining())
    left = tuple(jobs)
    while left and fence.remaining() > 2 * _POLL:
        time.sleep(_POLL)
        known = {record.job.id for record in active(client)}
        left = tuple(job for job in left if job.id in known)
    return left


def _concerns(change: Change, above: Mapping[str, str]) -> Callable[[Record], bool]:
    kind, name = change.key.kind, change.key.name
    if change.verb == "delete" and kind == "account":
        return lambda record: name in _line(record.job.account, above)
    if change.verb == "delete" and kind == "association":
        return lambda record: f"{record.job.account}/{record.job.owner}" == name
    if change.verb == "delete" and kind == "qos":
        return lambda record: record.qos == name
    if change.verb == "delete" and kind == "reservation":
        return lambda record: record.reservation == name
    return lambda _record: False


def _line(account: str, above: Mapping[str, str]) -> list[str]:
    """The account and those above it, as far as they are known."""
    found = [account]
    while (parent := above.get(found[-1])) and parent not in found:
        found.append(parent)
    return found


def _cells(line: str) -> Iterator[str]:
    start = 0
    for _, width in _COLUMNS:
        yield line[start : start + width].strip()
        start += width


def _record(
    number: str,
    user: str,
    account: str,
    qos: str,
    held: str,
    state: str,
    used: str,
    alloc: str,
    partition: str,
    limit: str,
) -> Record:
    job = Job(
        id=number, owner=user, account=account, gpus=_gpus(alloc), state=state, elapsed_seconds=_elapsed(used)
    )
    return Record(job, qos, held, partition, _limit(limit))


def _gpus(text: str) -> int:
    try:
        return tres.gpus("" if text in ("N/A", "(null)") else text)
    except NotationError:
        return 0


def _limit(text: str) -> int | None:
    try:
        return seconds(text)
    except NotationError:
        return None


def _elapsed(text: str) -> int:
    """squeue says INVALID for a job whose start lies ahead of its clock."""
    try:
        return seconds(text) or 0
    except NotationError:
        return 0
