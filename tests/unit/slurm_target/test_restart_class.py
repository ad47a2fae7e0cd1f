"""What a changed line costs, by release: a table, because each row was measured on live daemons."""

from __future__ import annotations

import pytest

from reconciler.targets.slurm.restart import heaviest, restart_class

NODES = "NodeName=n[1-2] CPUs=4 Gres=gpu:h200:8 Weight=1 State=UNKNOWN\n"


@pytest.mark.parametrize(
    ("before", "after", "version", "expected"),
    [
        ("KillWait=30\n", "KillWait=30\n", "22.05", "none"),
        ("KillWait=30\n", "KillWait=60\n", "22.05", "reconfigure"),
        ("# a\nKillWait=30\n", "# b\nKillWait=30\n", "22.05", "reconfigure"),
        ("SelectType=select/cons_tres\n", "SelectType=select/linear\n", "22.05", "restart slurmctld"),
        ("GresTypes=gpu\n", "GresTypes=gpu,shard\n", "22.05", "restart slurmctld"),
        ("", "JobCompType=jobcomp/filetxt\n", "22.05", "restart slurmctld"),
        ("", "MaxNodeCount=50\n", "22.05", "restart slurmctld"),
        ("", "HashPlugin=hash/sha3\n", "24.11", "restart slurmd"),
        ("TaskPlugin=task/none\n", "TaskPlugin=task/cgroup\n", "22.05", "restart slurmd"),
        ("", "AuthInfo=socket=/x\n", "22.05", "restart slurmd"),
        (NODES, NODES.replace("Weight=1", "Weight=2 Features=a"), "22.05", "reconfigure"),
        (NODES, NODES.replace("CPUs=4", "CPUs=8"), "22.05", "restart slurmd"),
        (NODES, NODES.replace("n[1-2]", "n[1-3]"), "22.05", "restart slurmd"),
        (NODES, NODES.replace("n[1-2]", "n[1-3]"), "24.11", "reconfigure"),
        (NODES, NODES.replace("n[1-2]", "n1") + NODES.replace("n[1-2]", "n2"), "22.05", "reconfigure"),
        (NODES, "KillWait=1\n" + NODES.replace("n[1-2]", "n1"), "22.05", "restart slurmd"),
    ],
)
def test_slurm_conf(before: str, after: str, version: str, expected: str) -> None:
    assert restart_class("slurm.conf", before, after, version) == expected


@pytest.mark.parametrize(
    ("file", "expected"),
    [("topology.conf", "reconfigure"), ("gres.conf", "restart slurmd"), ("cgroup.conf", "restart slurmd")],
)
def test_other_files(file: str, expected: str) -> None:
    assert restart_class(file, "A=1\n", "A=2\n", "22.05") == expected


def test_a_comment_alone_restarts_nobody() -> None:
    assert restart_class("gres.conf", "A=1\n", "# why\nA=1\n", "22.05") == "reconfigure"


def test_heaviest() -> None:
    assert heaviest(()) == "none"
    assert heaviest(("reconfigure", "restart slurmd", "restart slurmctld")) == "restart slurmd"
