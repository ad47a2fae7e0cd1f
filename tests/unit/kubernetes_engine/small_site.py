"""A small site: two GPU models, three planes, two tenants. Built by hand, so that these tests don't depend on loading."""

from __future__ import annotations

from collections.abc import Mapping

from renderer.model.cluster import (
    Cluster,
    ControlHost,
    KubernetesSettings,
    Manage,
    SlurmAuth,
    SlurmDirectories,
    SlurmRestart,
    SlurmSettings,
    SlurmUsers,
)
from renderer.model.fabric import Fabric, Link, SwitchGroup
from renderer.model.governance import Approvers
from renderer.model.nodes import Gpu, Node, NodeGroup, Nodes, NodeType
from renderer.model.partitions import Planes
from renderer.model.qos import QosTiers
from renderer.model.site import Site
from renderer.model.tenants import Grant, Program, Quota, Tenant

UID = "11111111-2222-4333-8444-555555555555"
Quotas = Mapping[str, Mapping[str, Grant]]
H200 = Gpu("h200", 8, "h200", "nvidia.com/gpu", file="/dev/nvidia[0-7]")
SLICE = Gpu("slice", 14, "slice", "nvidia.com/mig-3g.71gb", autodetect="nvml")
ONE_MODEL: Mapping[str, tuple[Gpu, ...]] = {"big": (H200,)}
TWO_MODELS: Mapping[str, tuple[Gpu, ...]] = {"big": (H200,), "cut": (SLICE,)}


def _program(tenant: str, name: str, inference: Mapping[str, Grant]) -> Program:
    return Program(tenant, name, ("north",), 1, ("standard",), "standard", Quota({}, inference), None, ())


def _tenants(quotas: Quotas) -> dict[str, Tenant]:
    found: dict[str, Tenant] = {}
    for reference, inference in quotas.items():
        tenant, _, name = reference.partition("/")
        program = _program(tenant, name, inference)
        before = found.get(tenant)
        programs = {**(before.programs if before else {}), name: program}
        found[tenant] = Tenant(tenant, "standard", "open", ("north",), 1, Quota({}, {}), None, programs)
    return found


def _nodes(gpus: Mapping[str, tuple[Gpu, ...]]) -> Nodes:
    types = {name: NodeType(name, 8, 1, 8, 1, 1000, None, (), have, None) for name, have in gpus.items()}
    groups = tuple(
        NodeGroup((f"{name}-n1", f"{name}-n2"), name, f"rack-{name}", "north", (), 1, None, None, None)
        for name in gpus
    )
    by_name = {host: Node(host, types[group.type], group) for group in groups for host in group.hosts}
    return Nodes(types, groups, by_name)


def _fabric(nodes: Nodes) -> Fabric:
    leaves = tuple(SwitchGroup((f"{name}-leaf-r1",), 1, 1, None) for name in nodes.types)
    links = tuple(Link(group.hosts, True, (f"{group.type}-leaf-r1",), 1, 400, 1) for group in nodes.groups)
    return Fabric("infiniband", 1, 1, leaves, links, ())


def _cluster(uid: str) -> Cluster:
    slurm = SlurmSettings(
        "polar", "24.11", (), ControlHost("ctl"), 6818, SlurmDirectories("/s", "/p", "/l", "/r"), SlurmUsers("slurm", "root"),
        SlurmAuth("munge"), "shared_dir", SlurmRestart("manual", "manual"), "polar", (),
    )  # fmt: skip
    return Cluster(
        "polar", "IS", ("north",), "UTC", "0.1", slurm, KubernetesSettings("1.37", uid), None, Manage(), {}
    )


def small_site(
    quotas: Quotas,
    gpus: Mapping[str, tuple[Gpu, ...]] = ONE_MODEL,
    planes: Planes | None = None,
    uid: str = UID,
) -> Site:
    """A site whose programmes hold the inference quotas given by `tenant/programme`; two hosts a type, all serving by default."""
    nodes = _nodes(gpus)
    serving = planes or Planes((), tuple(nodes.by_name), (), None)
    return Site(
        cluster=_cluster(uid), nodes=nodes, fabric=_fabric(nodes), slurm_d={}, tenants=_tenants(quotas), members={},
        qos=QosTiers(60, {}), partitions={}, planes=serving, reservations={}, endpoints={}, images={},
        approvers=Approvers("none", {}, {}), waivers=(), freezes=(), failures=None, rego={}, digest="0" * 64,
    )  # fmt: skip
