"""Who is preempted: by named layouts and random ones, each on a live cluster, against the guarantee as it is stated.

No job of a higher tier goes where lower ones suffice, none of the own tier or above ever, and none that wasn't needed; where all that
may be preempted doesn't suffice, nobody goes.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import yaml

from renderer.model.partitions import Planes
from renderer.model.site import Site
from renderer.model.tenants import Grant, Quota
from tests.counts import count
from tests.engines.slurm import SlurmRig
from tests.real.slurm_harness import HOSTS, RELEASES, holding, rig_site

pytestmark = pytest.mark.real
LATER = [pytest.param(name, marks=pytest.mark.soak) for name in RELEASES if name]
LAYOUTS = yaml.safe_load((Path(__file__).parent / "layouts.yaml").read_text())
TIERS = {"l": "low", "m": "mid", "h": "high"}
WHOSE = {
    "l": ("asta", "health-screening"),
    "m": ("asta", "health-screening"),
    "h": ("egill", "weather-nowcast"),
}
LEAVES_AT_ONCE = "trap 'exit 0' TERM; sleep 600 & wait"


@pytest.fixture(scope="module", params=[None, *LATER], ids=lambda name: name or "22.05")
def rig(request: pytest.FixtureRequest) -> Iterator[SlurmRig]:
    with holding(site_of, request.param) as running:
        yield running


def site_of(rig: SlurmRig) -> Site:
    """Eight nodes, tiers without limits of their own, room for everybody."""
    base = rig_site(rig.layout)
    tiers = {name: replace(tier, limits={}) for name, tier in base.qos.tiers.items()}
    room = Quota({"any": Grant(0, 1024)}, {})
    tenants = {
        name: replace(
            tenant,
            quota=room,
            programs={key: replace(program, quota=room) for key, program in tenant.programs.items()},
        )
        for name, tenant in base.tenants.items()
    }
    return replace(
        base,
        reservations={},
        planes=Planes(HOSTS, (), (), None),
        tenants=tenants,
        qos=replace(base.qos, grace_seconds=20, tiers=tiers),
    )


@dataclass(frozen=True)
class Seen:
    """Whether the wanted job started, and which words of the layout lost their nodes."""

    started: bool
    victims: tuple[str, ...]


def played(rig: SlurmRig, runs: list[str], wants: str) -> Seen:
    rig.wait_nodes_idle()
    ids = [submitted(rig, word) for word in runs]
    for job in ids:
        rig.wait_job(job, "RUNNING")
    wanted = submitted(rig, wants)
    starts = sufficient(runs, wants) is not None
    if starts:
        rig.wait_job(wanted, "RUNNING", timeout=40)
    else:
        time.sleep(8)
    started = rig.job(wanted)["JobState"] == "RUNNING"
    victims = tuple(word for word, job in zip(runs, ids, strict=True) if rig.job(job)["Restarts"] != "0")
    rig.run("scancel", *map(str, [*ids, wanted]))
    return Seen(started, victims)


def submitted(rig: SlurmRig, word: str) -> int:
    user, account = WHOSE[word[0]]
    options = ["--exclusive", "--requeue"]
    return rig.submit(
        LEAVES_AT_ONCE,
        user=user,
        account=account,
        qos=TIERS[word[0]],
        nodes=len(word),
        options=options,
        minutes=30,
    )


def rank(word: str) -> int:
    return "lmh".index(word[0])


def free(runs: list[str]) -> int:
    return len(HOSTS) - sum(map(len, runs))


def sufficient(runs: list[str], wants: str) -> int | None:
    """The highest rank that must be touched: -1 where enough is free, None where even all below its own don't suffice."""
    for top in range(-1, rank(wants)):
        if free(runs) + sum(len(word) for word in runs if rank(word) <= top) >= len(wants):
            return top
    return None


def judged(runs: list[str], wants: str, seen: Seen) -> None:
    top = sufficient(runs, wants)
    assert seen.started is (top is not None)
    assert all(rank(word) <= (-1 if top is None else top) for word in seen.victims), seen
    if top is not None:
        spare = free(runs) + sum(map(len, seen.victims)) - len(wants)
        assert spare >= 0, seen
        assert all(len(word) > spare for word in seen.victims), seen


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_named_layout(rig: SlurmRig, name: str) -> None:
    runs, wants = LAYOUTS[name]["runs"].split(), LAYOUTS[name]["wants"]
    judged(runs, wants, played(rig, runs, wants))


@pytest.mark.parametrize("seed", range(count(6, 50)))
def test_a_random_layout(rig: SlurmRig, seed: int) -> None:
    dice = random.Random(seed)
    runs: list[str] = []
    while free(runs) > 0 and dice.random() < 0.95:
        runs.append(dice.choice("llmmh") * dice.randint(1, min(4, free(runs))))
    wants = dice.choice("mhh") * dice.randint(1, len(HOSTS))
    judged(runs, wants, played(rig, runs, wants))
