"""Partitions: known hosts, tiers and tenants; one default."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from renderer.model.partitions import Partition
from renderer.problem import Finding
from renderer.rules.hosts import unknown_hosts
from renderer.rules.subject import Subject

_RESERVED = frozenset({"default", "all"})


def partitions(subject: Subject) -> Iterator[Finding]:
    """Each on its own, then the default among them."""
    found = subject.site.partitions
    for partition in found.values():
        yield from _one(subject, partition)
    yield from _unlike_tiers(subject)
    defaults = [name for name, partition in found.items() if partition.default]
    if len(defaults) > 1:
        what = f"{' and '.join(defaults)} are both default"
        yield subject.fault(
            "partitions", "", (defaults[-1], "default"), "partition-default", what, "keep one default"
        )
    if found and not defaults:
        yield subject.fault(
            "partitions",
            "",
            (),
            "partition-default",
            "no partition is default",
            "mark one `default: true`",
            "warning",
        )


def _unlike_tiers(subject: Subject) -> Iterator[Finding]:
    """slurmctld looks at PriorityTier before any job's priority."""
    for one, other in combinations(subject.site.partitions.values(), 2):
        if one.priority_tier != other.priority_tier and not set(one.hosts).isdisjoint(other.hosts):
            first, last = sorted((one, other), key=lambda door: -door.priority_tier)
            what = f"jobs of {first.name} come before those of {last.name} on the hosts that both have, whatever their QOS"
            remedy = "give both one priority_tier, if tiers shall decide"
            keys = (first.name, "priority_tier")
            yield subject.fault("partitions", "", keys, "partition-tier", what, remedy, "warning")


def _one(subject: Subject, partition: Partition) -> Iterator[Finding]:
    name, site = partition.name, subject.site
    if name in _RESERVED:
        yield subject.fault(
            "partitions",
            "",
            (name,),
            "name-taken",
            f"{name} means something else to Slurm",
            "choose another name",
        )
    if not partition.hosts:
        yield subject.fault(
            "partitions",
            "",
            (name,),
            "partition-empty",
            f"{name} has no hosts",
            "name hosts or features that some have",
        )
    yield from unknown_hosts(subject, "partitions", (name, "hosts"), partition.hosts)
    for index, qos in enumerate(partition.allow_qos):
        if qos not in site.qos.tiers:
            yield subject.unknown("partitions", "", (name, "allow_qos", index), "QOS", qos, site.qos.tiers)
    if partition.qos is not None and partition.qos not in site.qos.tiers:
        yield subject.unknown("partitions", "", (name, "qos"), "QOS", partition.qos, site.qos.tiers)
    for index, tenant in enumerate(partition.allow_tenants):
        if tenant not in site.tenants and subject.is_read("tenants", tenant):
            yield subject.unknown(
                "partitions", "", (name, "allow_tenants", index), "tenant", tenant, site.tenants
            )
    if partition.max_time is not None and (partition.default_time or 0) > partition.max_time:
        yield subject.fault(
            "partitions",
            "",
            (name, "default_time"),
            "partition-time",
            "default_time is longer than max_time",
            "shorten it",
        )
    if partition.min_nodes and partition.max_nodes and partition.min_nodes > partition.max_nodes:
        yield subject.fault(
            "partitions",
            "",
            (name, "min_nodes"),
            "partition-nodes",
            "min_nodes is more than max_nodes",
            "lower it",
        )
