"""A small site as keyed data, in order in every respect, and the change that nobody objects to. Cases edit copies of it."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

NOW = 1_800_000_000
DROP = object()


def _grants(h200: int, mi300: int = 0, anything: int = 0, factor: int = 1) -> dict[str, Any]:
    numbers = {"h200": h200, "mi300": mi300, "any": anything}
    return {model: {"guarantee": count, "limit": count * factor} for model, count in numbers.items()}


def _quota(training: dict[str, Any], inference: dict[str, Any]) -> dict[str, Any]:
    return {"training": training, "inference": inference}


def _program(tenant: str, name: str, quota: dict[str, Any], endpoints: list[str]) -> dict[str, Any]:
    return {
        "tenant": tenant,
        "zones": ["a"],
        "qos": ["standard", "low"],
        "default_qos": "standard",
        "quota": quota,
        "endpoints": endpoints,
        "path": f"policies/tenants/{tenant}.yaml",
    }


def _endpoint(minimum: int, model: str = "h200") -> dict[str, Any]:
    return {
        "program": "health/scan",
        "gpu_model": model,
        "gpus_per_replica": 4,
        "min": minimum,
        "max": 9,
        "surge": 1,
        "path": "policies/endpoints/e.yaml",
    }


def _reservation(start: int, end: int, recurrence: str = "none") -> dict[str, Any]:
    return {
        "programs": ["health/scan"],
        "start": NOW + start,
        "end": NOW + end,
        "hosts": ["n1"],
        "nodes": None,
        "gpus": None,
        "recurrence": recurrence,
        "purpose": "dated",
        "peak": {"nodes": 2, "gpus": 16},
        "outside": [],
        "path": "policies/reservations/r.yaml",
    }


def site() -> dict[str, Any]:
    """Two tenants, three programmes, two models, two planes of which training has 48 GPUs and inference 32."""
    return {
        "format": "charter.site/v1",
        "digest": "d" * 64,
        "zones": ["a", "b"],
        "data_classes": {"personal": ["a"], "open": ["a", "b"]},
        "models": ["h200", "mi300"],
        "counts": {
            "tenants": 2,
            "programs": 3,
            "qos": 3,
            "endpoints": 2,
            "reservations": 2,
            "nodes": 1,
        },
        "capacity": {
            "training": {"nodes": 6, "gpus": 48, "models": {"h200": 32, "mi300": 16}},
            "inference": {"nodes": 4, "gpus": 32, "models": {"h200": 24, "mi300": 8}},
        },
        "qos": {"high": {"priority": 30}, "standard": {"priority": 20}, "low": {"priority": 10}},
        "tenants": {
            "health": {
                "tier": "standard",
                "data_class": "personal",
                "zones": ["a", "b"],
                "quota": _quota(_grants(16, 8, 4), _grants(20, 8)),
                "programs": ["health/scan", "health/genes"],
                "path": "policies/tenants/health.yaml",
            },
            "sky": {
                "tier": "high",
                "data_class": "open",
                "zones": ["a"],
                "quota": _quota(_grants(16), _grants(0)),
                "programs": ["sky/now"],
                "path": "policies/tenants/sky.yaml",
            },
        },
        "programs": {
            "health/scan": _program(
                "health", "scan", _quota(_grants(8, 4), _grants(12, 4, 4)), ["scan", "read"]
            ),
            "health/genes": _program("health", "genes", _quota(_grants(8, 4, 4), _grants(8)), []),
            "sky/now": _program("sky", "now", _quota(_grants(16), _grants(0)), []),
        },
        "endpoints": {"scan": _endpoint(2), "read": _endpoint(0, "mi300")},
        "reservations": {"run": _reservation(3600, 7200), "patch": _reservation(-9000, -5400, "weekly")},
        "nodes": {"n1": {"plane": "training"}},
        "approvers": {
            "require": "signed",
            "principals": {"thor": {"roles": ["allocation"]}, "merger": {"roles": ["merge"]}},
            "roles": {
                "allocation": {"paths": ["policies/tenants/**", "policies/*.yaml"]},
                "merge": {"paths": []},
            },
        },
        "freezes": {
            "holidays": {
                "start": NOW + 3600,
                "end": NOW + 7200,
                "paths": ["inventory/**", "policies/tenants/**"],
                "reason": "nobody on site",
            },
        },
        "waivers": {},
    }


def change() -> dict[str, Any]:
    """A change that thor signed and may make: {input, data}."""
    base, head = site(), site()
    head["digest"] = "e" * 64
    commit = {"id": "c1", "paths": ["policies/tenants/health.yaml"], "principal": "thor"}
    asked = {"format": "charter.change/v1", "now": NOW, "base": base, "head": head, "commits": [commit]}
    return {"input": asked, "data": {"site": site(), "charter": {"usage": {}}}}


def edited(document: Mapping[str, Any], edits: Mapping[str, Any]) -> dict[str, Any]:
    """A copy with values put at paths such as `input/head/zones` (DROP: taken away); keys that hold a slash use `~`."""
    result = copy.deepcopy(dict(document))
    for path, value in edits.items():
        *parents, last = [step.replace("~", "/") for step in path.split("/")]
        place: Any = result
        for step in parents:
            place = place[int(step) if isinstance(place, list) else step]
        key: Any = int(last) if isinstance(place, list) else last
        if value is DROP:
            del place[key]
        else:
            place[key] = copy.deepcopy(value)
    return result
