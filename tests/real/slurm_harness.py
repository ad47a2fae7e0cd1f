"""A Slurm rig of eight nodes under the target alone: observe, diff, check, apply and observe again, as the loop does it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import pytest

from reconciler.plan.action import Action
from reconciler.plan.build import Before, Sight, actions_of
from reconciler.plan.phases import PHASES, of_phase
from reconciler.system.clock import SystemClock
from reconciler.system.configuration import SlurmTarget as Settings
from reconciler.system.lock import Deadline
from reconciler.targets.contract import Applied, Mark, Observation
from reconciler.targets.slurm import SlurmTarget
from renderer.model.cluster import (
    ControlHost,
    Manage,
    ManageLevel,
    SlurmAuth,
    SlurmDirectories,
    SlurmRestart,
    SlurmUsers,
)
from renderer.model.nodes import Node, NodeGroup, Nodes
from renderer.model.reservations import Reservation
from renderer.model.site import Site
from renderer.resource import Key
from renderer.slurm import render
from tests.engines.slurm import SlurmRig
from tests.engines.slurm_conf import SlurmLayout
from tests.unit.slurm_renderer.eight_nodes import site as eight_nodes

HOSTS = tuple(f"{unit}-n{number:02d}" for unit in ("su01", "su02") for number in range(1, 5))
RELEASES = (None, "24.11", "26.05")
USERS = ("asta", "egill", "freyja")
ENFORCED: ManageLevel = "enforce"
MANAGE = Manage(*([ENFORCED] * 7))
SLURM_D = """\
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
SlurmdParameters=config_overrides
SchedulerParameters=bf_interval=2,sched_interval=2,bf_continue
AuthInfo=cred_expire=5
SlurmdTimeout=60
MailProg=/bin/true
"""


def rig_site(layout: SlurmLayout) -> Site:
    """The eight-node site with the rig's ports, folders and devices."""
    given = eight_nodes()
    slurm = replace(
        given.cluster.slurm,
        cluster_name=layout.cluster,
        version=layout.release,
        slurmctld=(ControlHost("localhost", port=layout.slurmctld_port),),
        slurmdbd=ControlHost("localhost", port=layout.slurmdbd_port),
        slurmd_port=layout.slurmd_ports[0],
        dirs=SlurmDirectories(*(str(path) for path in (layout.state, layout.spool, layout.log, layout.run))),
        users=SlurmUsers("root", "root"),
        auth=SlurmAuth("munge", str(layout.munge_socket)),
        restart=SlurmRestart("managed", "managed"),
    )
    return replace(
        given,
        cluster=replace(given.cluster, slurm=slurm, manage=MANAGE, timezone="UTC"),
        nodes=_nodes(given.nodes, layout),
        slurm_d={"slurm.conf": SLURM_D, "cgroup.conf": layout.cgroup_conf},
        reservations=_reservations(),
    )


def _nodes(nodes: Nodes, layout: SlurmLayout) -> Nodes:
    kind = nodes.types["hgx"]
    kind = replace(kind, mem_spec_limit_mb=None, gpus=(replace(kind.gpus[0], file=layout.gpu_files),))
    groups: list[NodeGroup] = []
    for group in nodes.groups:
        first = layout.slurmd_ports[layout.nodes.index(group.hosts[0])]
        ports = f"[{first}-{first + len(group.hosts) - 1}]"
        groups.append(replace(group, address="127.0.0.1", hostname="localhost", port=ports))
    by_name = {host: Node(host, kind, group) for group in groups for host in group.hosts}
    return Nodes({"hgx": kind}, tuple(groups), by_name)


def _reservations() -> dict[str, Reservation]:
    day = datetime.now(UTC).replace(hour=9, minute=0, second=0, microsecond=0) + timedelta(days=30)
    run = Reservation(
        "run",
        ("weather/nowcast",),
        day,
        day + timedelta(days=5),
        (),
        None,
        16,
        "none",
        "dated",
        "ops@polar.example",
    )
    past = day - timedelta(days=37)
    care = Reservation(
        "care", (), past, past + timedelta(hours=2), ("su02-n01", "su02-n02"), None, None, "weekly", "maintenance", "ops@polar.example",
    )  # fmt: skip
    return {"run": run, "care": care}


@dataclass
class Loop:
    """What a loop remembers between runs, without git, gate or audit."""

    rig: SlurmRig
    target: SlurmTarget
    owned: frozenset[Key] = frozenset()
    sequence: int = 0
    last: Mapping[Key, str] = field(default_factory=dict)

    def plan(self, site: Site) -> tuple[tuple[Action, ...], Observation]:
        """(actions that would bring the live cluster to the site, what was observed)."""
        desired = render(site, datetime.now(UTC))[0]
        self.target.identify(site)
        seen = self.target.observe(site, desired, self.owned)
        sight = Sight(
            "slurm",
            desired,
            seen.resources,
            seen.foreign,
            lambda change: self.target.restart_class(change, site),
            self.target.jobs,
            datetime.now(UTC),
        )
        return actions_of(sight, Before(self.owned, self.last), site.cluster.manage)[0], seen

    def apply(self, site: Site, *confirmed: str) -> tuple[Applied, ...]:
        """Check and apply all phases; own what was desired, and what is still pending removal."""
        desired = render(site, datetime.now(UTC))[0]
        actions, _ = self.plan(site)
        self.target.check(site, actions, desired)
        clock = SystemClock()
        fence = Deadline(clock, clock.monotonic() + 120)
        self.sequence += 1
        self.target.stamp(Mark(self.sequence, None))
        done: list[Applied] = []
        for phase in PHASES:
            chosen = of_phase(actions, phase)
            if chosen:
                done += self.target.apply(site, phase, chosen, desired, frozenset(confirmed), fence)
        pending = {item.action.change.key for item in done if item.pending}
        self.owned = frozenset({item.key for item in desired} | pending)
        return tuple(done)


@contextmanager
def cluster(release: str | None = None) -> Iterator[SlurmRig]:
    """Eight nodes of a release, whose own clients are what Charter finds on PATH."""
    with SlurmRig(HOSTS, cluster="polar", release=release) as rig, pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", rig.env["PATH"])
        rig.add_os_users((*USERS, "outsider"))
        yield rig


def loop_on(rig: SlurmRig) -> Loop:
    """A loop whose restart commands are the rig's own."""
    settings = Settings(rig.conf_dir, (str(rig.restart_script),), (str(rig.restart_slurmd_script),), 60)
    return Loop(rig, SlurmTarget(settings))


@contextmanager
def holding(site_of: Callable[[SlurmRig], Site], release: str | None = None) -> Iterator[SlurmRig]:
    """Eight idle nodes of a release, to which a site has been applied."""
    with cluster(release) as rig:
        loop_on(rig).apply(site_of(rig))
        rig.wait_nodes_idle()
        yield rig
