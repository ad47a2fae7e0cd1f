"""Whom a change hits that takes something away without removing it: jobs that could no longer start, nodes that leave.

A running job keeps what it has: slurmctld looks at limits when a job is to start. What ends one is its node leaving
slurm.conf (NODE_FAIL; seen on 22.05.8).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from reconciler.plan.action import Change, Job
from reconciler.targets.slurm.jobs import Record
from renderer.notation import tres
from renderer.notation.durations import seconds
from renderer.notation.error import NotationError
from renderer.notation.hostlist import expand
from renderer.rules.slurm_lines import Setting, settings

BLOCKED, KILLED = "could not start", "ends: its node leaves slurm.conf"
_Test = Callable[[Record], bool]


def impact(
    change: Change, records: Sequence[Record], nodes_of: Callable[[], Mapping[str, frozenset[str]]]
) -> tuple[Job, ...]:
    """Jobs that an update hits, each with its effect. `nodes_of` gives job id to nodes; it is asked only where nodes leave."""
    before, after = change.before or {}, change.after or {}
    if change.key.kind == "config":
        if change.key.name != "slurm.conf":
            return ()
        return _of_configuration(
            str(before.get("content", "")), str(after.get("content", "")), records, nodes_of
        )
    tests = {"account": _account, "qos": _qos}.get(change.key.kind)
    blocking = tuple(tests(change.key.name, before, after, records)) if tests else ()
    return _blocked(records, blocking)


def _blocked(records: Iterable[Record], tests: Sequence[_Test]) -> tuple[Job, ...]:
    pending = (record for record in records if record.job.state == "PENDING")
    return tuple(
        replace(record.job, effect=BLOCKED) for record in pending if any(test(record) for test in tests)
    )


def _account(
    name: str, before: Mapping[str, Any], after: Mapping[str, Any], records: Sequence[Record]
) -> Iterator[_Test]:
    """A programme's own jobs; the limit of a tenant is met by what all its programmes run."""
    yield from _single_jobs(before, after, lambda record: record.job.account == name)
    lost = _words(before.get("qos")) - _words(after.get("qos"))
    if lost:
        yield lambda record: record.job.account == name and record.qos in lost
    limit = _gpus(after.get("grp_tres"))
    if limit is not None and limit < (_gpus(before.get("grp_tres")) or limit + 1):
        ours = [record for record in records if _belongs(record.job.account, name)]
        used = sum(record.job.gpus for record in ours if record.job.state == "RUNNING")
        yield lambda record: _belongs(record.job.account, name) and used + record.job.gpus > limit


def _qos(
    name: str, before: Mapping[str, Any], after: Mapping[str, Any], _records: Sequence[Record]
) -> Iterator[_Test]:
    return _single_jobs(before, after, lambda record: record.qos == name)


def _single_jobs(before: Mapping[str, Any], after: Mapping[str, Any], ours: _Test) -> Iterator[_Test]:
    """Limits that one job meets by itself."""
    wall = after.get("max_wall")
    if wall and wall != before.get("max_wall"):
        yield lambda record: ours(record) and _longer(record, int(wall))
    largest = _gpus(after.get("max_tres_per_job"))
    if largest is not None and after.get("max_tres_per_job") != before.get("max_tres_per_job"):
        yield lambda record: ours(record) and record.job.gpus > largest


def _of_configuration(
    before: str, after: str, records: Sequence[Record], nodes_of: Callable[[], Mapping[str, frozenset[str]]]
) -> tuple[Job, ...]:
    old, new = _partitions(before), _partitions(after)
    tests = [test for name in old for test in _partition(name, old[name], new.get(name))]
    gone = _hosts(before) - _hosts(after)
    found = _blocked(records, tests)
    if not gone:
        return found
    nodes = nodes_of()
    held = (record.job for record in records if not nodes.get(record.job.id, frozenset()).isdisjoint(gone))
    return (*(replace(job, effect=KILLED, ends=True) for job in held), *found)


def _partition(name: str, old: Mapping[str, str], new: Mapping[str, str] | None) -> Iterator[_Test]:
    if new is None:
        yield lambda record: name in record.partition.split(",")
        return
    limit = _limit(new.get("maxtime", "UNLIMITED"))
    if limit is not None and new.get("maxtime") != old.get("maxtime"):
        yield partial(_too_long, name, limit)
    for key, of in (
        ("allowqos", lambda record: record.qos),
        ("allowaccounts", lambda record: record.job.account),
    ):
        allowed = _words(new.get(key)) - {"ALL"}
        if allowed and new.get(key) != old.get(key):
            yield partial(_not_allowed, name, allowed, of)


def _too_long(name: str, limit: int, record: Record) -> bool:
    return record.partition == name and _longer(record, limit)


def _not_allowed(name: str, allowed: set[str], of: Callable[[Record], str], record: Record) -> bool:
    return record.partition == name and of(record) not in allowed


def _longer(record: Record, limit: int) -> bool:
    return record.limit_seconds is None or record.limit_seconds > limit


def _belongs(account: str, name: str) -> bool:
    """Accounts of programmes are named after their tenant."""
    return account == name or account.startswith(f"{name}-")


def _words(value: object) -> set[str]:
    return set(filter(None, str(value or "").split(",")))


def _gpus(value: object) -> int | None:
    try:
        return tres.parse(str(value or "")).get(tres.GPU)
    except NotationError:
        return None


def _limit(text: str) -> int | None:
    try:
        return seconds(text)
    except NotationError:
        return None


def _partitions(content: str) -> dict[str, dict[str, str]]:
    return {
        line[0].value: _fields(line) for line in settings(content) if line[0].key.lower() == "partitionname"
    }


def _fields(line: Sequence[Setting]) -> dict[str, str]:
    return {part.key.lower(): part.value for part in line}


def _hosts(content: str) -> set[str]:
    lines = (line[0].value for line in settings(content) if line[0].key.lower() == "nodename")
    return {host for names in lines for host in expand(names)}
