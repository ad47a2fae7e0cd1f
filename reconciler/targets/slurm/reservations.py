"""Reservations: how they read in slurmctld, and the commands that make them so.

Times are sent and read in UTC. slurmctld moves a recurring reservation on by itself, so its start is compared modulo the
period; a start that has passed is never sent, since slurmctld refuses it. A recurring one that is made in the middle of an
occurrence begins with the next: made from now on, every later occurrence would begin as late and last as short.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from reconciler.targets.slurm.client import Client
from renderer.model.site import Site
from renderer.notation.hostlist import expand, fold
from renderer.notation.times import PERIOD_DAYS, iso, next_occurrence
from renderer.resource import Key, Resource

_FLAGS = frozenset({"MAINT", "IGNORE_JOBS", "FLEX", "OVERLAP", "STATIC"})
_EMPTY = "(null)"


def observe(client: Client, site: Site, wanted: Mapping[Key, Resource], now: datetime) -> Iterator[Resource]:
    """Every live reservation, in the form of the desired one where it is equivalent to it."""
    for record in client.records("reservations"):
        if "ReservationName" not in record:
            continue
        key = Key("slurm", "reservation", record["ReservationName"])
        live = _fields(record)
        desired = wanted.get(key)
        if desired is not None and _equivalent(desired.fields, live, site, now):
            yield Resource(key, desired.fields)
        else:
            yield Resource(key, live)


def _fields(record: Mapping[str, str]) -> dict[str, str]:
    start, end = _moment(record["StartTime"]), _moment(record["EndTime"])
    flags = record.get("Flags", "").split(",")
    by_name = "SPEC_NODES" in flags
    return {
        "start_time": iso(start),
        "duration": str(int((end - start).total_seconds())),
        "recurrence": "daily" if "DAILY" in flags else "weekly" if "WEEKLY" in flags else "none",
        "accounts": _list(record.get("Accounts", "")),
        "users": _list(record.get("Users", "")),
        "flags": ",".join(sorted(_FLAGS & set(flags))),
        "nodes": fold(expand(record["Nodes"])) if by_name and record.get("Nodes", _EMPTY) != _EMPTY else "",
        "node_count": "" if by_name else record.get("NodeCnt", ""),
        "tres": "" if by_name else _gpus(record.get("TRES", "")),
        "partition": "" if record.get("PartitionName", _EMPTY) == _EMPTY else record["PartitionName"],
    }


def _equivalent(desired: Mapping[str, Any], live: Mapping[str, str], site: Site, now: datetime) -> bool:
    size = "tres" if desired["tres"] else "node_count"
    same = all(
        desired[name] == live[name] for name in ("recurrence", "accounts", "users", "flags", "nodes", size)
    )
    return same and desired["partition"] in ("", live["partition"]) and _same_period(desired, live, site, now)


def _same_period(desired: Mapping[str, Any], live: Mapping[str, str], site: Site, now: datetime) -> bool:
    start, length = _moment(desired["start_time"]), timedelta(seconds=int(desired["duration"]))
    live_start = _moment(live["start_time"])
    live_end = live_start + timedelta(seconds=int(live["duration"]))
    if desired["recurrence"] == "none":
        return live_end == start + length and (live_start == start or (start <= now and live_start <= now))
    zone = ZoneInfo(site.cluster.timezone)
    wall = (
        live_start.astimezone(zone).replace(tzinfo=None) - start.astimezone(zone).replace(tzinfo=None)
    ).total_seconds()
    return wall % (PERIOD_DAYS[desired["recurrence"]] * 86400) == 0 and live_end - live_start == length


def create(client: Client, site: Site, resource: Resource, now: datetime, timeout: float) -> None:
    """Make a reservation."""
    words = (*_times(resource.fields, site, now), *_words(resource.fields))
    client.write(
        "scontrol", "create", "reservation", f"ReservationName={resource.key.name}", *words, timeout=timeout
    )


def update(
    client: Client, site: Site, resource: Resource, before: Mapping[str, Any], now: datetime, timeout: float
) -> None:
    """Bring a reservation to its desired form: changed in place, or made anew where slurmctld can't change it."""
    fixed = ("recurrence", "flags", "tres")
    if any(before.get(name) != resource.fields[name] for name in fixed) or bool(before.get("nodes")) != bool(
        resource.fields["nodes"]
    ):
        remove(client, resource.key.name, timeout)
        create(client, site, resource, now, timeout)
        return
    words = [word for word in _words(resource.fields) if not word.startswith("Flags=")]
    if not _same_period(resource.fields, {name: str(value) for name, value in before.items()}, site, now):
        began = before["recurrence"] == "none" and _moment(before["start_time"]) <= now
        times = _times(resource.fields, site, now)
        words += [word for word in times if not (began and word == "StartTime=now")]
    client.write(
        "scontrol", "update", "reservation", f"ReservationName={resource.key.name}", *words, timeout=timeout
    )


def remove(client: Client, name: str, timeout: float) -> None:
    """End a reservation. slurmctld refuses while jobs run in it."""
    client.write("scontrol", "delete", f"ReservationName={name}", timeout=timeout)


def _times(fields: Mapping[str, Any], site: Site, now: datetime) -> Iterator[str]:
    start, length = _moment(fields["start_time"]), timedelta(seconds=int(fields["duration"]))
    if fields["recurrence"] != "none":
        zone = ZoneInfo(site.cluster.timezone)
        start = next_occurrence(start, timedelta(0), fields["recurrence"], zone, now)
    yield "StartTime=now" if start <= now else f"StartTime={start:%Y-%m-%dT%H:%M:%S}"
    yield f"EndTime={start + length:%Y-%m-%dT%H:%M:%S}"


def _words(fields: Mapping[str, Any]) -> Iterator[str]:
    for word, name in (
        ("Nodes", "nodes"),
        ("NodeCnt", "node_count"),
        ("TRES", "tres"),
        ("PartitionName", "partition"),
    ):
        if fields[name]:
            yield f"{word}={fields[name]}"
    for word, name in (("Accounts", "accounts"), ("Users", "users")):
        if fields[name]:
            yield f"{word}={fields[name]}"
    flags = [
        *filter(None, fields["flags"].split(",")),
        *([fields["recurrence"].upper()] if fields["recurrence"] != "none" else []),
    ]
    if flags:
        yield f"Flags={','.join(flags)}"


def _gpus(text: str) -> str:
    """The GPUs among a reservation's TRES, which a release that can't reserve GPUs doesn't show."""
    return next((part for part in text.split(",") if part.startswith("gres/gpu=")), "")


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text.removesuffix("Z")).replace(tzinfo=UTC)


def _list(text: str) -> str:
    return "" if text == _EMPTY else ",".join(sorted(text.split(",")))
