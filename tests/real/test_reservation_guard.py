"""Side by side on one live cluster: a reservation as plain Slurm makes it, and one that Charter holds from its guard on.

Both meet the worst that may happen under this configuration: a job that ignores SIGTERM, its limit as near to the start as
Slurm allows.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from reconciler.targets.slurm.client import Client
from reconciler.targets.slurm.running import running
from renderer.model.reservations import Reservation
from renderer.model.site import Site
from renderer.rules.guard import guard
from tests.engines.slurm import SlurmRig
from tests.real.slurm_harness import RELEASES, cluster, loop_on, rig_site

pytestmark = pytest.mark.real
STUBBORN = "trap '' TERM; while :; do sleep 1; done"
PLAIN, GUARDED = "su02-n01", "su01-n01"


LATER = [pytest.param(name, marks=pytest.mark.soak) for name in RELEASES if name]
"""Each takes three and a half minutes: `make test` has the oldest release, `make soak` all."""


@pytest.fixture(scope="module", params=[None, *LATER], ids=lambda name: name or "22.05")
def rig(request: pytest.FixtureRequest) -> Iterator[SlurmRig]:
    with cluster(request.param) as started:
        yield started


def site_of(rig: SlurmRig, start: datetime) -> Site:
    """Two seconds of grace, and a reservation of one host for the weather's programme."""
    base = rig_site(rig.layout)
    item = Reservation(
        "run", ("weather/nowcast",), start, start + timedelta(hours=1), (GUARDED,), None, None, "none", "dated", "x@y"
    )  # fmt: skip
    return replace(base, reservations={"run": item}, qos=replace(base.qos, grace_seconds=2))


def holders(rig: SlurmRig, host: str) -> set[str]:
    """Jobs that hold a host now."""
    return {job.id for job in running(Client(rig.conf_dir, 20)) if host in job.nodes}


def wait_until(moment: datetime) -> None:
    time.sleep(max(0.0, (moment - datetime.now(UTC)).total_seconds()))


def test_a_stubborn_job_overruns_into_a_plain_reservation_and_not_into_a_guarded_one(rig: SlurmRig) -> None:
    loop = loop_on(rig)
    loop.apply(site_of(rig, datetime.now(UTC).replace(microsecond=0) + timedelta(days=1)))
    rig.wait_nodes_idle()
    now = datetime.now(UTC).replace(microsecond=0)
    ahead = timedelta(seconds=guard(site_of(rig, now)).seconds)
    plain_start, start = now + timedelta(seconds=75), now + timedelta(seconds=75) + ahead
    rig.run(
        "scontrol", "create", "reservation", "ReservationName=plain", f"StartTime={plain_start:%Y-%m-%dT%H:%M:%S}",
        "Duration=60", f"Nodes={PLAIN}", "Accounts=weather-nowcast",
    )  # fmt: skip
    loop.apply(site_of(rig, start))
    stubborn = {
        host: rig.submit(
            STUBBORN,
            user="asta",
            account="health-screening",
            qos="low",
            minutes=1,
            options=[f"--nodelist={host}"],
        )
        for host in (PLAIN, GUARDED)
    }
    for job in stubborn.values():
        rig.wait_job(job, "RUNNING", timeout=10)
    late = rig.submit(
        STUBBORN,
        user="asta",
        account="health-screening",
        qos="low",
        minutes=3,
        options=[f"--nodelist={GUARDED}"],
    )
    reserved = rig.submit(
        "sleep 5", user="egill", account="weather-nowcast", qos="high",
        options=["--reservation=run", f"--begin={start:%Y-%m-%dT%H:%M:%S}"],
    )  # fmt: skip

    wait_until(plain_start)
    assert holders(rig, PLAIN) == {str(stubborn[PLAIN])}, "plain Slurm was expected to overrun"
    wait_until(start - timedelta(seconds=1))
    assert holders(rig, GUARDED) == set()
    assert rig.job(late)["JobState"] == "PENDING"
    rig.wait_job(reserved, "RUNNING", "COMPLETED", timeout=20)
    began = datetime.fromisoformat(rig.job(reserved)["StartTime"]).replace(tzinfo=UTC)
    assert timedelta(0) <= began - start <= timedelta(seconds=3)
    rig.run("scancel", str(late), str(reserved))
