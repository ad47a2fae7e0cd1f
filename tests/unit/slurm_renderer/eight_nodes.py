"""Two units of four eight-GPU nodes under one spine, two tenants, three tiers: built by hand, every order open to be shuffled."""

from __future__ import annotations

from datetime import UTC, datetime

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
from renderer.model.partitions import Partition, Planes
from renderer.model.qos import Qos, QosTiers
from renderer.model.reservations import Reservation
from renderer.model.site import Site
from renderer.model.tenants import Grant, Members, Program, ProgramMembers, Quota, Tenant

NOW = datetime(2026, 12, 1, 8, tzinfo=UTC)
H200 = Gpu("h200", 8, "h200", "nvidia.com/gpu", file="/dev/nvidia[0-7]")


def site() -> Site:
    """The site as its author wrote it."""
    nodes = _nodes()
    return Site(
        cluster=_cluster(), nodes=nodes, fabric=_fabric(), slurm_d=_slurm_d(), tenants=_tenants(), members=_members(),
        qos=_tiers(), partitions=_partitions(tuple(nodes.by_name)), planes=_planes(), reservations=_reservations(),
        endpoints={}, images={}, approvers=Approvers("none", {}, {}), waivers=(), freezes=(), failures=None, rego={},
        digest="0" * 64,
    )  # fmt: skip


def _cluster() -> Cluster:
    slurm = SlurmSettings(
        cluster_name="polar",
        version="24.11",
        slurmctld=(ControlHost("ctl01", "10.0.0.1", 6817), ControlHost("ctl02")),
        slurmdbd=ControlHost("ctl01", port=6819),
        slurmd_port=6818,
        dirs=SlurmDirectories("/var/spool/slurmctld", "/var/spool/slurmd", "/var/log/slurm", "/run/slurm"),
        users=SlurmUsers("slurm", "root"),
        auth=SlurmAuth("munge", "/run/munge/munge.socket.2"),
        distribution="shared_dir",
        restart=SlurmRestart("manual", "manual"),
        account_root="polar",
        owns_qos=("high", "mid", "low"),
    )
    return Cluster(
        name="polar", jurisdiction="IS", zones=("north",), timezone="Atlantic/Reykjavik", charter="0.1", slurm=slurm,
        kubernetes=KubernetesSettings("1.37", "11111111-2222-4333-8444-555555555555"), power_budget_kw=None,
        manage=Manage(), data_classes={"open": ("north",)},
    )  # fmt: skip


def _nodes() -> Nodes:
    kind = NodeType("hgx", 192, 2, 48, 2, 2063000, 32768, (), (H200,), None)
    groups = tuple(
        NodeGroup(
            tuple(f"{unit}-n{number:02d}" for number in range(1, 5)),
            "hgx", "a01", "north", (unit, "h200"), 10, None, None, None,
        )
        for unit in ("su01", "su02")
    )  # fmt: skip
    by_name = {host: Node(host, kind, group) for group in groups for host in group.hosts}
    return Nodes({"hgx": kind}, groups, by_name)


def _fabric() -> Fabric:
    units, rails = ("su01", "su02"), (1, 2)
    leaves = tuple(SwitchGroup((f"{unit}-leaf-r{rail}",), 1, rail, None) for unit in units for rail in rails)
    cables = tuple(
        Link(tuple(f"{unit}-n{n:02d}" for n in range(1, 5)), True, (f"{unit}-leaf-r{rail}",), rail, 400, 1)
        for unit in units
        for rail in rails
    )
    uplinks = tuple(Link(group.names, False, ("spine1", "spine2"), None, 400, 2) for group in leaves)
    return Fabric(
        "infiniband", 2, 1, (*leaves, SwitchGroup(("spine1", "spine2"), 2, None, None)), cables + uplinks, ()
    )


def _slurm_d() -> dict[str, str]:
    return {
        "slurm.conf": "# ours\nProctrackType=proctrack/cgroup\nAuthInfo=cred_expire=10\nSchedulerParameters=bf_continue\n"
        "SchedulerParameters=bf_interval=30\n",
        "cgroup.conf": "ConstrainDevices=yes  # jobs see their own GPUs\n",
        "plugstack.conf": "optional /usr/lib/slurm/pyxis.so\n",
    }


