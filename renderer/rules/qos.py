"""Tiers: preemption has no cycle and runs strictly down the priorities."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

from renderer.problem import Finding
from renderer.rules.subject import Subject

NOBODY = "charter-nobody"
"""A QOS of Charter's own, which no tier may be."""
_MAX_PRIORITY = 65534
"""slurmctld compares 16 bits of a QOS's priority when it sorts preemption victims (seen on 22.05.8, 24.11.5, 26.05.5)."""


def tiers(subject: Subject) -> Iterator[Finding]:
    """References, cycles, and order of priorities."""
    known = subject.site.qos.tiers
    holders: dict[int, list[str]] = defaultdict(list)
    for name, tier in known.items():
        holders[tier.priority].append(name)
        if name == NOBODY:
            what = f"{name} stands for an empty list of prey in slurmdbd"
            yield subject.fault("qos", "", (name,), "name-taken", what, "choose another name")
        if tier.priority > _MAX_PRIORITY:
            what = f"priority {tier.priority} is above {_MAX_PRIORITY}"
            yield subject.fault(
                "qos",
                "",
                (name, "priority"),
                "qos-priority",
                what,
                "Slurm sorts victims by 16 bits: lower it",
            )
        for index, other in enumerate(tier.preempts):
            keys = (name, "preempts", index)
            if other not in known:
                yield subject.unknown("qos", "", keys, "QOS", other, known)
            elif known[other].priority >= tier.priority:
                what = f"{name} ({tier.priority}) may not preempt {other} ({known[other].priority})"
                yield subject.fault(
                    "qos", "", keys, "qos-order", what, "a tier preempts only tiers of lower priority"
                )
    for priority, names in holders.items():
        if len(names) > 1:
            what = f"priority {priority} is {' and '.join(names)}'s"
            yield subject.fault(
                "qos",
                "",
                (names[-1], "priority"),
                "qos-equal",
                what,
                "equal tiers have no order: make them differ",
            )
    yield from _order(subject)
    cycle = _cycle({name: tier.preempts for name, tier in known.items()})
    if cycle:
        what = f"preemption runs in a circle: {' → '.join(cycle)}"
        yield subject.fault("qos", "", (cycle[0], "preempts"), "qos-cycle", what, "remove one of these")


def _order(subject: Subject) -> Iterator[Finding]:
    """What would spare a lower tier at a higher one's cost: a prey left out, or a longer exemption."""
    down = sorted(subject.site.qos.tiers.values(), key=lambda tier: -tier.priority)
    for tier in down:
        below = [other.name for other in down if other.priority < tier.priority]
        prey = [place for place, name in enumerate(below) if name in tier.preempts]
        spared = [
            name for place, name in enumerate(below) if prey and place > prey[0] and name not in tier.preempts
        ]
        if spared:
            what = f"{tier.name} may preempt {below[prey[0]]}, but not {' and '.join(spared)} below it"
            remedy = "add what is lower, else a higher tier is hit where lower ones would do"
            yield subject.fault("qos", "", (tier.name, "preempts"), "qos-spared", what, remedy)
    for higher, lower in pairwise(down):
        if lower.exempt_seconds > higher.exempt_seconds:
            what = f"{lower.name} is exempt for {lower.exempt_seconds} s, {higher.name} above it for {higher.exempt_seconds} s"
            remedy = "exempt no lower tier longer: the higher one would be hit in its place"
            yield subject.fault("qos", "", (lower.name, "exempt_seconds"), "qos-exempt", what, remedy)


def _cycle(edges: dict[str, tuple[str, ...]]) -> list[str]:
    """One circle, its first name again at the end; empty where there is none."""
    done: set[str] = set()
    for start in edges:
        path: list[str] = []
        stack = [(start, iter(edges[start]))]
        while stack and start not in done:
            name, following = stack[-1]
            if len(path) < len(stack):
                path.append(name)
            step = next((other for other in following if other in edges and other not in done), None)
            if step in path:
                return [*path[path.index(str(step)) :], str(step)]
            if step is None:
                done.add(name)
                stack.pop()
                path.pop()
            else:
                stack.append((step, iter(edges[step])))
    return []
