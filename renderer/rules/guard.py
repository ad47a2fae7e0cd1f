"""The reservation guard: how long a job may hold its nodes past its time limit, and so how much earlier a reservation begins.

slurmctld compares a job's time limit with the start of a reservation to the second and without margin; everything that
happens after the limit comes on top. The terms below were measured on 22.05.8, 24.11.5 and 26.05.5 (docs/engines.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

from renderer.model.site import Site
from renderer.notation.durations import seconds
from renderer.notation.error import NotationError
from renderer.problem import Finding
from renderer.rules.slurm_lines import Setting, settings
from renderer.rules.subject import Subject

_TICK, _KILL, _TOLD, _MARGIN = 30, 6, 1, 60
_FILE = "inventory/slurm.d/slurm.conf"


@dataclass(frozen=True, slots=True)
class Term:
    """A part of the bound: what it comes from, its seconds, and why they count."""

    name: str
    seconds: int
    why: str


@dataclass(frozen=True, slots=True)
class Guard:
    """`bound` is the longest that a job holds a node after start + time limit; `seconds` (G) adds a margin, in whole minutes."""

    terms: tuple[Term, ...]

    @property
    def bound(self) -> int:
        """Seconds."""
        return sum(term.seconds for term in self.terms)

    @property
    def seconds(self) -> int:
        """Seconds, a multiple of 60: Slurm's limits are whole minutes."""
        return -(-(self.bound + _MARGIN) // 60) * 60


def guard(site: Site) -> Guard:
    """The guard of a site in which `unbounded` found nothing."""
    raw = _by_key(site)
    hook = _hook_seconds(raw)
    prolog = hook if "prolog" in raw else 0
    kill = site.qos.grace_seconds + _KILL
    ending = Term(
        "KillWait", kill, f"KillWait {kill - _KILL} s, then up to {_KILL} s until the last process is gone"
    )
    if prolog > kill:
        ending = Term(
            "Prolog", prolog, "a Prolog that still runs at the limit, bounded by PrologEpilogTimeout"
        )
    terms = [
        Term("OverTimeLimit", _over(site), "minutes that a job may go on past its limit"),
        Term("tick", _TICK, "slurmctld looks for jobs past their limit twice a minute"),
        ending,
        Term(
            "Epilog",
            hook if "epilog" in raw else 0,
            "the Epilog holds the node, bounded by PrologEpilogTimeout",
        ),
        Term("told", _TOLD, "until slurmctld knows that the node is free"),
    ]
    return Guard(tuple(term for term in terms if term.seconds))


def unbounded(subject: Subject) -> Iterator[Finding]:
    """What leaves the guard without a bound, where the site has reservations that need one."""
    site = subject.site
    if not site.reservations or site.cluster.manage.config == "off":
        return
    raw = _by_key(site)
    yield from (finding for key, why in _ENDLESS.items() if key in raw for finding in [_raw(raw[key], why)])
    yield from _hooks(raw)
    yield from _power(raw)
    yield from _partitions(subject)
    for line in _lines(site):
        yield from _over_faults(line)


_ENDLESS = {
    "prologslurmctld": "a job's limit begins anew after it, so no reservation's start is safe; use Prolog instead",
}


def _raw(setting: Setting, why: str) -> Finding:
    what, _, remedy = why.partition("; ")
    return Finding(_FILE, (setting.line, 1), "guard-unbounded", f"{setting.key}: {what}", remedy)


def _hooks(raw: dict[str, Setting]) -> Iterator[Finding]:
    for name in ("prolog", "epilog"):
        if name in raw and not _hook_seconds(raw):
            yield _raw(raw[name], "may hold a node without end; set PrologEpilogTimeout beside it")


def _hook_seconds(raw: dict[str, Setting]) -> int:
    setting = raw.get("prologepilogtimeout")
    return int(setting.value) if setting and setting.value.isdigit() else 0


def _power(raw: dict[str, Setting]) -> Iterator[Finding]:
    off = {"-1", "infinite", "unlimited"}
    setting = raw.get("suspendtime")
    if setting is not None and setting.value.lower() not in off:
        yield _raw(
            setting,
            "powering nodes up moves jobs' limits by minutes; leave power saving off where nodes are reserved",
        )


def _partitions(subject: Subject) -> Iterator[Finding]:
    site = subject.site
    if site.cluster.manage.partitions == "off":
        for line in _lines(site):
            if line[0].key.lower() == "partitionname":
                yield from _raw_partition(line)
        return
    for name, partition in site.partitions.items():
        if partition.max_time is None:
            what, remedy = "jobs without a limit never leave a reservation's nodes", "set max_time"
            yield subject.fault("partitions", "", (name, "max_time"), "guard-unbounded", what, remedy)


def _raw_partition(line: Sequence[Setting]) -> Iterator[Finding]:
    limit = next((part.value for part in line if part.key.lower() == "maxtime"), "UNLIMITED")
    if _endless(limit):
        yield _raw(line[0], "its jobs may have no limit, and never leave a reservation's nodes; set MaxTime")
    for part in line:
        if part.key.lower() == "preemptmode" and part.value.upper() in ("SUSPEND", "GANG"):
            yield _raw(part, "suspended time moves a job's limit; use REQUEUE")


def _over_faults(line: Sequence[Setting]) -> Iterator[Finding]:
    for part in line:
        if part.key.lower() == "overtimelimit" and not part.value.isdigit():
            yield _raw(part, "jobs may go on past their limit without end; write minutes, or remove it")


def _over(site: Site) -> int:
    """The longest OverTimeLimit of all, in seconds: a partition's own wins over the global one, so either may count."""
    minutes = [
        int(part.value)
        for line in _lines(site)
        for part in line
        if part.key.lower() == "overtimelimit" and part.value.isdigit()
    ]
    return 60 * reduce(max, minutes, 0)


def _endless(limit: str) -> bool:
    try:
        return seconds(limit) is None
    except NotationError:
        return True


def _lines(site: Site) -> tuple[tuple[Setting, ...], ...]:
    return settings(site.slurm_d.get("slurm.conf", ""))


def _by_key(site: Site) -> dict[str, Setting]:
    """What stands first on a line, by lower-case key; of two slurmctld takes the last."""
    return {line[0].key.lower(): line[0] for line in _lines(site)}
