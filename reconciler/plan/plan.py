"""A plan as data: what would change on which target, what drifted, whom it hits, and the digests that bind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reconciler.gate.verdict import Verdict
from reconciler.plan.action import Action
from reconciler.plan.capacity import CapacityRow
from renderer.resource import Key

FORMAT = "charter.plan/v1"


@dataclass(frozen=True, slots=True)
class Revision:
    """A side of the comparison: `commit` None for a working tree or no base commit known."""

    commit: str | None
    site_digest: str


@dataclass(frozen=True, slots=True)
class Plan:
    """`actions` are in the order of execution; `drift` is what differs live without a commit asking for it and is not
    mended; `foreign` belongs to somebody else. `live_digest` is None when two commits are compared."""

    base: Revision | None
    head: Revision
    actions: tuple[Action, ...]
    drift: tuple[Action, ...]
    foreign: Mapping[str, tuple[Key, ...]]
    remarks: tuple[str, ...]
    verdict: Verdict
    capacity: tuple[CapacityRow, ...]
    change_digest: str
    live_digest: str | None
    charter: str
    policy_digest: str
    warnings: tuple[str, ...] = ()
    """What somebody should look at before it goes wrong, as the engines are now; no part of the change."""

    @property
    def exit_code(self) -> int:
        """3 denied (wins), 2 changes or drift, 0 in sync."""
        if not self.verdict.allow:
            return 3
        return 2 if self.actions or self.drift else 0

    def of_target(self, name: str) -> tuple[Action, ...]:
        """The actions of one target, order kept."""
        return tuple(action for action in self.actions if action.target == name)


def counts(actions: Sequence[Action]) -> tuple[int, int, int]:
    """How many to add, to change, to destroy."""
    verbs = [action.change.verb for action in actions]
    return verbs.count("create"), verbs.count("update"), verbs.count("delete")
