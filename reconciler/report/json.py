"""The plan as JSON, `charter.plan/v1`; docs/plan.schema.json is its schema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from reconciler.plan.action import Action
from reconciler.plan.plan import FORMAT, Plan, counts
from renderer.resource import Key


def document(plan: Plan) -> dict[str, Any]:
    """The plan as plain data."""
    add, change, destroy = counts(plan.actions)
    return {
        "format": FORMAT,
        "charter": plan.charter,
        "base": asdict(plan.base) if plan.base else None,
        "head": asdict(plan.head),
        "digests": {
            "change": plan.change_digest,
            "live": plan.live_digest,
            "policy": plan.policy_digest,
        },
        "summary": {"add": add, "change": change, "destroy": destroy, "drift": len(plan.drift)},
        "actions": [_action(action) for action in plan.actions],
        "drift": [_action(action) for action in plan.drift],
        "foreign": {target: [_key(key) for key in keys] for target, keys in sorted(plan.foreign.items())},
        "capacity": [asdict(row) for row in plan.capacity],
        "remarks": list(plan.remarks),
        "warnings": list(plan.warnings),
        "verdict": plan.verdict.to_json(),
    }


def text(plan: Plan) -> str:
    """The document, indented, keys sorted."""
    return json.dumps(document(plan), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _action(action: Action) -> dict[str, Any]:
    return {
        "target": action.target,
        **_key(action.change.key),
        "verb": action.change.verb,
        "before": _plain(action.change.before),
        "after": _plain(action.change.after),
        "why": action.why,
        "restart": action.restart,
        "reversible": action.reversible,
        "confirm": action.confirm,
        "jobs": [asdict(job) for job in action.jobs],
    }


def _key(key: Key) -> dict[str, str]:
    return {"engine": key.engine, "kind": key.kind, "name": key.name}


def _plain(fields: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return None if fields is None else dict(fields)
