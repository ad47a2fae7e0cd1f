"""The order of a plan: create and grow, then shrink, then remove in reverse.

A QOS exists before an account names it, an account before its people and they before one coordinates it, accounting before
the configuration that enforces it, Slurm before Kubernetes; removal walks the same way back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from reconciler.plan.action import Action, Change
from reconciler.plan.sizes import shrinks
from renderer.resource import Key, Resource

Phase = Literal["create", "shrink", "remove"]
PHASES: tuple[Phase, ...] = ("create", "shrink", "remove")
_RANK = {
    ("slurm", "qos"): 0,
    ("slurm", "account"): 1,
    ("slurm", "association"): 2,
    ("slurm", "coordinator"): 3,
    ("slurm", "config"): 4,
    ("slurm", "reservation"): 5,
}
_KUBERNETES = 6


def phase_of(change: Change) -> Phase:
    """The phase in which a change is made."""
    if change.verb == "delete":
        return "remove"
    return "shrink" if shrinks(change) else "create"


def in_order(actions: Sequence[Action], desired: Sequence[Resource]) -> tuple[Action, ...]:
    """Actions sorted by phase, then by dependency; `desired` gives the order within a kind."""
    place = {resource.key: index for index, resource in enumerate(desired)}
    return tuple(sorted(actions, key=lambda action: _position(action.change, place)))


def of_phase(actions: Sequence[Action], phase: Phase) -> tuple[Action, ...]:
    """The actions of one phase, order kept."""
    return tuple(action for action in actions if phase_of(action.change) == phase)


def _position(change: Change, place: Mapping[Key, int]) -> tuple[int, int, tuple[int, ...], str]:
    """Removal goes backwards by name too, a name after those it begins: an account after the ones below it."""
    phase = PHASES.index(phase_of(change))
    rank = _RANK.get((change.key.engine, change.key.kind), _KUBERNETES)
    if change.verb == "delete":
        return phase, -rank, (*(-ord(letter) for letter in change.key.name), 1), ""
    return phase, rank, (place.get(change.key, 0),), change.key.name
