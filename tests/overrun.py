"""When a job's nodes are free again: a model of what slurmctld and slurmd were seen to do at a time limit (docs/engines.md).

It knows nothing of the guard's sum. `tests/real/test_reservation_guard.py` holds it against live rounds,
`tests/property/test_guard_holds.py` draws ten thousand more from it. Seconds throughout, on any one clock.
"""

from __future__ import annotations

from dataclasses import dataclass

TICK = 30
"""slurmctld looks for jobs past their limit this often."""
LAST_KILL = 6
"""From SIGKILL until the last process of a job was gone."""
TOLD = 1
"""From the end of the Epilog until slurmctld knows."""


@dataclass(frozen=True, slots=True)
class Ending:
    """A job's own part: `leaves` is how long it goes on after SIGTERM, None until it is killed."""

    begins: float
    limit_minutes: int
    leaves: float | None
    prolog: float = 0
    epilog: float = 0


@dataclass(frozen=True, slots=True)
class Chance:
    """What nobody can choose: when slurmctld looks next (0 to TICK), how slow the last process and the message are (0 to 1)."""

    look: float
    death: float
    message: float


def may_start(now: float, limit_minutes: int, reserved_from: float) -> bool:
    """Slurm's whole rule: the limit may not go past the start; no margin."""
    return now + 60 * limit_minutes <= reserved_from


def freed(job: Ending, chance: Chance, kill_wait: float, over_minutes: int) -> float:
    """The moment at which slurmctld holds the job's nodes for free."""
    limit = job.begins + 60 * (job.limit_minutes + over_minutes)
    signalled = limit + chance.look
    heeds = job.leaves is not None and job.leaves < kill_wait
    gone = signalled + (job.leaves or 0 if heeds else kill_wait + LAST_KILL * chance.death)
    return max(gone, job.begins + job.prolog) + job.epilog + TOLD * chance.message


def window(job: Ending, kill_wait: float, over_minutes: int) -> tuple[float, float]:
    """(earliest, latest) of `freed` over all chances."""
    early, late = Chance(0, 0, 0), Chance(TICK, 1, 1)
    return freed(job, early, kill_wait, over_minutes), freed(job, late, kill_wait, over_minutes)
