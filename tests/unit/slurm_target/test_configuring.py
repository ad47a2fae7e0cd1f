"""Putting a configuration in force: what is run, what is waited for, and the way back. The commands are `true` and `false`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from reconciler.errors import Terminal
from reconciler.plan.action import Action, Change, RestartClass
from reconciler.system.configuration import SlurmTarget as Settings
from reconciler.targets.slurm.configuration import Configuring
from reconciler.targets.slurm.generation import Generations
from renderer.model.cluster import SlurmRestart
from renderer.model.site import Site
from renderer.resource import Key, Resource
from tests.unit.slurm_renderer.eight_nodes import site as eight_nodes
from tests.unit.slurm_target.fake_slurm import FakeClient, OpenFence

KEY = Key("slurm", "config", "slurm.conf")
CONFIG = "scontrol show config"
NODES = "scontrol -o show nodes"
LONG_AGO = "BOOT_TIME = 2020-01-01T00:00:00\n"
IN_FUTURE = "BOOT_TIME = 2999-01-01T00:00:00\n"


class Bench:
    """A configuration folder, a client without a cluster, and what configures both."""

    def __init__(self, folder: Path, slurmctld: tuple[str, ...], slurmd: tuple[str, ...]) -> None:
        first = folder / "generations" / "0"
        first.mkdir(parents=True)
        (first / "slurm.conf").write_text("old\n")
        link = folder / "slurm"
        link.symlink_to(first)
        self.client = FakeClient({CONFIG: LONG_AGO, NODES: ""})
        self.generations = Generations(link)
        self.configuring = Configuring(Settings(link, slurmctld, slurmd, 1), self.generations, self.client)

    def switch(self, content: str, need: RestartClass, site: Site) -> str:
        """Put slurm.conf in force, and say what is pending."""
        change = Change(KEY, "update", {}, {"content": content})
        action = Action("slurm", change, "declared otherwise", need, True)
        return self.configuring.switch([action], need, site, OpenFence())[0].pending

    def observed(self) -> str:
        """slurm.conf as the target sees it."""
        found = self.configuring.observe([Resource(KEY, {"content": ""})], frozenset())
        return str(next(iter(found)).fields["content"])

    def ran(self) -> list[str]:
        """Commands, generations left out."""
        return [
            argv[0] if argv[0] != "scontrol" else argv[1]
            for argv in self.client.writes
            if argv[0] != "switch"
        ]


def site(by: Literal["managed", "manual"] = "managed") -> Site:
    given = eight_nodes()
    slurm = replace(given.cluster.slurm, restart=SlurmRestart(by, by))
    return replace(given, cluster=replace(given.cluster, slurm=slurm))


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path, ("true",), ("env",))


def test_reconfigure_restarts_nobody(bench: Bench) -> None:
    assert bench.switch("new\n", "reconfigure", site()) == ""
    assert bench.ran() == ["reconfigure"]
    assert bench.observed() == "new\n"


def test_controller_restarted_then_nodes_told_to_read(bench: Bench) -> None:
    assert bench.switch("new\n", "restart slurmctld", site()) == ""
    assert bench.ran() == ["true", "reconfigure"]


def test_both_daemons_restarted_controller_first(bench: Bench) -> None:
    assert bench.switch("new\n", "restart slurmd", site()) == ""
    assert bench.ran() == ["true", "env"]


def test_restart_by_hand_is_pending_and_seen_until_the_controller_is_younger(bench: Bench) -> None:
    assert (
        bench.switch("new\n", "restart slurmctld", site("manual"))
        == "waiting for operator: restart slurmctld"
    )
    assert bench.ran() == []
    assert bench.observed() != "new\n"
    bench.client.answers[CONFIG] = IN_FUTURE
    assert bench.observed() == "new\n"


def test_slurmd_is_waited_for_on_every_node_that_is_up(bench: Bench) -> None:
    bench.switch("new\n", "restart slurmd", site("manual"))
    bench.client.answers |= {
        CONFIG: IN_FUTURE,
        NODES: "NodeName=a State=IDLE SlurmdStartTime=2020-01-01T00:00:00\n",
    }
    assert bench.observed() != "new\n"
    bench.client.answers[NODES] = "NodeName=a State=IDLE SlurmdStartTime=None\n"
    assert bench.observed() != "new\n"
    bench.client.answers[NODES] = (
        "NodeName=a State=DOWN* SlurmdStartTime=None\nNodeName=b State=IDLE SlurmdStartTime=2999-01-01T00:00:00\n"
    )
    assert bench.observed() == "new\n"


def test_no_reconfigure_while_a_restart_is_due(bench: Bench) -> None:
    bench.switch("new\n", "restart slurmctld", site("manual"))
    assert bench.switch("newer\n", "reconfigure", site("manual")).startswith("waiting for operator")
    assert bench.ran() == []


def test_waiting_writes_no_generation_again(bench: Bench) -> None:
    bench.switch("new\n", "restart slurmctld", site("manual"))
    before = list(bench.client.writes)
    bench.switch("new\n", "reconfigure", site("manual"))
    assert bench.client.writes == before


def test_failed_restart_goes_back(tmp_path: Path) -> None:
    bench = Bench(tmp_path, ("false",), ())
    before = bench.generations.current
    with pytest.raises(Terminal, match="neither the new configuration nor"):
        bench.switch("new\n", "restart slurmctld", site())
    assert bench.generations.current == before


def test_controller_that_dies_of_a_reconfigure_is_started_on_the_old_configuration(bench: Bench) -> None:
    before = bench.generations.current
    bench.client.answers[CONFIG] = None
    with pytest.raises(Terminal, match="look at slurmctld's log"):
        bench.switch("new\n", "reconfigure", site())
    assert bench.ran() == ["reconfigure", "true"]
    assert bench.generations.current == before