def _tiers() -> QosTiers:
    def tier(name: str, priority: int, preempts: tuple[str, ...], limits: dict[str, str]) -> Qos:
        return Qos(name, priority, preempts, 0, 86400, limits, 1.0, ("DenyOnLimit",), priority * 100)

    high = tier("high", 3000, ("mid", "low"), {"max_tres_per_job": "gres/gpu=32"})
    mid = tier("mid", 2000, ("low",), {})
    low = tier("low", 1000, (), {"max_tres_per_user": "gres/gpu=16", "max_submit_jobs_per_user": "50"})
    return QosTiers(90, {item.name: item for item in (high, mid, low)})


def _partitions(hosts: tuple[str, ...]) -> dict[str, Partition]:
    def door(name: str, **given: object) -> Partition:
        common: dict[str, object] = {
            "hosts": hosts, "default": False, "max_time": 86400, "default_time": None, "allow_qos": (),
            "allow_tenants": (), "qos": None, "priority_tier": 1, "exclusive": False, "oversubscribe": "no",
            "min_nodes": None, "max_nodes": None, "def_mem_per_gpu_mb": None, "def_cpu_per_gpu": None,
            "tres_billing_weights": {}, "state": "up", "topology": None,
        }  # fmt: skip
        return Partition(name=name, **{**common, **given})  # type: ignore[arg-type]

    train = door(
        "train", default=True, default_time=3600, allow_qos=("mid", "high", "low"), def_mem_per_gpu_mb=240000,
        def_cpu_per_gpu=22, tres_billing_weights={"gres/gpu": "1.0"},
    )  # fmt: skip
    evaluate = door(
        "evaluate",
        hosts=("su01-n01",),
        max_time=None,
        allow_tenants=("weather",),
        exclusive=True,
        max_nodes=1,
    )
    return {"train": train, "evaluate": evaluate}


def _planes() -> Planes:
    return Planes(
        training=("su01-n01", "su01-n02", "su01-n03", "su02-n01", "su02-n02", "su02-n03"),
        inference=("su01-n04",),
        flexible=("su02-n04",),
        rules=None,
    )


def _program(tenant: str, name: str, qos: tuple[str, ...], training: dict[str, Grant]) -> Program:
    return Program(tenant, name, ("north",), 50, qos, qos[0], Quota(training, {}), None, ())


def _tenants() -> dict[str, Tenant]:
    def tenant(name: str, limit: int, *programs: Program) -> Tenant:
        quota = Quota({"h200": Grant(8, limit)}, {})
        return Tenant(
            name, "high", "open", ("north",), 20, quota, None, {item.name: item for item in programs}
        )

    weather = tenant("weather", 40, _program("weather", "nowcast", ("mid", "high"), {"h200": Grant(8, 32)}))
    health = tenant(
        "health", 24,
        _program("health", "screening", ("low", "mid"), {"any": Grant(0, 24)}),
        _program("health", "triage", ("low",), {}),
    )  # fmt: skip
    return {"weather": weather, "health": health}


def _members() -> dict[str, Members]:
    return {
        "weather": Members("weather", (), ("egill",), {"nowcast": ProgramMembers(("egill", "freyja"), ())}),
        "health": Members(
            "health",
            (),
            (),
            {"screening": ProgramMembers(("asta",), ()), "triage": ProgramMembers((), ("staff",))},
        ),
    }


def _reservations() -> dict[str, Reservation]:
    def held(name: str, start: datetime, end: datetime, **given: object) -> Reservation:
        common: dict[str, object] = {
            "programs": ("weather/nowcast",), "hosts": (), "nodes": None, "gpus": None, "recurrence": "none",
            "purpose": "dated", "contact": "ops@polar.example",
        }  # fmt: skip
        return Reservation(name=name, start=start, end=end, **{**common, **given})  # type: ignore[arg-type]

    day = datetime(2027, 1, 11, 9, tzinfo=UTC)
    return {
        "run": held("run", day, day.replace(day=16), gpus=20),
        "care": held(
            "care", datetime(2026, 11, 3, 5, tzinfo=UTC), datetime(2026, 11, 3, 7, tzinfo=UTC), programs=(),
            hosts=("su02-n02", "su02-n01"), recurrence="weekly", purpose="maintenance",
        ),
        "past": held("past", datetime(2026, 11, 1, tzinfo=UTC), datetime(2026, 11, 2, tzinfo=UTC), nodes=2),
    }  # fmt: skip
