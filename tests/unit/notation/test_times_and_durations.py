"""Durations both ways, and occurrences across a change of clocks."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
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


@pytest.mark.parametrize(
    "written", ["", "d", "1x", "-5", "1:2:3:4", "h5", "9999999d", "1d 2h", "1.5h", "٣m", "1:٣"]
)
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


def test_an_instant_is_a_whole_second() -> None:
    with pytest.raises(NotationError, match="fractions"):
        instant("2027-01-01T08:00:00.5Z")


@pytest.mark.parametrize(
    "value",
    ["", "soon", "2027-13-01T00:00:00Z", "0001-01-01T00:00:00+05:00", date(2027, 1, 1), 5, None, "2" * 50],
)
def test_what_is_no_instant(value: object) -> None:
    with pytest.raises(NotationError):
        instant(value)


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


def test_a_first_in_the_hour_that_comes_twice_stays_where_it_is() -> None:
    second_half_past_two = datetime(2026, 10, 25, 1, 30, tzinfo=UTC)
    before = second_half_past_two - HOUR
    assert next_occurrence(second_half_past_two, HOUR, "weekly", BERLIN, before) == second_half_past_two


def test_a_wall_time_that_the_clocks_jump_over_is_an_hour_later_on_that_day_only() -> None:
    first = datetime(2026, 3, 28, 1, 30, tzinfo=UTC)  # 02:30 in Berlin, the day before summer time
    jumped = next_occurrence(first, HOUR, "daily", BERLIN, first + HOUR)
    assert slurm_local(jumped, BERLIN) == "2026-03-29T03:30:00"
    following = next_occurrence(first, HOUR, "daily", BERLIN, jumped + HOUR)
    assert slurm_local(following, BERLIN) == "2026-03-30T02:30:00"


def test_a_licence_of_a_remote_server_is_a_tres() -> None:
    assert parse("license/matlab@flexlm=2") == {"license/matlab@flexlm": 2}


@pytest.mark.parametrize(
    ("written", "expected"),
    [("512", 512), ("512M", 512), ("2G", 2048), ("1T", 1024**2), ("2048K", 2), ("1K", 0)],
)
def test_memory_is_mebibytes_rounded_down(written: str, expected: int) -> None:
    assert mebibytes(written) == expected


@pytest.mark.parametrize("written", ["", "G", "-1G", "1Gi", "1 G", "٣G", "1e3"])
def test_what_is_no_memory_size(written: str) -> None:
    with pytest.raises(NotationError):
        mebibytes(written)


def test_tres_round_trip_and_memory() -> None:
    assert text(parse("mem=2G,gres/gpu:h200=8,cpu=4")) == "cpu=4,gres/gpu:h200=8,mem=2048M"
    assert mebibytes("1.5G") == 1536
    for bad in ("cpu", "cpu=x", "cpu=1,cpu=2", "=3", "cpu=-1"):
        with pytest.raises(NotationError):
            parse(bad)
