"""Ask whether a change is allowed: by the rules in force, and, where it changes those, by its own as well."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from reconciler.gate.engine import CHANGE, Engine
from reconciler.gate.policy import load_policy
from reconciler.gate.verdict import Verdict, conclude
from renderer.model.site import Site
from renderer.opa import site_data

FORMAT = "charter.change/v1"


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit as the gate may know it: `principal` only where the host has verified it."""

    id: str
    paths: tuple[str, ...]
    principal: str | None


def judge_change(
    engine: Engine,
    base: Site | None,
    head: Site,
    commits: Sequence[Commit] | None,
    now: datetime,
    *,
    opa: str = "opa",
) -> Verdict:
    """The verdict on going from `base` (None at the first apply) to `head`. Raises Terminal for rules that don't load.

    `commits` None is an uncommitted tree: who may change it isn't judged, and the verdict says so. A change of rego/site,
    approvers, freezes or waivers is judged by both sides' rules; both must allow.
    """
    asked: dict[str, Any] = {
        "format": FORMAT,
        "now": int(now.timestamp()),
        "base": None if base is None else site_data(base),
        "head": site_data(head),
        "commits": None if commits is None else [_commit(item) for item in commits],
    }
    judges = [head] if base is None or _same_judges(base, head) else [base, head]
    verdicts = [_judge(engine, judge, asked, opa) for judge in judges]
    return _both(verdicts)


def _same_judges(base: Site, head: Site) -> bool:
    return _judge_of(base) == _judge_of(head)


def _judge_of(site: Site) -> tuple[object, ...]:
    return (site.rego, site.approvers, site.freezes, site.waivers)


def _judge(engine: Engine, judge: Site, asked: dict[str, Any], opa: str) -> Verdict:
    policy = load_policy(judge.rego, opa)
    revision = f"{policy.digest[:16]}/{judge.digest[:16]}"
    engine.load(policy, {"site": site_data(judge), "charter": {"usage": {}}}, revision)
    return engine.decide(CHANGE, asked)


def _both(verdicts: Sequence[Verdict]) -> Verdict:
    """What both say: a violation waived by one side only is not waived."""
    if len(verdicts) == 1:
        return verdicts[0]
    violations = [item for verdict in verdicts for item in verdict.violations]
    strict = {(item.id, item.subject) for item in violations if item.waived_by is None}
    kept = [item for item in violations if item.waived_by is None or (item.id, item.subject) not in strict]
    return conclude(kept, " and ".join(verdict.revision for verdict in verdicts))


def _commit(item: Commit) -> dict[str, Any]:
    return {"id": item.id, "paths": list(item.paths), "principal": item.principal}
