"""Durations, TRES and recurrence: round trips, and clocks that change."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from renderer.notation.durations import seconds
from renderer.notation.times import PERIOD_DAYS, instant, iso, next_occurrence
from renderer.notation.tres import gpus, parse, text

ZONES = st.sampled_from(["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "UTC"])
MOMENTS = st.datetimes(datetime(2024, 1, 1), datetime(2030, 1, 1)).map(
    lambda moment: moment.replace(microsecond=0, tzinfo=UTC)
)
LENGTHS = st.integers(1, 20 * 3600).map(lambda length: timedelta(seconds=length))
TRES = st.dictionaries(
    st.sampled_from(["cpu", "mem", "node", "billing", "gres/gpu:h200", "license/matlab@flexlm"]),
    st.integers(0, 10**9),
)


@given(st.integers(0, 400), st.integers(0, 99), st.integers(0, 99), st.integers(0, 99))
def test_a_short_duration_is_the_sum_of_its_parts(days: int, hours: int, minutes: int, rest: int) -> None:
    expected = days * 86400 + hours * 3600 + minutes * 60 + rest
    assert seconds(f"{days}d{hours}h{minutes}m{rest}s") == expected


@given(TRES)
def test_tres_round_trip(amounts: dict[str, int]) -> None:
    assert parse(text(amounts)) == amounts
    assert text(parse(text(amounts))) == text(amounts)


@given(st.lists(st.integers(0, 99), min_size=1, max_size=5), st.integers(0, 99))
def test_typed_gpus_are_never_added_to_the_untyped(typed: list[int], more: int) -> None:
    parts = [f"gres/gpu:t{index}={amount}" for index, amount in enumerate(typed)]
    assert gpus(",".join(parts)) == sum(typed)
    assert gpus(",".join([*parts, f"gres/gpu={sum(typed) + more}"])) == sum(typed) + more


@given(MOMENTS)
def test_an_instant_round_trips(moment: datetime) -> None:
    assert instant(iso(moment)) == moment


@given(
    MOMENTS,
    st.timedeltas(timedelta(days=-30), timedelta(days=900)),
    LENGTHS,
    ZONES,
    st.sampled_from([*PERIOD_DAYS]),
)
def test_a_recurrence_is_the_first_not_ended_and_keeps_wall_time(
    first: datetime, passed: timedelta, length: timedelta, zone_name: str, recurrence: str
) -> None:
    zone, now = ZoneInfo(zone_name), first + passed
    found = next_occurrence(first, length, recurrence, zone, now)
    assert found >= first
    assert found + length > now
    number, rest = divmod(_wall(found, zone) - _wall(first, zone), timedelta(days=PERIOD_DAYS[recurrence]))
    assert not rest or _is_skipped(_wall(first, zone) + _period(recurrence, number), zone)
    if number > 0:
        before = (_wall(first, zone) + _period(recurrence, number - 1)).replace(tzinfo=zone)
        assert before.astimezone(UTC) + length <= now


def _period(recurrence: str, number: int) -> timedelta:
    return timedelta(days=PERIOD_DAYS[recurrence]) * number


def _wall(moment: datetime, zone: ZoneInfo) -> datetime:
    return moment.astimezone(zone).replace(tzinfo=None)


def _is_skipped(wall: datetime, zone: ZoneInfo) -> bool:
    """True for a wall time that the clocks jump over."""
    return _wall(wall.replace(tzinfo=zone).astimezone(UTC), zone) != wall
