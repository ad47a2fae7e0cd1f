"""Reservations: one way of saying what they hold, a period that makes sense, no host held twice at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from datetime import timedelta

from renderer.model.reservations import Reservation
from renderer.notation.hostlist import fold
from renderer.notation.times import PERIOD_DAYS
from renderer.problem import Finding
from renderer.rules.hosts import unknown_hosts
from renderer.rules.subject import Subject

_LONGEST = timedelta(days=3650)
_GPUS_SINCE = "23.11"


def each(subject: Subject) -> Iterator[Finding]:
    """Every reservation on its own."""
    programs = {program.reference: program for program in subject.site.programs()}
    for name, item in subject.site.reservations.items():
        yield from _period(subject, item)
        yield from _what(subject, item)
        yield from unknown_hosts(subject, "reservations", ("hosts",), item.hosts, name)
        for reference in item.programs:
            if reference not in programs:
                yield subject.unknown("reservations", name, ("program",), "programme", reference, programs)
        if bool(item.programs) == (item.purpose == "maintenance"):
            what = "maintenance is for no programme, everything else is for one"
            yield subject.fault(
                "reservations", name, ("purpose",), "reservation-for", what, "add or remove `program`"
            )


def _period(subject: Subject, item: Reservation) -> Iterator[Finding]:
    length = item.end - item.start
    if length <= timedelta(0):
        yield subject.fault(
            "reservations",
            item.name,
            ("start",),
            "period",
            "ends before it begins",
            "mend start, end or duration",
        )
    if length >= _LONGEST:
        yield subject.fault(
            "reservations",
            item.name,
            ("start",),
            "period",
            "has no end",
            "give an end or a duration below ten years",
        )
    if item.recurrence in PERIOD_DAYS and length > timedelta(days=PERIOD_DAYS[item.recurrence]):
        what = f"lasts longer than its recurrence ({item.recurrence})"
        yield subject.fault("reservations", item.name, ("recurrence",), "recurrence", what, "shorten it")


def _what(subject: Subject, item: Reservation) -> Iterator[Finding]:
    given = [
        word for word, value in (("hosts", item.hosts), ("nodes", item.nodes), ("gpus", item.gpus)) if value
    ]
    if len(given) != 1:
        what = f"needs exactly one of hosts, nodes and gpus, has {' and '.join(given) or 'none'}"
        yield subject.fault("reservations", item.name, (), "reservation-what", what, "keep one")
    version = subject.site.cluster.slurm.version
    if item.gpus and version < _GPUS_SINCE:
        what = f"Slurm {version} cannot reserve GPUs"
        yield subject.fault(
            "reservations", item.name, ("gpus",), "reservation-gpus", what, "use `nodes` or `hosts`"
        )
    nodes = subject.site.nodes.by_name
    if (item.nodes or 0) > len(nodes) or (item.gpus or 0) > sum(
        node.type.gpu_count for node in nodes.values()
    ):
        yield subject.fault(
            "reservations",
            item.name,
            (given[0],),
            "reservation-size",
            "is more than the cluster has",
            "lower it",
        )


def overlaps(subject: Subject) -> Iterator[Finding]:
    """Two reservations never hold the same host at the same time."""
    holders: dict[str, list[Reservation]] = defaultdict(list)
    for item in subject.site.reservations.values():
        for host in item.hosts:
            holders[host].append(item)
    clashes: dict[tuple[str, str], list[str]] = defaultdict(list)
    for host, items in holders.items():
        for index, first in enumerate(items):
            for second in items[index + 1 :]:
                if meet(first, second):
                    clashes[first.name, second.name].append(host)
    for (first_name, second_name), hosts in clashes.items():
        what = f"holds {fold(hosts)} while {first_name} does"
        yield subject.fault(
            "reservations",
            second_name,
            ("hosts",),
            "reservation-overlap",
            what,
            "move one of them, or use other hosts",
        )


def meet(first: Reservation, second: Reservation) -> bool:
    """True where occurrences of the two share a moment; recurring ones count from their first occurrence on, without end."""
    one, other = sorted((first, second), key=lambda item: item.recurrence != "none")
    if other.recurrence == "none":
        return one.start < other.end and other.start < one.end
    if one.recurrence == "none" and one.end <= other.start:
        return False
    period = timedelta(days=min(PERIOD_DAYS.get(item.recurrence, 7) for item in (one, other)))
    offset = (one.start - other.start) % period
    return offset < other.end - other.start or offset + (one.end - one.start) > period
