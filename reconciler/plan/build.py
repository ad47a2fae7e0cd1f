"""From desired and observed to the actions of a plan: diff, then drift apart from change, then order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from reconciler.plan.action import Action, Change, Job, RestartClass
from reconciler.plan.diff import differences
from reconciler.plan.phases import in_order
from reconciler.plan.split import is_drift, level
from reconciler.plan.started import has_begun
from renderer.model.cluster import Manage
from renderer.resource import Key, Resource


@dataclass(frozen=True, slots=True)
class Sight:
    """One target as the plan sees it: what it should hold, what it holds, and what a change would cost there."""

    name: str
    desired: tuple[Resource, ...]
    observed: Mapping[Key, Resource]
    foreign: tuple[Key, ...]
    restart_class: Callable[[Change], RestartClass]
    jobs: Callable[[Sequence[Change]], Mapping[Key, tuple[Job, ...]]]
    now: datetime | None = None
    """When `observed` was read; None where nothing live was."""


@dataclass(frozen=True, slots=True)
class Before:
    """What the last outcome left: keys that Charter owns, and the fingerprints of what it desired then."""

    owned: frozenset[Key]
    desired: Mapping[Key, str]


def actions_of(sight: Sight, before: Before, manage: Manage) -> tuple[tuple[Action, ...], tuple[Action, ...]]:
    """(actions in order, drift that is only reported) for one target."""
    found = differences(sight.desired, sight.observed, before.owned)
    changes = tuple(change for change in found if not _handed_over(change, manage))
    hit = sight.jobs(changes)
    made = [_action(sight, change, before, hit.get(change.key, ())) for change in changes]
    drifted = [action for action in made if _only_reported(action, before, manage)]
    kept = [action for action in made if not _only_reported(action, before, manage)]
    return in_order(kept, sight.desired), in_order(drifted, sight.desired)


def _handed_over(change: Change, manage: Manage) -> bool:
    """A part that is managed `off` is no longer rendered, which must not read as "remove it all"."""
    return change.verb == "delete" and level(change.key, manage) == "off"


def _only_reported(action: Action, before: Before, manage: Manage) -> bool:
    return is_drift(action.change, before.desired) and level(action.change.key, manage) == "report"


def _action(sight: Sight, change: Change, before: Before, jobs: tuple[Job, ...]) -> Action:
    return Action(
        target=sight.name,
        change=change,
        why=_why(change, before),
        restart=sight.restart_class(change),
        reversible=change.verb != "delete",
        confirm=_confirm(change, jobs, sight.now),
        jobs=jobs,
    )


def _confirm(change: Change, jobs: Sequence[Job], now: datetime | None) -> str | None:
    """KIND that lets a change end what lives in it, or move what its holders count on by now."""
    if now is not None and has_begun(change, now):
        return "reservations"
    if not jobs:
        return None
    if change.verb != "delete":
        return "nodes" if any(job.ends for job in jobs) else None
    return "namespaces" if change.key.kind == "Namespace" else "jobs"


def _why(change: Change, before: Before) -> str:
    if change.verb == "delete":
        return "no longer declared"
    if is_drift(change, before.desired):
        return "drifted from what was applied"
    return "declared" if change.verb == "create" else "declared otherwise"
