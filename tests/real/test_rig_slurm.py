"""The Slurm rig does what tests on it rely on, and leaves nothing behind."""

from __future__ import annotations

import pwd
import subprocess
import time
from collections.abc import Callable

import pytest

from tests.engines.errors import EngineError
from tests.engines.ports import is_free
from tests.engines.scratch import marked
from tests.engines.slurm import SlurmRig
from tests.engines.slurm_conf import SlurmLayout, bootstrap_conf

pytestmark = pytest.mark.real
USER = "charter-rig-ada"


@pytest.fixture(scope="module")
def account(slurm_rig8: SlurmRig) -> str:
    """An account with one member, whom the operating system knows too."""
    slurm_rig8.add_os_users([USER])
    slurm_rig8.run("sacctmgr", "-i", "add", "account", "science")
    slurm_rig8.run("sacctmgr", "-i", "add", "user", USER, "account=science")
    return "science"


def test_every_node_is_idle_and_knows_its_gpus(slurm_rig8: SlurmRig) -> None:
    slurm_rig8.wait_nodes_idle()
    assert slurm_rig8.node_states() == {f"n{number}": "IDLE" for number in range(1, 9)}
    assert "Gres=gpu:h200:8" in slurm_rig8.run("scontrol", "show", "node", "n8").stdout


def test_topology_is_two_leaves_under_a_spine(slurm_rig8: SlurmRig) -> None:
    topology = slurm_rig8.run("scontrol", "show", "topology").stdout
    assert "SwitchName=leaf2 Level=0 LinkSpeed=1 Nodes=n5,n6,n7,n8" in topology
    assert "SwitchName=spine Level=1 LinkSpeed=1 Nodes=n[1-8]" in topology


def test_a_gpu_job_runs_as_its_user_under_its_account(slurm_rig8: SlurmRig, account: str) -> None:
    script = "id -un; echo gpus=$CUDA_VISIBLE_DEVICES; srun sh -c 'echo step on $SLURMD_NODENAME'"
    job = slurm_rig8.submit(script, user=USER, account=account, nodes=2, gpus_per_node=2)
    assert slurm_rig8.wait_job(job, "COMPLETED") == "COMPLETED"
    lines = slurm_rig8.job_output(job).splitlines()
    assert lines[:2] == [USER, "gpus=0,1"]
    assert len({line for line in lines if line.startswith("step on ")}) == 2
    assert slurm_rig8.job(job)["Account"] == account


def test_a_job_under_an_unknown_account_is_refused(slurm_rig8: SlurmRig, account: str) -> None:
    with pytest.raises(EngineError, match="Invalid account"):
        slurm_rig8.submit("true", user=USER, account="nobodys")


def test_a_restarted_controller_is_registered_and_a_job_lives_on(slurm_rig8: SlurmRig, account: str) -> None:
    job = slurm_rig8.submit("sleep 60", user=USER, account=account, gpus_per_node=1)
    slurm_rig8.wait_job(job, "RUNNING")
    slurm_rig8.restart_slurmctld()
    slurm_rig8.restart_slurmds()
    assert slurm_rig8.wait_job(job, "RUNNING") == "RUNNING"
    assert slurm_rig8.controlport() == slurm_rig8.layout.slurmctld_port
    slurm_rig8.run("scancel", str(job))
    slurm_rig8.wait_job(job, "CANCELLED")
    slurm_rig8.wait_nodes_idle()


def test_a_switched_configuration_is_in_force_after_the_restart_script(slurm_rig8: SlurmRig) -> None:
    second = slurm_rig8.scratch.folder("etc", "second")
    for name, text in bootstrap_conf(slurm_rig8.layout, "PriorityWeightQOS=4321\n").items():
        (second / name).write_text(text)
    fresh = slurm_rig8.conf_root / "next"
    fresh.symlink_to(second)
    fresh.replace(slurm_rig8.conf_dir)
    subprocess.run(
        [slurm_rig8.restart_script], check=True, timeout=60
    )  # as Charter runs it: with its own environment
    assert "PriorityWeightQOS       = 4321" in slurm_rig8.run("scontrol", "show", "config").stdout


def test_stopping_leaves_no_process_port_user_or_folder() -> None:
    name = "charter-rig-bo"
    with SlurmRig(["n1", "n2"]) as rig:
        rig.add_os_users([name])
        rig.run("sacctmgr", "-i", "add", "account", "science")
        rig.run("sacctmgr", "-i", "add", "user", name, "account=science")
        job = rig.submit("srun sh -c 'echo on; sleep 300'", user=name, account="science", nodes=2)
        rig.wait_output(job, "on\non\n")
        root, layout = rig.scratch.path, rig.layout
        assert len(marked(root)) > 8
        assert not is_free(layout.slurmctld_port)
    assert marked(root) == ()
    assert not root.exists()
    assert all(is_free(port) for port in (layout.slurmctld_port, layout.slurmdbd_port, *layout.slurmd_ports))
    with pytest.raises(KeyError):
        pwd.getpwnam(name)


def test_a_start_that_fails_says_why_and_leaves_nothing(slurm_rigs: Callable[..., SlurmRig]) -> None:
    layouts: list[SlurmLayout] = []

    def broken(layout: SlurmLayout) -> dict[str, str]:
        layouts.append(layout)
        return bootstrap_conf(layout, "NoSuchKey=1\n")

    with pytest.raises(EngineError, match="NoSuchKey"):
        slurm_rigs(["n1"], configure=broken)
    assert marked(layouts[0].state.parent) == ()
    assert not layouts[0].state.parent.exists()


def test_sixty_four_nodes_are_up_within_seconds(slurm_rigs: Callable[..., SlurmRig]) -> None:
    begun = time.monotonic()
    rig = slurm_rigs([f"node{number:02d}" for number in range(64)])
    assert len(rig.node_states()) == 64
    assert time.monotonic() - begun < 60, "measured: 3 s on two idle cores"
