"""Reservations that share a moment: the closed form against enumeration, in a zone that changes its clocks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st

from renderer.model.reservations import Reservation
from renderer.rules.reservations import meet
from tests.counts import count

BERLIN = ZoneInfo("Europe/Berlin")
START = datetime(2026, 10, 20, tzinfo=UTC)
Recurrence = Literal["none", "daily", "weekly"]
DAYS: dict[Recurrence, int] = {"daily": 1, "weekly": 7}


def reservation(start: datetime, hours: float, recurrence: Recurrence = "none") -> Reservation:
    end = start + timedelta(hours=hours)
    return Reservation("r", (), start, end, ("n1",), None, None, recurrence, "maintenance", "c")


def _occurrences(item: Reservation) -> list[tuple[datetime, datetime]]:
    if item.recurrence == "none":
        return [(item.start, item.end)]
    wall, step = item.start.astimezone(BERLIN).replace(tzinfo=None), timedelta(days=DAYS[item.recurrence])
    starts = [(wall + step * index).replace(tzinfo=BERLIN).astimezone(UTC) for index in range(70)]
    return [(start, start + (item.end - item.start)) for start in starts]


def _meet_slowly(one: Reservation, other: Reservation) -> bool:
    return any(a < d and c < b for a, b in _occurrences(one) for c, d in _occurrences(other))


RESERVATIONS = st.builds(
    reservation,
    st.integers(0, 24 * 14).map(lambda hours: START + timedelta(hours=hours)),
    st.integers(1, 20),
    st.sampled_from(["none", "daily", "weekly"]),
)


@settings(max_examples=count(300, 6000))
@given(RESERVATIONS, RESERVATIONS)
def test_two_reservations_meet_where_their_occurrences_do(one: Reservation, other: Reservation) -> None:
    assert meet(one, other, BERLIN) == _meet_slowly(one, other)
    assert meet(other, one, BERLIN) == meet(one, other, BERLIN)


def test_a_long_one_that_ends_before_the_first_occurrence_meets_none() -> None:
    long = reservation(START, 24 * 9)
    assert not meet(long, reservation(START + timedelta(days=9), 2, "weekly"), BERLIN)


def test_wall_time_is_kept_when_clocks_change() -> None:
    weekly = reservation(datetime(2026, 10, 20, 6, tzinfo=UTC), 1, "weekly")
    after_change = datetime(2026, 10, 27, 7, tzinfo=UTC)
    assert meet(reservation(after_change, 1), weekly, BERLIN)
    assert not meet(reservation(after_change - timedelta(hours=1), 1), weekly, BERLIN)
