"""What goes into an intent, an outcome and a drift entry."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from reconciler.audit.log import Entry
from reconciler.audit.record import Record
from reconciler.loop.inputs import Applied, desired_json, owned_json, sealed_actions
from reconciler.loop.judging import Trusted
from reconciler.loop.own_intent import note
from reconciler.loop.planning import Compared, identity, renderings
from reconciler.loop.world import World
from reconciler.plan.plan import Plan
from reconciler.plan.split import fingerprints
from reconciler.report import json as plan_json
from reconciler.targets.contract import Observation
from reconciler.version import VERSION, WRITER
from renderer.notation.times import iso
from renderer.resource import Key


@dataclass(frozen=True, slots=True)
class Result:
    """How an apply ended: `status` as in docs/record.md, a sentence a target."""

    status: str
    sentences: Mapping[str, str]


def seal_intent(world: World, plan: Plan, compared: Compared, trusted: Trusted) -> Entry:
    """Say what is about to be done, before anything is: by whose commits, and whether signatures were asked for."""
    plan_text = plan_json.text(plan).encode()
    verdict_text = (json.dumps(plan.verdict.to_json(), sort_keys=True, indent=1) + "\n").encode()
    deadline = world.clock.now() + timedelta(seconds=world.configuration.deadline_seconds)
    base: dict[str, str | list[str]] = {}
    if compared.base is not None:
        base = {"base_commit": str(compared.base.commit), "base_digest": compared.base.site.digest}
    values: dict[str, str | list[str]] = {
        **_applied(compared),
        **base,
        "verdict": hashlib.sha256(verdict_text).hexdigest(),
        "plan": hashlib.sha256(plan_text).hexdigest(),
        "change": plan.change_digest,
        "live": str(plan.live_digest),
        "signed": sorted({f"{item.id} {item.principal or '-'}" for item in trusted.commits}),
        "remark": sorted(set(trusted.remarks)),
        "deadline": iso(deadline),
    }
    attachments = {"plan.json": plan_text, "verdict.json": verdict_text}
    return _append(world, "intent", values, attachments, lambda record: note(world, record))


def seal_outcome(
    world: World,
    intent: Entry,
    compared: Compared,
    observed: Mapping[str, Observation],
    before: Applied,
    result: Result,
) -> Entry:
    """Say how it ended, what is owned since, and what was desired."""
    desired = fingerprints(compared.rendering.resources)
    live = frozenset(key for seen in observed.values() for key in seen.resources)
    owned = (frozenset(desired) | before.before.owned) & live
    values: dict[str, str | list[str]] = {
        **_applied(compared),
        "intent": intent.record.sha256,
        "status": result.status,
        "identity": identity(str(compared.head.commit), compared),
        "result": [f"{target} {sentence}" for target, sentence in result.sentences.items()],
    }
    attachments = {"owned.json": owned_json(owned), "desired.json": desired_json(desired)}
    return _append(world, "outcome", values, attachments)


def close_interrupted(world: World, intent: Entry, before: Applied) -> Entry:
    """Close an intent whose writer died: what it meant to create counts as owned, so that the next apply can take it on."""
    created = frozenset(
        Key(action["engine"], action["kind"], action["name"])
        for action in sealed_actions(world.log, intent)
        if action["verb"] == "create"
    )
    copied = ("site_commit", "site_digest", "charter", "policy")
    values: dict[str, str | list[str]] = {
        **{key: intent.record.one(key) for key in copied},
        "rendering": list(intent.record.all("rendering")),
        "intent": intent.record.sha256,
        "status": "interrupted",
        "identity": before.identity or "0" * 64,
        "result": [
            f"{target.name} unknown: the writer stopped before it could say" for target in world.targets
        ],
    }
    attachments = {
        "owned.json": owned_json(before.before.owned | created),
        "desired.json": desired_json(before.before.desired),
    }
    return _append(world, "outcome", values, attachments)


def seal_drift(world: World, plan: Plan, compared: Compared) -> None:
    """Record drift that is only reported: once, then again when it changes, or daily."""
    content = _drift(plan)
    digest = hashlib.sha256(content).hexdigest()
    newest = world.log.last("drift", "outcome")
    if newest is not None and newest.record.get("drift") == digest and not _a_day_old(world, newest):
        return
    values = {
        "site_commit": str(compared.head.commit),
        "site_digest": compared.head.site.digest,
        "drift": digest,
    }
    _append(world, "drift", values, {"drift.json": content})


def _a_day_old(world: World, entry: Entry) -> bool:
    return entry.record.one("time") <= iso(world.clock.now() - timedelta(days=1))


def _drift(plan: Plan) -> bytes:
    document = plan_json.document(plan)
    content = {"format": "charter.drift/v1", "drift": document["drift"]}
    return (json.dumps(content, sort_keys=True, indent=1, ensure_ascii=False) + "\n").encode()


def _applied(compared: Compared) -> dict[str, str | list[str]]:
    return {
        "site_commit": str(compared.head.commit),
        "site_digest": compared.head.site.digest,
        "charter": VERSION,
        "policy": compared.policy,
        "rendering": renderings(compared.rendering),
    }


def _append(
    world: World,
    kind: str,
    values: Mapping[str, str | Sequence[str]],
    attachments: Mapping[str, bytes],
    announce: Callable[[Record], None] = lambda _record: None,
) -> Entry:
    entry = world.log.append(
        kind, values, attachments, key=world.key(), clock=world.clock, writer=WRITER, announce=announce
    )
    world.push_log()
    return entry
