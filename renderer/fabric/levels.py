"""What lies above the units: units that reach the same switches of a tier form one group of that tier, up to the top."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from renderer.fabric.collapse import Unit
from renderer.fabric.graph import graph
from renderer.model.fabric import Fabric
from renderer.notation.hostlist import natural


@dataclass(frozen=True, slots=True)
class Group:
    """Children (names of units, or of groups one tier down) that share switches of `tier`."""

    name: str
    tier: int
    children: tuple[str, ...]
    switches: tuple[str, ...]


def levels(fabric: Fabric, units: Iterable[Unit]) -> tuple[tuple[Group, ...], ...]:
    """Groups of each tier above the leaves, lowest tier first. Groups of one tier share no switch, so the whole is a forest."""
    above = graph(fabric).above
    reached = {unit.name: frozenset(unit.spines) for unit in units}
    found: list[tuple[Group, ...]] = []
    while any(reached.values()):
        groups = _named(len(found) + 2, _components(reached))
        found.append(groups)
        reached = {
            group.name: frozenset(top for switch in group.switches for top in above.get(switch, ()))
            for group in groups
        }
    return tuple(found)


def _components(reached: dict[str, frozenset[str]]) -> list[tuple[list[str], set[str]]]:
    parts: list[tuple[list[str], set[str]]] = []
    for child, switches in reached.items():
        apart = [part for part in parts if part[1].isdisjoint(switches)]
        touching = [part for part in parts if not part[1].isdisjoint(switches)]
        children = [name for part in touching for name in part[0]]
        parts = [*apart, ([*children, child], set(switches).union(*(part[1] for part in touching)))]
    return sorted(parts, key=lambda part: min(natural(name) for name in part[0]))


def _named(tier: int, parts: list[tuple[list[str], set[str]]]) -> tuple[Group, ...]:
    title = {2: "spine", 3: "core"}.get(tier, f"tier{tier}")
    width = max(2, len(str(len(parts))))
    names = (
        [title] if len(parts) == 1 else [f"{title}{index:0{width}d}" for index in range(1, len(parts) + 1)]
    )
    return tuple(
        Group(name, tier, _sorted(children), _sorted(switches))
        for name, (children, switches) in zip(names, parts, strict=True)
    )


def _sorted(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(names, key=natural))
