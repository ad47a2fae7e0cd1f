"""Reservations as slurmctld shows them, and the words that make them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from reconciler.targets.slurm import reservations
from renderer.resource import Key, Resource
from tests.unit.slurm_renderer.eight_nodes import site as eight_nodes
from tests.unit.slurm_target.fake_slurm import FakeClient

NOW = datetime(2026, 12, 1, 8, tzinfo=UTC)
KEY = Key("slurm", "reservation", "r")


def desired(**changes: str) -> Resource:
    fields = {
        "start_time": "2027-01-11T09:00:00Z", "duration": "7200", "recurrence": "none", "accounts": "a-x", "users": "",
        "nodes": "n[1-2]", "node_count": "", "tres": "", "partition": "", "flags": "",
    }  # fmt: skip
    return Resource(KEY, fields | changes)


def shown(**changes: str) -> str:
    fields = {
        "ReservationName": "r", "StartTime": "2027-01-11T09:00:00", "EndTime": "2027-01-11T11:00:00", "Nodes": "n1,n2",
        "NodeCnt": "2", "Flags": "SPEC_NODES", "TRES": "cpu=8", "Users": "(null)", "Accounts": "a-x", "PartitionName": "(null)",
    }  # fmt: skip
    return " ".join(f"{key}={value}" for key, value in (fields | changes).items()) + "\n"


def observed(want: Resource, live: str, zone: str = "UTC", now: datetime = NOW) -> Mapping[str, Any]:
    given = eight_nodes()
    given = replace(given, cluster=replace(given.cluster, timezone=zone))
    client = FakeClient({"scontrol -o show reservations": live})
    return next(iter(reservations.observe(client, given, {KEY: want}, now))).fields


def same(want: Resource, live: str, zone: str = "UTC", now: datetime = NOW) -> bool:
    return observed(want, live, zone, now) == want.fields


def words(want: Resource, now: datetime = NOW) -> str:
    client = FakeClient()
    reservations.create(client, eight_nodes(), want, now, 5)
    return next(client.commands())


def test_equal_reservation_reads_as_desired() -> None:
    assert same(desired(), shown())


@pytest.mark.parametrize(
    "change",
    [
        {"Nodes": "n[1-3]"},
        {"Accounts": "b"},
        {"Users": "root"},
        {"EndTime": "2027-01-11T12:00:00"},
        {"Flags": "MAINT,SPEC_NODES"},
    ],
)
def test_anything_else_differs(change: dict[str, str]) -> None:
    assert not same(desired(), shown(**change))


def test_recurring_start_is_compared_modulo_its_period() -> None:
    weekly = desired(recurrence="weekly", start_time="2026-11-03T05:00:00Z")
    next_week = {
        "StartTime": "2026-12-08T05:00:00",
        "EndTime": "2026-12-08T07:00:00",
        "Flags": "WEEKLY,SPEC_NODES",
    }
    assert same(weekly, shown(**next_week))
    assert not same(
        weekly, shown(**next_week | {"StartTime": "2026-12-09T05:00:00", "EndTime": "2026-12-09T07:00:00"})
    )


def test_recurring_start_keeps_its_wall_time_across_summer_time() -> None:
    weekly = desired(recurrence="weekly", start_time="2026-10-20T04:00:00Z")
    after = {
        "StartTime": "2026-10-27T05:00:00",
        "EndTime": "2026-10-27T07:00:00",
        "Flags": "WEEKLY,SPEC_NODES",
    }
    assert same(weekly, shown(**after), "Europe/Berlin")
    assert not same(weekly, shown(**after), "UTC")


def test_reservation_under_way_is_equal_if_it_ends_as_declared() -> None:
    now = datetime(2027, 1, 11, 10, tzinfo=UTC)
    assert same(desired(), shown(StartTime="2027-01-11T09:30:00"), now=now)
    assert not same(desired(), shown(StartTime="2027-01-11T09:30:00"))


def test_gpus_are_compared_where_they_are_asked_for() -> None:
    by_gpus = desired(nodes="", tres="gres/gpu=20", partition="train")
    live = {"Flags": "", "TRES": "cpu=12,gres/gpu=20", "NodeCnt": "3", "PartitionName": "train"}
    assert same(by_gpus, shown(**live))
    assert not same(by_gpus, shown(**live | {"TRES": "cpu=12,gres/gpu=8"}))


def test_reservation_that_came_out_smaller_differs() -> None:
    by_count = desired(nodes="", node_count="3", partition="train")
    live = {"Flags": "", "PartitionName": "train"}
    assert same(by_count, shown(**live, NodeCnt="3"))
    assert not same(by_count, shown(**live, NodeCnt="2"))


def test_future_start_is_written_as_declared() -> None:
    assert words(desired()) == (
        "scontrol create reservation ReservationName=r StartTime=2027-01-11T09:00:00 EndTime=2027-01-11T11:00:00 "
        "Nodes=n[1-2] Accounts=a-x"
    )


def test_past_start_is_never_sent() -> None:
    text = words(desired(), datetime(2027, 1, 11, 9, 30, tzinfo=UTC))
    assert "StartTime=now EndTime=2027-01-11T11:00:00" in text


def test_recurring_start_is_sent_as_its_next_occurrence() -> None:
    text = words(
        desired(
            recurrence="daily", start_time="2026-11-03T05:00:00Z", users="root", accounts="", flags="MAINT"
        )
    )
    assert "StartTime=2026-12-02T05:00:00" in text
    assert text.endswith("Users=root Flags=MAINT,DAILY")


def test_a_recurring_one_made_in_mid_occurrence_begins_with_the_next() -> None:
    weekly = desired(recurrence="weekly", start_time="2026-12-01T07:00:00Z")
    assert "StartTime=2026-12-08T07:00:00 EndTime=2026-12-08T09:00:00" in words(weekly)


def test_who_may_use_one_that_began_is_changed_without_touching_its_times() -> None:
    client, want = FakeClient(), desired(accounts="a-x,b-y")
    now = datetime(2027, 1, 11, 10, tzinfo=UTC)
    reservations.update(client, eight_nodes(), want, desired().fields, now, 5)
    assert next(client.commands()).endswith("ReservationName=r Nodes=n[1-2] Accounts=a-x,b-y")


def test_the_end_of_one_that_began_is_changed_without_its_start() -> None:
    client, want = FakeClient(), desired(duration="10800")
    now = datetime(2027, 1, 11, 10, tzinfo=UTC)
    reservations.update(client, eight_nodes(), want, desired().fields, now, 5)
    command = next(client.commands())
    assert "StartTime" not in command
    assert "EndTime=2027-01-11T12:00:00" in command


def test_change_that_slurmctld_cannot_make_is_a_new_reservation() -> None:
    client, want = FakeClient(), desired(recurrence="daily")
    reservations.update(client, eight_nodes(), want, desired().fields, NOW, 5)
    assert [argv[1] for argv in client.writes] == ["delete", "create"]
    client = FakeClient()
    later = str(int(timedelta(hours=3).total_seconds()))
    reservations.update(client, eight_nodes(), desired(duration=later), desired().fields, NOW, 5)
    assert [argv[1] for argv in client.writes] == ["update"]
