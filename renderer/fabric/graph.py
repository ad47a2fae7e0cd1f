"""Cables as neighbour sets: what a host or switch is plugged into one tier up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from renderer.model.fabric import Fabric


@dataclass(frozen=True, slots=True)
class Graph:
    """`leaves_of` maps a host to its leaves, `above` a switch to the switches of a higher tier that it is cabled to."""

    leaves_of: Mapping[str, frozenset[str]]
    above: Mapping[str, frozenset[str]]
    tier_of: Mapping[str, int]


def graph(fabric: Fabric) -> Graph:
    """Neighbours of every host and switch. Ends that name no declared switch are left out: the rules report them."""
    tiers = {name: group.tier for group in fabric.switches for name in group.names}
    hosts: dict[str, set[str]] = defaultdict(set)
    above: dict[str, set[str]] = defaultdict(set)
    for link in fabric.links:
        known = [name for name in link.to if name in tiers]
        for end in link.ends:
            if link.ends_are_hosts:
                hosts[end].update(known)
            elif end in tiers:
                above[end].update(known)
    upward = {
        name: frozenset(top for top in tops if tiers[top] > tiers[name]) for name, tops in above.items()
    }
    return Graph({host: frozenset(leaves) for host, leaves in hosts.items()}, upward, tiers)
