"""Rail-optimised wiring as a tree that a scheduler understands.

A node of such a fabric hangs on four or eight leaves, one a rail, while Slurm's tree and Kueue's levels give a node one
parent. Nodes cabled to exactly the same leaves are one hop from each other on every rail: they are one logical leaf, here
a unit. Called by the topology renderers and by the fabric rules.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from renderer.fabric.graph import Graph, graph
from renderer.fabric.naming import distinct
from renderer.model.fabric import Fabric
from renderer.model.nodes import Nodes
from renderer.notation.hostlist import natural


@dataclass(frozen=True, slots=True)
class Unit:
    """A logical leaf: hosts cabled to exactly `leaves`, and the spines above those. All sorted naturally."""

    name: str
    hosts: tuple[str, ...]
    leaves: tuple[str, ...]
    spines: tuple[str, ...]


def units(fabric: Fabric, nodes: Nodes) -> tuple[Unit, ...]:
    """Units in the natural order of their first host. A host without a cable belongs to none."""
    wiring = graph(fabric)
    together: dict[frozenset[str], list[str]] = defaultdict(list)
    for host in nodes.by_name:
        together[wiring.leaves_of.get(host, frozenset())].append(host)
    together.pop(frozenset(), None)
    groups = sorted((_sorted(hosts), _sorted(leaves)) for leaves, hosts in together.items())
    groups.sort(key=lambda group: natural(group[0][0]))
    names = distinct(groups, taken=_upper_switches(wiring))
    return tuple(
        Unit(name, hosts, leaves, _spines(wiring, leaves))
        for name, (hosts, leaves) in zip(names, groups, strict=True)
    )


def _spines(wiring: Graph, leaves: Iterable[str]) -> tuple[str, ...]:
    return _sorted({spine for leaf in leaves for spine in wiring.above.get(leaf, ())})


def _upper_switches(wiring: Graph) -> frozenset[str]:
    return frozenset(name for name, tier in wiring.tier_of.items() if tier > 1)


def _sorted(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(names, key=natural))
