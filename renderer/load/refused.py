"""A file that the source would not read, and why."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Refused:
    """Stands for the content; `reason` says why it isn't read, and what to do."""

    reason: str
