"""Durations: Slurm's times and the short form that sites write (`14d`, `1d12h`, `90m`, `30s`). Always seconds inside."""

from __future__ import annotations

import re

from renderer.notation.error import NotationError

_MAX_SECONDS = 10 * 366 * 86400
_UNITS = {"w": 604800, "d": 86400, "h": 3600, "m": 60, "s": 1}
_SHORT = re.compile(
    r"(?:([0-9]{1,9})w)?(?:([0-9]{1,9})d)?(?:([0-9]{1,9})h)?(?:([0-9]{1,9})m)?(?:([0-9]{1,9})s)?\Z"
)
_SLURM = re.compile(r"(?:([0-9]{1,9})-)?([0-9]{1,9})(?::([0-9]{1,9}))?(?::([0-9]{1,9}))?\Z")
_ENDLESS = frozenset({"UNLIMITED", "INFINITE"})


def seconds(text: str | int) -> int | None:
    """Seconds of a site's or Slurm's duration; None for UNLIMITED. Raises NotationError."""
    written = str(text).strip()
    if written.upper() in _ENDLESS:
        return None
    found = _short(written) if written[-1:] in _UNITS else _slurm(written)
    if found is None:
        raise NotationError(
            f"{written[:40]!r} is not a duration", "write it as 14d, 1d12h, 90m, or as Slurm does: 1-12:00:00"
        )
    if found > _MAX_SECONDS:
        raise NotationError(
            f"{written[:40]!r} is longer than ten years", "write UNLIMITED if no bound is meant"
        )
    return found


def slurm_time(total: int | None) -> str:
    """Slurm's canonical form: `D-HH:MM:SS`, `HH:MM:SS` below a day, UNLIMITED for None."""
    if total is None:
        return "UNLIMITED"
    days, rest = divmod(total, 86400)
    clock = f"{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}"
    return f"{days}-{clock}" if days else clock


def _short(text: str) -> int | None:
    match = _SHORT.match(text)
    if match is None or not any(match.groups()):
        return None
    return sum(int(amount or 0) * unit for amount, unit in zip(match.groups(), _UNITS.values(), strict=True))


def _slurm(text: str) -> int | None:
    """sbatch(1) --time: minutes, mm:ss, hh:mm:ss, d-hh, d-hh:mm, d-hh:mm:ss."""
    match = _SLURM.match(text)
    if match is None:
        return None
    days, *rest = match.groups()
    parts = [int(part) for part in rest if part is not None]
    if days is not None:
        return int(days) * 86400 + sum(part * unit for part, unit in zip(parts, (3600, 60, 1), strict=False))
    units = {1: (60,), 2: (60, 1), 3: (3600, 60, 1)}[len(parts)]
    return sum(part * unit for part, unit in zip(parts, units, strict=True))
