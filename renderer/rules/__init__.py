"""Structural truth: what cannot be otherwise in a site, one family of rules a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from renderer.problem import Finding
from renderer.rules import (
    capacity,
    cluster,
    failures,
    governance,
    guard,
    hosts,
    limits,
    names,
    partitions,
    qos,
    references,
    reservations,
    wiring,
)
from renderer.rules import slurm_d as raw
from renderer.rules.subject import Subject


@dataclass(frozen=True, slots=True)
class Family:
    """A family of rules, and the kinds of one file that it concludes from: it is silent while one of those is unread."""

    rule: Callable[[Subject], Iterator[Finding]]
    needs: tuple[str, ...]


ALL = (
    Family(cluster.cluster, ("cluster",)),
    Family(cluster.engines, ("cluster", "qos")),
    Family(names.collisions, ("cluster",)),
    Family(hosts.groups, ("cluster", "nodes")),
    Family(hosts.planes, ("nodes", "planes")),
    Family(wiring.wiring, ("nodes", "fabric")),
    Family(qos.tiers, ("qos",)),
    Family(partitions.partitions, ("nodes", "partitions", "qos")),
    Family(references.tenants, ("cluster", "qos", "nodes")),
    Family(references.members, ()),
    Family(limits.replaced, ("qos",)),
    Family(references.endpoints, ("nodes",)),
    Family(capacity.grants, ()),
    Family(reservations.each, ("cluster", "nodes", "qos")),
    Family(reservations.counted, ("nodes", "partitions", "planes")),
    Family(reservations.overlaps, ("cluster", "qos")),
    Family(guard.unbounded, ("cluster", "partitions")),
    Family(governance.approvers, ("approvers",)),
    Family(governance.freezes, ("freezes",)),
    Family(failures.failures, ("cluster", "nodes", "failures")),
    Family(raw.slurm_d, ("cluster",)),
)
