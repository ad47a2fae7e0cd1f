"""Is everything that is left to do already waiting, as the last outcome says? Then there is nothing new to seal or to try."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from reconciler.loop.inputs import Applied, sealed_actions
from reconciler.loop.world import World
from reconciler.plan.action import Action
from reconciler.plan.plan import Plan
from renderer.notation.times import iso

_Trace = tuple[str, str, str, str, str, str | None]


def only_waiting(world: World, plan: Plan, before: Applied, wanted: str, confirmed: frozenset[str]) -> bool:
    """True where the same commit left exactly these actions pending within the last day, and nobody confirms one now.

    An action whose jobs have ended needs no confirmation any more, so it differs from then and is tried again.
    """
    if not plan.actions or before.status != "pending" or before.identity != wanted:
        return False
    if any(action.confirm in confirmed for action in plan.actions):
        return False
    outcome, intent = world.log.last("outcome"), world.log.last("intent")
    if (
        outcome is None
        or intent is None
        or outcome.record.one("time") <= iso(world.clock.now() - timedelta(days=1))
    ):
        return False
    then = {_recorded(item) for item in sealed_actions(world.log, intent)}
    return all(_trace(action) in then for action in plan.actions)


def _trace(action: Action) -> _Trace:
    key = action.change.key
    return action.target, key.engine, key.kind, key.name, action.change.verb, action.confirm


def _recorded(item: dict[str, Any]) -> _Trace:
    return item["target"], item["engine"], item["kind"], item["name"], item["verb"], item["confirm"]
