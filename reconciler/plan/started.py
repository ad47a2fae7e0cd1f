"""Whether a reservation is under way: its holders count on it, and jobs may run in it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from reconciler.plan.action import Change
from renderer.notation.times import iso


def has_begun(change: Change, now: datetime) -> bool:
    """True for a change of a reservation whose live occurrence has started and has not ended. `now` is aware."""
    if change.key.kind != "reservation" or change.before is None:
        return False
    return _start(change.before) <= now < _end(change.before)


def started(change: Change) -> str:
    """What a change of a reservation under way does to it, in a few words; its start is past and stays."""
    before, after = change.before or {}, change.after
    since = f"reservation {change.key.name}, under way since {before['start_time']},"
    if after is None:
        return f"{since} would end"
    names = [
        name for name in after if name not in ("start_time", "duration") and after[name] != before.get(name)
    ]
    fields = [f"{name} {before.get(name)} -> {after[name]}" for name in names]
    if _end(before) != _end(after):
        fields.append(f"end {iso(_end(before))} -> {iso(_end(after))}")
    return f"{since} would change ({', '.join(fields)})"


def _start(fields: Mapping[str, Any]) -> datetime:
    return datetime.fromisoformat(str(fields["start_time"]))


def _end(fields: Mapping[str, Any]) -> datetime:
    return _start(fields) + timedelta(seconds=int(fields["duration"]))
