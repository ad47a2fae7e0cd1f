"""policies/qos.yaml: `grace_seconds`, and beside it one mapping a tier."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from renderer.load import checks
from renderer.load.fields import DURATION, NAMES, NUMBER, Rules, listed, mapping, named, number, required
from renderer.model.qos import Qos, QosTiers
from renderer.notation import tres
from renderer.notation.durations import seconds

_LIMITS: Rules = {"type": "dict", "check_with": checks.tres_limits}
FLAGS = (
    "DenyOnLimit",
    "EnforceUsageThreshold",
    "NoReserve",
    "NoDecay",
    "OverPartQOS",
    "PartitionMaxNodes",
    "PartitionMinNodes",
    "PartitionTimeLimit",
    "RequiresReservation",
    "UsageFactorSafe",
)
_TIER: Rules = {
    "priority": required(number(0)),
    "preempts": NAMES,
    "exempt_seconds": number(0, 86400),
    "max_wall": DURATION,
    "limits": _LIMITS,
    "usage_factor": NUMBER,
    "flags": listed(checks.one_of("flags", FLAGS)),
    "kubernetes_priority": required(number(-(10**9), 10**9)),
}
SCHEMA: Rules = {"grace_seconds": required(number(0, 3600)), "tiers": named(mapping(_TIER))}
"""The file is flat: every key but grace_seconds is a tier, judged under `tiers`."""


def build(document: Mapping[str, Any]) -> QosTiers:
    """All tiers."""
    tiers = {name: _tier(name, part) for name, part in document.items() if name != "grace_seconds"}
    return QosTiers(document["grace_seconds"], tiers)


def _tier(name: str, part: Mapping[str, Any]) -> Qos:
    wall = part.get("max_wall")
    return Qos(
        name=name,
        priority=part["priority"],
        preempts=tuple(part.get("preempts", ())),
        exempt_seconds=part.get("exempt_seconds", 0),
        max_wall_seconds=None if wall is None else seconds(wall),
        limits={key: _limit(key, value) for key, value in part.get("limits", {}).items()},
        usage_factor=float(part.get("usage_factor", 1.0)),
        flags=tuple(sorted(part.get("flags", ()))),
        kubernetes_priority=part["kubernetes_priority"],
    )


def _limit(key: str, value: object) -> str:
    return str(value) if key in checks.COUNTS else tres.text(tres.parse(str(value)))
