"""Tiers: preemption has no cycle and runs strictly down the priorities."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from renderer.problem import Finding
from renderer.rules.subject import Subject

_MAX_PRIORITY = 65534
"""slurmctld compares 16 bits of a QOS's priority when it sorts preemption victims (seen on 22.05.8, 24.11.5, 26.05.5)."""


def tiers(subject: Subject) -> Iterator[Finding]:
    """References, cycles, and order of priorities."""
    known = subject.site.qos.tiers
    holders: dict[int, list[str]] = defaultdict(list)
    for name, tier in known.items():
        holders[tier.priority].append(name)
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
    cycle = _cycle({name: tier.preempts for name, tier in known.items()})
    if cycle:
        what = f"preemption runs in a circle: {' → '.join(cycle)}"
        yield subject.fault("qos", "", (cycle[0], "preempts"), "qos-cycle", what, "remove one of these")


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
