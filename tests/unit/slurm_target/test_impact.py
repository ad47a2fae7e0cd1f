"""Whom a change hits that removes nothing."""

from __future__ import annotations

from typing import Any

import pytest

from reconciler.plan.action import Action, Change, Job
from reconciler.plan.guards import unconfirmed
from reconciler.targets.slurm.impact import impact
from reconciler.targets.slurm.jobs import Record
from renderer.resource import Key


def job(number: str, state: str = "PENDING", gpus: int = 8, account: str = "a-x", **more: Any) -> Record:
    fields: dict[str, Any] = {
        "qos": "low",
        "reservation": "",
        "partition": "train",
        "limit_seconds": 3600,
    } | more
    return Record(Job(number, "asta", account, gpus, state, 0), **fields)


def hit(kind: str, name: str, before: dict[str, str], after: dict[str, str], *jobs: Record) -> list[str]:
    change = Change(Key("slurm", kind, name), "update", before, after)
    return [found.id for found in impact(change, jobs, dict)]


def test_a_lower_limit_blocks_what_no_longer_fits_beside_what_runs() -> None:
    jobs = (job("1", "RUNNING", 16), job("2", gpus=8), job("3", gpus=32), job("4", gpus=8, account="b-x"))
    lower = ({"grp_tres": "gres/gpu=64"}, {"grp_tres": "gres/gpu=24"})
    assert hit("account", "a-x", *lower, *jobs) == ["3"]
    assert hit("account", "a", *lower, *jobs) == ["3"]
    assert hit("account", "a", {"grp_tres": ""}, {"grp_tres": "gres/gpu=0"}, *jobs) == ["2", "3"]
    assert hit("account", "a", {"grp_tres": "gres/gpu=8"}, {"grp_tres": "gres/gpu=24"}, *jobs) == []


def test_a_tier_no_longer_granted_blocks_what_waits_in_it() -> None:
    jobs = (job("1", "RUNNING"), job("2"), job("3", qos="high"))
    assert hit("account", "a-x", {"qos": "high,low"}, {"qos": "high"}, *jobs) == ["2"]


def test_a_tier_s_lower_limits() -> None:
    jobs = (
        job("1"),
        job("2", limit_seconds=7200),
        job("3", limit_seconds=None),
        job("4", qos="high", limit_seconds=7200),
    )
    assert hit("qos", "low", {"max_wall": ""}, {"max_wall": "3600"}, *jobs) == ["2", "3"]
    assert hit("qos", "low", {"max_tres_per_job": ""}, {"max_tres_per_job": "gres/gpu=4"}, *jobs) == [
        "1",
        "2",
        "3",
    ]
    assert hit("qos", "low", {"fairshare": "1"}, {"fairshare": "2"}, *jobs) == []


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("MaxTime=1-00:00:00", "MaxTime=00:30:00", ["1"]),
        ("MaxTime=1-00:00:00", "MaxTime=02:00:00", []),
        ("AllowQos=low", "AllowQos=high", ["1"]),
        ("AllowQos=low", "AllowQos=ALL", []),
        ("MaxTime=60", "MaxTime=60 AllowAccounts=b", ["1"]),
        ("MaxTime=60", "MaxTime=60 AllowAccounts=a-x,b", []),
    ],
)
def test_a_narrower_partition(before: str, after: str, found: list[str]) -> None:
    old, new = ({"content": f"PartitionName=train Nodes=n1 {text}\n"} for text in (before, after))
    assert hit("config", "slurm.conf", old, new, job("1"), job("2", partition="other")) == found


def test_a_partition_that_goes() -> None:
    lines = ({"content": "PartitionName=train Nodes=n1\n"}, {"content": "\n"})
    assert hit(
        "config", "slurm.conf", *lines, job("1"), job("2", partition="other,train"), job("3", partition="b")
    ) == ["1", "2"]


def test_jobs_on_a_node_that_leaves_end_and_need_a_confirmation() -> None:
    before, after = {"content": "NodeName=n[1-3] CPUs=1\n"}, {"content": "NodeName=n[1-2] CPUs=1\n"}
    change = Change(Key("slurm", "config", "slurm.conf"), "update", before, after)
    nodes = {"1": frozenset({"n1", "n3"}), "2": frozenset({"n2"})}
    found = impact(change, [job("1", "RUNNING"), job("2", "RUNNING"), job("3")], lambda: nodes)
    assert [(item.id, item.ends) for item in found] == [("1", True)]
    action = Action("slurm", change, "", "reconfigure", True, "nodes", found)
    (missing,) = unconfirmed([action], [], frozenset(), frozenset())
    assert "1 jobs would end with their nodes (1); drain the nodes first" in missing.sentence
    assert unconfirmed([action], [], frozenset(), frozenset({"nodes"})) == ()


def test_other_files_hit_nobody() -> None:
    assert hit("config", "gres.conf", {"content": "NodeName=n1\n"}, {"content": ""}, job("1")) == []
