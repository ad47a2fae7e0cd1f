"""policies/partitions.yaml and policies/planes.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from renderer.load import checks
from renderer.load.fields import (
    BOOLEAN,
    DURATION,
    HOSTS,
    NAME,
    NAMES,
    Rules,
    choice,
    listed,
    mapping,
    named,
    number,
    required,
)
from renderer.model.nodes import Nodes
from renderer.model.partitions import FlexibleRules, Partition, Planes
from renderer.notation.durations import seconds
from renderer.notation.hostlist import expand

_PARTITION: Rules = {
    "hosts": {**HOSTS, "excludes": "features"},
    "features": listed(checks.words),
    "default": BOOLEAN,
    "max_time": DURATION,
    "default_time": DURATION,
    "allow_qos": NAMES,
    "allow_tenants": NAMES,
    "qos": NAME,
    "priority_tier": number(0, 65533),
    "exclusive": BOOLEAN,
    "oversubscribe": choice("no", "yes", "exclusive", "force"),
    "min_nodes": number(0),
    "max_nodes": number(1),
    "def_mem_per_gpu_mb": number(1),
    "def_cpu_per_gpu": number(1, 65535),
    "tres_billing_weights": {"type": "dict", "check_with": checks.tres_weights},
    "state": choice("up", "down", "drain", "inactive"),
    "topology": NAME,
}
SCHEMA: Rules = {"partitions": required(named(mapping(_PARTITION)))}
"""The file is flat: it is judged as one mapping under this key."""
_PLANE = mapping({"hosts": HOSTS})
PLANES: Rules = {
    "training": _PLANE,
    "inference": _PLANE,
    "flexible": mapping(
        {
            "hosts": HOSTS,
            "initial": choice("training", "inference"),
            "release_after_seconds": number(0, 10**7),
            "reclaim_notice_seconds": number(0, 10**7),
        }
    ),
}


def build(document: Mapping[str, Any], nodes: Nodes) -> dict[str, Partition]:
    """All partitions by name; features choose hosts that have all of them."""
    return {name: _partition(name, part, nodes) for name, part in document.items()}


def build_planes(document: Mapping[str, Any]) -> Planes:
    """The three planes."""
    flexible = document.get("flexible", {})
    rules = FlexibleRules(
        initial=flexible.get("initial", "inference"),
        release_after_seconds=flexible.get("release_after_seconds", 900),
        reclaim_notice_seconds=flexible.get("reclaim_notice_seconds", 300),
    )
    return Planes(
        training=_hosts(document.get("training", {})),
        inference=_hosts(document.get("inference", {})),
        flexible=_hosts(flexible),
        rules=rules if flexible else None,
    )


def _hosts(part: Mapping[str, Any]) -> tuple[str, ...]:
    return expand(part["hosts"]) if "hosts" in part else ()


def _partition(name: str, part: Mapping[str, Any], nodes: Nodes) -> Partition:
    return Partition(
        name=name,
        hosts=_hosts(part) or _featured(part.get("features", ()), nodes),
        default=part.get("default", False),
        max_time=_time(part.get("max_time")),
        default_time=_time(part.get("default_time")),
        allow_qos=tuple(part.get("allow_qos", ())),
        allow_tenants=tuple(part.get("allow_tenants", ())),
        qos=part.get("qos"),
        priority_tier=part.get("priority_tier", 1),
        exclusive=part.get("exclusive", False),
        oversubscribe=part.get("oversubscribe", "no"),
        min_nodes=part.get("min_nodes"),
        max_nodes=part.get("max_nodes"),
        def_mem_per_gpu_mb=part.get("def_mem_per_gpu_mb"),
        def_cpu_per_gpu=part.get("def_cpu_per_gpu"),
        tres_billing_weights={key: str(value) for key, value in part.get("tres_billing_weights", {}).items()},
        state=part.get("state", "up"),
        topology=part.get("topology"),
    )


def _featured(features: tuple[str, ...] | list[str], nodes: Nodes) -> tuple[str, ...]:
    wanted = set(features)
    return tuple(
        name for name, node in nodes.by_name.items() if wanted and wanted <= set(node.group.features)
    )


def _time(value: str | None) -> int | None:
    return None if value is None else seconds(value)
