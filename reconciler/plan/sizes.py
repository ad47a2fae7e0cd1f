"""Does an update take something away? Read from the limits that a resource holds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from reconciler.plan.action import Change

_TRES_FIELDS = (
    "grp_tres",
    "max_tres_per_job",
    "max_tres_per_user",
    "max_tres_per_account",
)
_COUNT_FIELDS = ("max_jobs_per_user", "max_submit_jobs_per_user", "max_wall")


def shrinks(change: Change) -> bool:
    """True for an update that lowers a limit, or sets one where there was none."""
    if change.verb != "update":
        return False
    before, after = _limits(change.before or {}), _limits(change.after or {})
    return any(amount < before.get(name, math.inf) for name, amount in after.items())


def _limits(fields: Mapping[str, Any]) -> dict[str, float]:
    return dict(_quota(fields)) | dict(_tres(fields)) | dict(_counts(fields))


def _tres(fields: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    for field in _TRES_FIELDS:
        for part in filter(None, str(fields.get(field, "")).split(",")):
            name, _, amount = part.partition("=")
            if amount.isdigit():
                yield f"{field}:{name}", float(amount)


def _counts(fields: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    for field in _COUNT_FIELDS:
        if str(fields.get(field, "")).isdigit():
            yield field, float(fields[field])


def _quota(fields: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    spec = fields.get("spec")
    hard = spec.get("hard") if isinstance(spec, Mapping) else None
    for name, amount in (hard or {}).items():
        if str(amount).isdigit():
            yield f"hard:{name}", float(amount)
