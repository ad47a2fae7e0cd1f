"""Weights of priority/multifactor under which a higher tier always comes first, whatever its age or fair share."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from renderer.model.qos import QosTiers

FAIRSHARE = 10_000
AGE = 1_000
_LEAST = 100_000


@dataclass(frozen=True, slots=True)
class Weights:
    """PriorityWeightQOS, PriorityWeightFairshare and PriorityWeightAge."""

    qos: int
    fairshare: int
    age: int


def weights(tiers: QosTiers) -> Weights:
    """The least power of ten at which one step between tiers outweighs all other factors together.

    Slurm scales a QOS's priority to its share of the highest one, and every factor lies between 0 and 1. A sum is cut to
    whole points, so a step has to be worth one point more, else two tiers could tie.
    """
    priorities = sorted({tier.priority for tier in tiers.tiers.values()})
    steps = [high - low for low, high in pairwise(priorities)]
    weight = _LEAST
    while steps and weight * min(steps) < (FAIRSHARE + AGE + 1) * priorities[-1]:
        weight *= 10
    return Weights(weight, FAIRSHARE, AGE)
