"""The busiest moment of a reservation, which its capacity is judged by."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from renderer.model.cluster import ManageLevel
from renderer.model.reservations import Reservation
from renderer.opa import site_data
from tests.unit.gate.reference import reference_site, with_

DAY = datetime(2027, 3, 1, tzinfo=UTC)


def held(
    name: str, start: float, end: float, nodes: int | None = 10, recurrence: str = "none", **more: Any
) -> Reservation:
    """A reservation from hour to hour of a day."""
    fields: dict[str, Any] = {
        "programs": ("language/pretrain",), "hosts": (), "gpus": None, "purpose": "dated", "contact": "x@y",
    }  # fmt: skip
    fields |= {"name": name, "start": DAY + timedelta(hours=start), "end": DAY + timedelta(hours=end)}
    return Reservation(**(fields | {"nodes": nodes, "recurrence": recurrence} | more))


def peaks(*items: Reservation, config: ManageLevel = "off") -> dict[str, int]:
    """Nodes at each one's busiest moment; where slurm.conf isn't managed nothing stands before them."""
    cluster = reference_site().cluster
    cluster = replace(cluster, manage=replace(cluster.manage, config=config))
    data = site_data(with_(cluster=cluster, reservations={item.name: item for item in items}))
    return {name: one["peak"]["nodes"] for name, one in data["reservations"].items()}


def test_one_after_the_other_is_not_at_once() -> None:
    assert peaks(held("a", 0, 4), held("b", 4, 8), held("day", 0, 24)) == {"a": 20, "b": 20, "day": 20}


def test_the_guard_before_one_is_held_too() -> None:
    assert peaks(held("a", 0, 4), held("b", 4, 8), config="report") == {"a": 20, "b": 20}
    assert peaks(held("a", 0, 4), held("b", 4.1, 8), config="report") == {"a": 10, "b": 10}


def test_what_overlaps_adds_up() -> None:
    assert peaks(held("a", 0, 4), held("b", 3, 8), held("c", 3, 4)) == {"a": 30, "b": 30, "c": 30}


def test_a_recurring_one_meets_a_later_one_in_each_of_its_turns() -> None:
    assert peaks(held("daily", 5, 6, recurrence="daily"), held("late", 24 * 40, 24 * 41)) == {
        "daily": 20,
        "late": 20,
    }
    assert peaks(held("daily", 5, 6, recurrence="daily"), held("between", 24 * 40 + 7, 24 * 40 + 20)) == {
        "daily": 10,
        "between": 10,
    }


def test_daily_and_weekly_and_a_long_one() -> None:
    daily, weekly = (
        held("daily", 5, 6, recurrence="daily"),
        held("weekly", 72 + 5.5, 72 + 8, recurrence="weekly"),
    )
    assert peaks(daily, weekly, held("long", 24 * 40, 24 * 60)) == {"daily": 30, "weekly": 30, "long": 30}


def test_hosts_count_once_and_only_in_the_training_plane() -> None:
    hosts = tuple(reference_site().planes.training[:4])
    every = tuple(reference_site().nodes.by_name)
    work = held("a", 0, 4, None, hosts=hosts)
    maintenance = held("b", 0, 4, None, hosts=every, purpose="maintenance", programs=())
    data = site_data(with_(reservations={"a": work, "b": maintenance}))["reservations"]
    assert data["a"]["peak"] == data["b"]["peak"] == {"nodes": 48, "gpus": 384}
    assert data["a"]["outside"] == []
    assert len(data["b"]["outside"]) == 16


def test_gpus_take_whole_nodes() -> None:
    data = site_data(with_(reservations={"a": held("a", 0, 4, None, gpus=9)}))["reservations"]
    assert data["a"]["peak"] == {"nodes": 2, "gpus": 9}


@given(
    st.lists(
        st.tuples(
            st.integers(0, 200), st.integers(1, 20), st.sampled_from(["none", "none", "daily", "weekly"])
        ),
        min_size=1,
        max_size=5,
    )
)
def test_no_hour_of_eight_weeks_is_busier_than_the_peak(drawn: list[tuple[int, int, str]]) -> None:
    items = [
        held(f"r{place}", start, start + length, 1, kind) for place, (start, length, kind) in enumerate(drawn)
    ]

    def is_held(item: Reservation, hour: int) -> bool:
        period = {"none": 10**9, "daily": 24, "weekly": 168}[item.recurrence]
        since = hour - int((item.start - DAY).total_seconds()) // 3600
        return since >= 0 and since % period < (item.end - item.start).total_seconds() / 3600

    crowds = [[item for item in items if is_held(item, hour)] for hour in range(1344)]
    assert peaks(*items) == {
        item.name: max(len(crowd) for crowd in crowds if item in crowd) for item in items
    }
