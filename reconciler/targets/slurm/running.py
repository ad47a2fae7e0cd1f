"""Jobs that hold nodes now, and until when: what a reservation's start has to wait for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from reconciler.errors import Terminal
from reconciler.targets.slurm.client import Client
from renderer.model.site import Site
from renderer.notation.hostlist import expand
from renderer.notation.times import iso
from renderer.rules.guard import guard
from renderer.rules.held import held

_FORMAT = "%i|%u|%a|%v|%T|%e|%N"
_EMPTY = "(null)"


@dataclass(frozen=True, slots=True)
class Running:
    """A job on nodes. `ends` is its start and time limit together, None where it has no limit."""

    id: str
    owner: str
    account: str
    reservation: str
    state: str
    ends: datetime | None
    nodes: frozenset[str]


@dataclass(frozen=True, slots=True)
class Upcoming:
    """A declared reservation as slurmctld holds it: its declared start, not the one that it is held from."""

    name: str
    start: datetime
    nodes: frozenset[str]


def running(client: Client) -> list[Running]:
    """Every job that holds a node."""
    states = "--states=RUNNING,SUSPENDED,COMPLETING,CONFIGURING,STAGE_OUT"
    output = client.read("squeue", "--noheader", "--all", "--array", states, f"--format={_FORMAT}")
    return [_job(line.split("|")) for line in output.splitlines() if line.strip()]


def upcoming(client: Client, site: Site, now: datetime) -> Iterator[Upcoming]:
    """The site's reservations that slurmctld has and that haven't started."""
    begins = held(site)
    for record in client.records("reservations"):
        item = site.reservations.get(record.get("ReservationName", ""))
        if item is None:
            continue
        ahead = item.start - begins[item.name].start
        start = datetime.fromisoformat(record["StartTime"]).replace(tzinfo=UTC) + ahead
        if start > now:
            nodes = "" if record.get("Nodes", _EMPTY) == _EMPTY else record["Nodes"]
            yield Upcoming(item.name, start, frozenset(expand(nodes) if nodes else ()))


def on_nodes(jobs: list[Running], item: Upcoming, site: Site) -> list[Running]:
    """Jobs that must leave before it starts, those that end last first; its own group's may stay."""
    accounts = site.reservations[item.name].accounts
    others = [
        job
        for job in jobs
        if not job.nodes.isdisjoint(item.nodes)
        and job.reservation != item.name
        and job.account not in accounts
    ]
    endless = datetime.max.replace(tzinfo=UTC)
    return sorted(others, key=lambda job: job.ends or endless, reverse=True)


def crossing(client: Client, site: Site, now: datetime) -> tuple[str, ...]:
    """A sentence for each job that may hold a reserved node past the start: somebody changed its limit, or suspended it."""
    if not site.reservations or site.cluster.manage.config == "off":
        return ()
    bound = timedelta(seconds=guard(site).bound)
    coming = list(upcoming(client, site, now))
    jobs = running(client) if coming else []
    return tuple(
        _sentence(job, item, bound)
        for item in coming
        for job in on_nodes(jobs, item, site)
        if job.ends is None or job.state == "SUSPENDED" or job.ends + bound > item.start
    )


def _sentence(job: Running, item: Upcoming, bound: timedelta) -> str:
    until = "has no time limit" if job.ends is None else f"may hold its nodes until {iso(job.ends + bound)}"
    if job.state == "SUSPENDED":
        until = "is suspended, which moves its end"
    return (
        f"job {job.id} of {job.owner} ({job.account}) {until}; reservation {item.name} starts at {iso(item.start)}: "
        f"shorten it (scontrol update JobId={job.id} TimeLimit=…) or end it (scancel {job.id})"
    )


def _job(cells: list[str]) -> Running:
    if len(cells) != _FORMAT.count("|") + 1:
        raise Terminal(f"squeue: a row of {len(cells)} fields: {'|'.join(cells)[:100]!r}")
    number, owner, account, reservation, state, ends, nodes = (cell.strip() for cell in cells)
    hosts = frozenset(expand(nodes) if nodes else ())
    return Running(number, owner, account, reservation, state, _moment(ends), hosts)


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    except ValueError:
        return None
