"""PartitionName lines. Membership is the door into Slurm: only hosts of the training plane are behind it at birth; those
of the other planes are opened and closed while the cluster runs.
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.errors import RenderError
from renderer.model.partitions import Partition
from renderer.model.site import Site
from renderer.notation.durations import slurm_time
from renderer.notation.hostlist import fold
from renderer.slurm.capability import Capability
from renderer.slurm.template import Options

_SHARING = {"no": "NO", "yes": "YES", "exclusive": "EXCLUSIVE", "force": "FORCE"}


def partition_lines(site: Site, able: Capability) -> tuple[tuple[str, Options], ...]:
    """(name, options) of each partition, by name. Raises RenderError for a topology the release can't give one partition."""
    for partition in site.partitions.values():
        if partition.topology is not None and not able.partition_topology:
            raise RenderError(
                f"partition {partition.name} names a topology, which Slurm {site.cluster.slurm.version} has for the "
                "whole cluster only; remove it or upgrade to 26.05"
            )
    return tuple((name, tuple(_options(site.partitions[name], site))) for name in sorted(site.partitions))


def _options(partition: Partition, site: Site) -> Iterator[tuple[str, str]]:
    training = set(site.planes.training)
    hosts = [host for host in partition.hosts if host in training]
    if hosts:
        yield "Nodes", fold(hosts)
    yield "Default", "YES" if partition.default else "NO"
    yield "MaxTime", slurm_time(partition.max_time)
    if partition.default_time is not None:
        yield "DefaultTime", slurm_time(partition.default_time)
    yield from _who(partition, site)
    yield from _how(partition)
    yield "State", partition.state.upper()


def _who(partition: Partition, site: Site) -> Iterator[tuple[str, str]]:
    if partition.allow_tenants:
        yield "AllowAccounts", ",".join(_accounts(partition.allow_tenants, site))
    if partition.allow_qos:
        yield "AllowQos", ",".join(sorted(partition.allow_qos))
    if partition.qos is not None:
        yield "QOS", partition.qos


def _how(partition: Partition) -> Iterator[tuple[str, str]]:
    yield "PriorityTier", str(partition.priority_tier)
    yield "OverSubscribe", _SHARING[partition.oversubscribe]
    if partition.exclusive:
        yield "ExclusiveUser", "YES"
    numbers = {
        "MinNodes": partition.min_nodes,
        "MaxNodes": partition.max_nodes,
        "DefMemPerGPU": partition.def_mem_per_gpu_mb,
        "DefCpuPerGPU": partition.def_cpu_per_gpu,
    }
    yield from ((key, str(number)) for key, number in numbers.items() if number is not None)
    if partition.tres_billing_weights:
        weights = sorted(partition.tres_billing_weights.items())
        yield "TRESBillingWeights", ",".join(f"{name}={weight}" for name, weight in weights)
    if partition.topology is not None:
        yield "Topology", partition.topology


def _accounts(tenants: tuple[str, ...], site: Site) -> tuple[str, ...]:
    """A tenant's own account and those of its programmes: Slurm does not take children along in every release."""
    programs = [program.account for program in site.programs() if program.tenant in tenants]
    return tuple(sorted((*tenants, *programs)))
