"""Instants with a zone, and the occurrences of what recurs."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from renderer.notation.error import NotationError

PERIOD_DAYS = {"daily": 1, "weekly": 7}


def instant(value: object) -> datetime:
    """An aware UTC datetime from ISO 8601 text or what YAML made of it. Raises NotationError without a zone."""
    parsed = _parsed(value)
    if parsed.tzinfo is None:
        raise NotationError(f"{value} has no zone", f"add one, such as {parsed.isoformat()}Z")
    if parsed.microsecond:
        raise NotationError(
            f"{value} has fractions of a second", "write whole seconds: neither engine keeps more"
        )
    try:
        return parsed.astimezone(UTC)
    except OverflowError:
        raise NotationError(f"{value} is out of range", "write a year between 1971 and 2200") from None


def iso(moment: datetime) -> str:
    """`YYYY-MM-DDTHH:MM:SSZ`."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def slurm_local(moment: datetime, zone: ZoneInfo) -> str:
    """Slurm's own form, in slurmctld's zone: `YYYY-MM-DDTHH:MM:SS`."""
    return moment.astimezone(zone).strftime("%Y-%m-%dT%H:%M:%S")


def next_occurrence(
    first: datetime, duration: timedelta, recurrence: str, zone: ZoneInfo, now: datetime
) -> datetime:
    """UTC start of the first occurrence that has not ended by `now`; wall time in `zone` is kept across DST."""
    period = PERIOD_DAYS[recurrence]
    if first + duration > now:
        return first.astimezone(UTC)
    local = first.astimezone(zone)
    skipped = max(1, (now - first - duration).days // period - 1)
    while True:
        wall = local.replace(tzinfo=None) + timedelta(days=period * skipped)
        start = wall.replace(tzinfo=zone).astimezone(UTC)
        if start + duration > now:
            return start
        skipped += 1


def _parsed(value: object) -> datetime:
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        raise NotationError(f"{value} is a date without a time", f"write {value}T00:00:00Z")
    if not isinstance(value, str) or len(value) > 40:
        raise NotationError(
            f"{value!r:.40} is not a time", "write ISO 8601 with a zone: 2027-01-31T08:00:00Z"
        )
    try:
        return datetime.fromisoformat(value)
    except ValueError:
        raise NotationError(
            f"{value!r} is not a time", "write ISO 8601 with a zone: 2027-01-31T08:00:00Z"
        ) from None
