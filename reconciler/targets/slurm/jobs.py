"""Jobs that a change would hit, and ending them once somebody confirmed that."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from reconciler.plan.action import Change, Job
from reconciler.targets.contract import Fence
from reconciler.targets.slurm.client import Client
from renderer.notation import tres
from renderer.notation.durations import seconds
from renderer.notation.error import NotationError

_ACTIVE = frozenset(
    {"RUNNING", "PENDING", "SUSPENDED", "COMPLETING", "CONFIGURING", "REQUEUED", "STOPPED", "RESIZING"}
)
_POLL = 0.5
Record = dict[str, str]


def active(client: Client) -> list[Record]:
    """Records of all jobs that aren't over."""
    return [record for record in client.records("jobs") if record.get("JobState") in _ACTIVE]


def hit(change: Change, records: Sequence[Record]) -> tuple[Job, ...]:
    """Jobs of what would be removed."""
    concerns = _concerns(change)
    return tuple(_job(record) for record in records if concerns(record))


def _concerns(change: Change) -> Callable[[Record], bool]:
    kind, name = change.key.kind, change.key.name
    if change.verb != "delete":
        return lambda _record: False
    if kind == "account":
        return lambda record: record.get("Account") == name
    if kind == "association":
        account, _, user = name.partition("/")
        return lambda record: record.get("Account") == account and _user(record) == user
    if kind == "qos":
        return lambda record: record.get("QOS") == name
    if kind == "reservation":
        return lambda record: record.get("Reservation") == name
    return lambda _record: False


def _user(record: Record) -> str:
    return record.get("UserId", "").partition("(")[0]


def _job(record: Record) -> Job:
    return Job(
        id=record["JobId"],
        owner=_user(record),
        account=record.get("Account", ""),
        gpus=_gpus(record.get("TRES", "")),
        state=record["JobState"],
        elapsed_seconds=seconds(record.get("RunTime", "0:00")) or 0,
    )


def _gpus(text: str) -> int:
    try:
        return tres.gpus("" if text == "(null)" else text)
    except NotationError:
        return 0


def end(client: Client, jobs: Sequence[Job], fence: Fence) -> tuple[Job, ...]:
    """Cancel jobs and wait until they are gone, or the fence is near; returns what is still there."""
    if jobs:
        client.write("scancel", *(job.id for job in jobs), timeout=fence.remaining())
    left = tuple(jobs)
    while left and fence.remaining() > 2 * _POLL:
        time.sleep(_POLL)
        known = {record["JobId"] for record in active(client)}
        left = tuple(job for job in left if job.id in known)
    return left
