"""Durations both ways, and occurrences across a change of clocks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from renderer.notation.durations import seconds, slurm_time
from renderer.notation.error import NotationError
from renderer.notation.times import instant, iso, next_occurrence, slurm_local
from renderer.notation.tres import parse, text
from renderer.notation.units import mebibytes

BERLIN = ZoneInfo("Europe/Berlin")
HOUR = timedelta(hours=1)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("14d", 14 * 86400),
        ("1d12h", 36 * 3600),
        ("90m", 5400),
        ("30s", 30),
        ("2w", 14 * 86400),
        ("90", 5400),
        ("10:30", 630),
        ("1:00:00", 3600),
        ("2-6", 2 * 86400 + 6 * 3600),
        ("1-12:30", 86400 + 12 * 3600 + 1800),
        ("1-00:00:01", 86401),
        (15, 900),
        ("UNLIMITED", None),
        ("infinite", None),
    ],
)
def test_durations(written: str | int, expected: int | None) -> None:
    assert seconds(written) == expected


@pytest.mark.parametrize("written", ["", "d", "1x", "-5", "1:2:3:4", "h5", "9999999d", "1d 2h", "1.5h"])
def test_what_is_no_duration(written: str) -> None:
    with pytest.raises(NotationError):
        seconds(written)


@pytest.mark.parametrize(
    ("total", "expected"), [(None, "UNLIMITED"), (59, "00:00:59"), (86400, "1-00:00:00"), (3661, "01:01:01")]
)
def test_slurm_time(total: int | None, expected: str) -> None:
    assert slurm_time(total) == expected


def test_an_instant_needs_a_zone() -> None:
    with pytest.raises(NotationError, match="zone"):
        instant("2027-01-01T08:00:00")
    with pytest.raises(NotationError, match="zone"):
        instant(datetime(2027, 1, 1))
    assert iso(instant("2027-01-01T08:00:00+02:00")) == "2027-01-01T06:00:00Z"


def test_a_weekly_occurrence_keeps_wall_time_when_clocks_change() -> None:
    first = datetime(2026, 3, 22, 7, 0, tzinfo=UTC)  # 08:00 in Berlin, a week before summer time
    following = next_occurrence(first, HOUR, "weekly", BERLIN, first + HOUR)
    assert slurm_local(following, BERLIN) == "2026-03-29T08:00:00"
    assert following == datetime(2026, 3, 29, 6, 0, tzinfo=UTC)


def test_an_occurrence_under_way_is_the_one_given() -> None:
    first = datetime(2026, 1, 6, 5, 0, tzinfo=UTC)
    during = datetime(2026, 11, 24, 5, 30, tzinfo=UTC)
    assert next_occurrence(first, HOUR, "weekly", ZoneInfo("UTC"), during) == during - timedelta(minutes=30)


def test_one_that_lies_ahead_is_not_moved() -> None:
    first = datetime(2030, 1, 6, 5, 0, tzinfo=UTC)
    assert next_occurrence(first, HOUR, "daily", BERLIN, datetime(2026, 1, 1, tzinfo=UTC)) == first


def test_tres_round_trip_and_memory() -> None:
    assert text(parse("mem=2G,gres/gpu:h200=8,cpu=4")) == "cpu=4,gres/gpu:h200=8,mem=2048M"
    assert mebibytes("1.5G") == 1536
    for bad in ("cpu", "cpu=x", "cpu=1,cpu=2", "=3", "cpu=-1"):
        with pytest.raises(NotationError):
            parse(bad)
