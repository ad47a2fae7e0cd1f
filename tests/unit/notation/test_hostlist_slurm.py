"""Slurm itself asked: what it makes of a list is what we make of it. scontrol needs a slurm.conf for this, but no daemon."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from renderer.notation.hostlist import expand, fold

pytestmark = pytest.mark.real
CONF = (
    "ClusterName=words\nSlurmctldHost=localhost\nAuthType=auth/none\nNodeName=n1\nPartitionName=p Nodes=n1\n"
)

Ask = Callable[[str, str], list[str]]


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    """(hostnames or hostlist, text) to the lines that scontrol answers."""
    conf = tmp_path / "slurm.conf"
    conf.write_text(CONF)

    def run(verb: str, text: str) -> list[str]:
        command = ["scontrol", "show", verb, text]
        environment = os.environ | {"SLURM_CONF": str(conf)}
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=30, env=environment, check=False
        )
        assert not done.returncode, done.stderr
        return done.stdout.splitlines()

    return run


@pytest.mark.parametrize(
    "text",
    [
        "n[1-3]",
        "n[001-003,7]",
        "n[09-10,9]",
        "n[01-100]",
        "n[1-08]",
        "n[3,1-2]",
        "r[1-2]n[1-2]",
        "r[1,01]n[1-2]",
        "r[09-10]n[08-11]",
        "n[1-2][3-4]",
        "su01-n[01-32],login,b04-[09-10]",
        "10.0.0.[1-3]",
        "n123456789012345678",
        "n[999999999999999998-999999999999999999]",
    ],
)
def test_slurm_expands_to_the_same_names(ask: Ask, text: str) -> None:
    assert list(expand(text)) == ask("hostnames", text)


@pytest.mark.parametrize(
    "names",
    [
        ["n1"],
        ["n2", "n00", "n01"],
        ["n01", "n1", "n10", "n9", "n09"],
        ["n098", "n099", "n100"],
        ["r1n1", "r1n2", "r2n1", "r2n2"],
        ["10.1.1.1", "10.1.1.2"],
        ["login", "b04-09", "b04-10"],
        [f"su{unit:02d}-n{node:02d}" for unit in range(1, 5) for node in range(1, 33)],
    ],
    ids=lambda names: ",".join(names)[:40],
)
def test_slurm_reads_a_fold_back(ask: Ask, names: list[str]) -> None:
    read = ask("hostnames", fold(names))
    assert sorted(read) == sorted(names)
    assert len(read) == len(set(read))


@pytest.mark.parametrize(
    "names",
    [["n9", "n10"], ["n1", "n2", "n4"], ["n08", "n09", "n10"], ["r1n1", "r1n2", "r2n1"]],
    ids=",".join,
)
def test_slurm_folds_to_the_same_text(ask: Ask, names: list[str]) -> None:
    assert ask("hostlistsorted", ",".join(names)) == [fold(names)]


def test_a_longer_number_is_another_host_to_slurm(ask: Ask) -> None:
    """The reason for which such names are refused."""
    assert ask("hostnames", "n" + "9" * 20) == ["n18446744073709551615"]
