"""Reservations: one way of saying what they hold, a period that makes sense, no host held twice at once."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from itertools import islice
from zoneinfo import ZoneInfo

from renderer.model.reservations import Reservation
from renderer.notation.times import PERIOD_DAYS, next_occurrence
from renderer.problem import Finding, Keys
from renderer.rules.cluster import is_time_zone
from renderer.rules.guard import guard
from renderer.rules.held import held
from renderer.rules.hosts import unknown_hosts
from renderer.rules.subject import Subject, shown

_LONGEST = timedelta(days=3650)
_GPUS_SINCE = "23.11"
_MAX_CLASHES = 5
"""Reported of one reservation."""


def each(subject: Subject) -> Iterator[Finding]:
    """Every reservation on its own."""
    programs = {program.reference: program for program in subject.site.programs()}
    for name, item in subject.site.reservations.items():
        yield from _period(subject, item)
        yield from _what(subject, item)
        yield from unknown_hosts(subject, "reservations", ("hosts",), item.hosts, name)
        for reference in item.programs:
            if reference not in programs and subject.is_read("tenants", reference.partition("/")[0]):
                keys = _reference_keys(item, reference)
                yield subject.unknown("reservations", name, keys, "programme", reference, programs)
        if bool(item.programs) == (item.purpose == "maintenance"):
            what = "maintenance is for no programme, everything else is for one"
            yield subject.fault(
                "reservations", name, ("purpose",), "reservation-for", what, "add or remove `program`"
            )


def _reference_keys(item: Reservation, reference: str) -> Keys:
    return ("program",) if len(item.programs) == 1 else ("programs", item.programs.index(reference))


def _period(subject: Subject, item: Reservation) -> Iterator[Finding]:
    length, ahead = item.end - item.start, timedelta(seconds=guard(subject.site).seconds)
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
    elif item.recurrence in PERIOD_DAYS and length + ahead > timedelta(days=PERIOD_DAYS[item.recurrence]):
        what = f"lasts, with the guard before it, longer than its recurrence ({item.recurrence})"
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


def counted(subject: Subject) -> Iterator[Finding]:
    """What is held by count comes from the default partition. slurmctld gives what is there, and doesn't say that it is less."""
    nodes, training = subject.site.nodes.by_name, frozenset(subject.site.planes.training)
    place, there = "the cluster", tuple(nodes.values())
    for partition in subject.site.partitions.values():
        if partition.default:
            place = f"partition {partition.name}, in the training plane,"
            there = tuple(nodes[name] for name in partition.hosts if name in training and name in nodes)
    gpus = sum(node.type.gpu_count for node in there)
    for item in subject.site.reservations.values():
        for field, wanted, most in (("nodes", item.nodes, len(there)), ("gpus", item.gpus, gpus)):
            if wanted is not None and wanted > most:
                what, remedy = (
                    f"holds {wanted} {field}, {place} has {most}",
                    "lower it, or widen the partition",
                )
                yield subject.fault("reservations", item.name, (field,), "reservation-size", what, remedy)


def overlaps(subject: Subject) -> Iterator[Finding]:
    """Two reservations never hold the same host at the same time, the guard before each included."""
    zone = time_zone(subject.site.cluster.timezone)
    named = [item for item in subject.site.reservations.values() if item.hosts and item.start < item.end]
    hosts = {item.name: frozenset(item.hosts) for item in named}
    guarded = held(subject.site)
    for index, second in enumerate(named):
        clashes = (
            first
            for first in named[:index]
            if not hosts[first.name].isdisjoint(hosts[second.name])
            and meet(guarded[first.name], guarded[second.name], zone)
        )
        for first in islice(clashes, _MAX_CLASHES):
            both = shown([host for host in second.hosts if host in hosts[first.name]])
            if meet(first, second, zone):
                what, remedy = f"holds {both} while {first.name} does", "move one of them, or use other hosts"
                yield subject.fault(
                    "reservations", second.name, ("hosts",), "reservation-overlap", what, remedy
                )
            else:
                yield _too_near(subject, first, second, both)


def _too_near(subject: Subject, first: Reservation, second: Reservation, both: str) -> Finding:
    minutes = guard(subject.site).seconds // 60
    what = f"holds {both} less than {minutes} min before or after reservation {first.name}, whose last jobs may still be there"
    remedy = f"leave {minutes} min between them, the guard that charter explain reservation shows"
    return subject.fault("reservations", second.name, ("start",), "reservation-gap", what, remedy)


def meet(first: Reservation, second: Reservation, zone: ZoneInfo) -> bool:
    """True where occurrences of the two share a moment; recurring ones keep their wall time in `zone`, from the first on, without end."""
    one, other = sorted((first, second), key=lambda item: item.recurrence != "none")
    if other.recurrence == "none":
        return one.start < other.end and other.start < one.end
    if one.recurrence == "none":
        length = other.end - other.start
        return next_occurrence(other.start, length, other.recurrence, zone, one.start) < one.end
    period = timedelta(days=min(PERIOD_DAYS[item.recurrence] for item in (one, other)))
    wall = one.start.astimezone(zone).replace(tzinfo=None) - other.start.astimezone(zone).replace(tzinfo=None)
    offset = wall % period
    return offset < other.end - other.start or offset + (one.end - one.start) > period


def time_zone(name: str) -> ZoneInfo:
    """The site's zone; UTC where it names none, which another rule refuses."""
    return ZoneInfo(name) if is_time_zone(name) else ZoneInfo("UTC")
