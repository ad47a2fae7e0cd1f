"""Any site after any other: what is live is the second exactly, and the same as if it had been the first."""

from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from renderer.rules.qos import NOBODY
from tests.counts import count
from tests.engines.slurm import SlurmRig
from tests.real.random_sites import random_site
from tests.real.slurm_harness import Loop, cluster, loop_on, rig_site

pytestmark = pytest.mark.real
PAIRS = count(20, 200)
_SHOWN = {
    "assoc": "Account,User,ParentName,Share,GrpTRES,GrpJobs,GrpSubmit,MaxTRES,MaxJobs,MaxSubmit,MaxWall,DefaultQOS,QOS",
    "qos": "Name,Priority,Preempt,PreemptMode,PreemptExemptTime,GraceTime,GrpTRES,MaxTRES,MaxTRESPU,MaxTRESPA,MaxJobsPU,"
    "MaxSubmitPU,MaxWall,UsageFactor,Flags",
    "account": "Account,Description,Organization,Coordinators",
    "user": "User,AdminLevel",
}
_OF_RESERVATION = ("ReservationName", "StartTime", "EndTime", "Flags", "Accounts", "Users", "PartitionName")


@pytest.fixture(scope="module")
def rigs() -> Iterator[tuple[SlurmRig, SlurmRig]]:
    """One that goes from site to site, and one that is emptied before each."""
    with ExitStack() as stack:
        first, second = (stack.enter_context(cluster()) for _ in range(2))
        yield first, second


def emptied(rig: SlurmRig) -> Loop:
    """Nothing in slurmdbd but what was born there, no reservation; a loop that remembers nothing."""
    for line in rig.run("scontrol", "-o", "show", "reservation").stdout.splitlines():
        if line.startswith("ReservationName="):
            rig.run("scontrol", "delete", line.split()[0])
    for entity, field, kept in (
        ("user", "User", "root"),
        ("account", "Account", "root"),
        ("qos", "Name", "normal"),
    ):
        names = rig.run("sacctmgr", "-nP", "show", entity, f"format={field}").stdout.split()
        gone = ",".join(sorted(set(names) - {kept}))
        if gone:
            rig.run("sacctmgr", "-i", "delete", entity, f"name={gone}")
    return loop_on(rig)


def shown(rig: SlurmRig) -> dict[str, list[str]]:
    """Everything that Charter keeps in slurmdbd and slurmctld, in the engine's own words, without what it chooses itself."""
    found = {}
    for entity, fields in _SHOWN.items():
        extra = ["withcoord"] if entity == "account" else []
        found[entity] = sorted(
            rig.run("sacctmgr", "-nP", "show", entity, *extra, f"format={fields}").stdout.splitlines()
        )
    found["qos"] = [row.replace(f"|{NOBODY}|", "||") for row in found["qos"] if not row.startswith(NOBODY)]
    partitions = rig.run("scontrol", "-o", "show", "partition").stdout.splitlines()
    records = rig.run("scontrol", "-o", "show", "reservation").stdout.splitlines()
    return found | {"partition": sorted(partitions), "reservation": sorted(map(_reservation, records))}


def _reservation(line: str) -> str:
    words = dict(word.partition("=")[::2] for word in line.split())
    named = ("Nodes",) if "SPEC_NODES" in words.get("Flags", "") else ("NodeCnt",)
    return " ".join(f"{name}={words.get(name)}" for name in (*_OF_RESERVATION, *named))


def applied(loop: Loop, seed: int) -> dict[str, list[str]]:
    """The site of a seed, applied and observed."""
    site = random_site(rig_site(loop.rig.layout), random.Random(seed))
    waits = [item for item in loop.apply(site) if item.pending]
    assert waits == [], f"seed {seed}"
    assert [action.change for action in loop.plan(site)[0]] == [], f"seed {seed}"
    return shown(loop.rig)


def from_empty(rig: SlurmRig, seed: int) -> dict[str, list[str]]:
    return applied(emptied(rig), seed)


def test_observed_is_desired_after_any_site_and_the_same_as_from_empty(
    rigs: tuple[SlurmRig, SlurmRig],
) -> None:
    going = loop_on(rigs[0])
    applied(going, 0)
    with ThreadPoolExecutor(2) as pool:
        for seed in range(1, PAIRS + 1):
            after_another = pool.submit(applied, going, seed)
            alone = pool.submit(from_empty, rigs[1], seed)
            assert after_another.result() == alone.result(), f"seed {seed}"
