"""topology.conf: the tree by declared wiring. A unit of hosts that share all their leaves is one leaf of it, spines lie
above. Link state has no place here: a degraded host stays in its unit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from renderer.fabric.collapse import units
from renderer.fabric.levels import levels
from renderer.model.site import Site
from renderer.notation.hostlist import fold, natural
from renderer.slurm.template import Options, fill

_UNCABLED = "uncabled"
_TOP = "cluster"


def topology_conf(site: Site) -> tuple[str, tuple[str, ...]]:
    """(text, remarks). Every host is in one leaf and every switch below one root, or slurmctld would place jobs it can't judge."""
    found = units(site.fabric, site.nodes)
    leaves = {unit.name: unit.hosts for unit in found}
    tiers = levels(site.fabric, found)
    inner = {group.name: group.children for tier in tiers for group in tier}
    remarks: list[str] = []
    cabled = {host for unit in found for host in unit.hosts}
    loose = [host for host in site.nodes.by_name if host not in cabled]
    if loose:
        name = _free(_UNCABLED, {*leaves, *inner})
        leaves[name] = tuple(loose)
        remarks.append(f"{fold(loose)}: no cable is declared; Slurm sees them as one leaf named {name}")
    roots = _roots(leaves, inner)
    if len(roots) > 1:
        top = _free(_TOP, {*leaves, *inner})
        inner[top] = roots
        remarks.append(f"the fabric has no common top; Slurm sees {fold(roots)} under a switch named {top}")
    return fill("topology.conf", switches=_lines(leaves, inner)), tuple(remarks)


def _lines(leaves: dict[str, tuple[str, ...]], inner: dict[str, tuple[str, ...]]) -> list[Options]:
    lines: list[Options] = [
        (("SwitchName", name), ("Nodes", fold(leaves[name]))) for name in sorted(leaves, key=natural)
    ]
    return lines + [(("SwitchName", name), ("Switches", fold(below))) for name, below in inner.items()]


def _roots(leaves: Iterable[str], inner: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    children = {child for family in inner.values() for child in family}
    return tuple(sorted((name for name in (*leaves, *inner) if name not in children), key=natural))


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "-x"
    return name
