"""A job's priority by the weights that Charter renders, part by part, and what a tier below can reach at most."""

from __future__ import annotations

from dataclasses import dataclass

from renderer.model.site import Site
from renderer.notation.durations import seconds
from renderer.notation.error import NotationError
from renderer.rules.slurm_lines import settings
from renderer.slurm.priority import AGE, FAIRSHARE, weights

_MAX_AGE = 7 * 86400
"""PriorityMaxAge where nobody sets it (slurm.conf)."""


@dataclass(frozen=True, slots=True)
class Part:
    """A factor between 0 and 1, its weight, and what the factor comes from."""

    name: str
    factor: float
    weight: int
    why: str

    @property
    def points(self) -> int:
        """What it adds, in whole points as slurmctld counts."""
        return int(self.factor * self.weight)


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """The parts of one job's priority; `below` is (tier, the most that a job of it can have), None for the lowest tier."""

    parts: tuple[Part, ...]
    below: tuple[str, int] | None

    @property
    def total(self) -> int:
        """The job's priority."""
        return sum(part.points for part in self.parts)


def arithmetic(site: Site, qos: str, fairshare: float, age_seconds: int) -> Arithmetic:
    """Of a job of this tier, with this fair-share factor (0 to 1), eligible for so many seconds."""
    tiers = sorted(site.qos.tiers.values(), key=lambda tier: tier.priority)
    highest, weight, longest = tiers[-1].priority or 1, weights(site.qos), max_age(site)
    tier = site.qos.tiers[qos]
    parts = (
        Part(
            "QOS",
            tier.priority / highest,
            weight.qos,
            f"{qos}: priority {tier.priority} of at most {highest}",
        ),
        Part("fairshare", fairshare, weight.fairshare, "the share that the account used, 1 for none"),
        Part("age", min(age_seconds / longest, 1.0), weight.age, f"{age_seconds} s of at most {longest} s"),
    )
    lower = [other for other in tiers if other.priority < tier.priority]
    most = int(lower[-1].priority / highest * weight.qos) + FAIRSHARE + AGE if lower else 0
    return Arithmetic(parts, (lower[-1].name, most) if lower else None)


def max_age(site: Site) -> int:
    """PriorityMaxAge in seconds: what slurm.d sets, else Slurm's own."""
    for line in reversed(settings(site.slurm_d.get("slurm.conf", ""))):
        if line[0].key.lower() == "prioritymaxage":
            try:
                return seconds(line[0].value) or _MAX_AGE
            except NotationError:
                return _MAX_AGE
    return _MAX_AGE
