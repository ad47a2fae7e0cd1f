"""Side by side on one live cluster: reservations as plain Slurm makes them, and ones that Charter holds from their guard on.

Both meet the worst that may happen under this configuration: jobs that ignore SIGTERM, an Epilog that takes long, a node that is
lost, limits as near to the start as Slurm allows. What is seen is also held against the model of `tests/overrun.py`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import pytest

from reconciler.targets.slurm.client import Client
from reconciler.targets.slurm.running import running
from renderer.model.partitions import Planes
from renderer.model.reservations import Reservation
from renderer.model.site import Site
from renderer.rules.guard import guard
from tests.counts import count
from tests.engines.slurm import SlurmRig
from tests.overrun import Ending, window
from tests.real.slurm_harness import HOSTS, RELEASES, cluster, loop_on, rig_site

pytestmark = pytest.mark.real
STUBBORN, OBEDIENT = "trap '' TERM; while :; do sleep 1; done", "exec sleep 600"
GRACE, EPILOG, HOOK_TIMEOUT = 2, 15, 20
JOBS = {STUBBORN: Ending(0, 1, None), OBEDIENT: Ending(0, 1, 0, epilog=EPILOG)}
PLAIN = {"su02-n01": STUBBORN, "su02-n02": OBEDIENT}
GUARDED = {"su01-n01": STUBBORN, "su01-n02": OBEDIENT}
LATE, SPARE = "su01-n03", ("su01-n04", "su02-n03", "su02-n04")
LATER = [pytest.param(name, marks=pytest.mark.soak) for name in RELEASES if name]
"""Three minutes and a half a batch: `make test` has one on the oldest release, `make soak` two on each."""


@pytest.fixture(scope="module", params=[None, *LATER], ids=lambda name: name or "22.05")
def rig(request: pytest.FixtureRequest) -> Iterator[SlurmRig]:
    with cluster(request.param) as started:
        yield started


def site_of(rig: SlurmRig, *reservations: Reservation) -> Site:
    """All eight hosts train; two seconds of grace, and an Epilog that takes long on hosts for which there is a file."""
    base = rig_site(rig.layout)
    epilog = rig.job_folder / "epilog"
    epilog.write_text(
        f"#!/bin/sh\n[ ! -e {rig.job_folder}/slow-$SLURMD_NODENAME ] || exec /bin/sleep {EPILOG}\n"
    )
    epilog.chmod(0o755)
    for host, job in (PLAIN | GUARDED).items():
        if JOBS[job].epilog:
            (rig.job_folder / f"slow-{host}").touch()
    raw = base.slurm_d["slurm.conf"].replace("SlurmdTimeout=60", "SlurmdTimeout=15")
    raw += f"Epilog={epilog}\nPrologEpilogTimeout={HOOK_TIMEOUT}\n"
    return replace(
        base,
        planes=Planes(HOSTS, (), (), None),
        partitions={"train": replace(base.partitions["train"], hosts=HOSTS)},
        reservations={item.name: item for item in reservations},
        qos=replace(base.qos, grace_seconds=GRACE),
        slurm_d={**base.slurm_d, "slurm.conf": raw},
    )


def reservation(name: str, start: datetime, *hosts: str) -> Reservation:
    """An hour for the weather's programme, of these hosts or of one that slurmctld picks."""
    end, number = start + timedelta(hours=1), None if hosts else 1
    return Reservation(name, ("weather/nowcast",), start, end, hosts, number, None, "none", "dated", "x@y")


def reserved(site_start: datetime, too_near: datetime) -> tuple[Reservation, ...]:
    """By name in the order in which they are made, so that the one that is counted comes last and takes a spare host."""
    named = [reservation(f"run-{number}", site_start, host) for number, host in enumerate(sorted(GUARDED), 1)]
    return (*named, reservation("near", too_near, LATE), reservation("wandering", site_start))


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def submit(rig: SlurmRig, command: str, host: str, minutes: int = 1) -> int:
    options = [f"--nodelist={host}"]
    return rig.submit(
        command, user="asta", account="health-screening", qos="low", minutes=minutes, options=options
    )


@dataclass
class Watch:
    """When each host was last seen held by a job."""

    rig: SlurmRig
    last: dict[str, datetime] = field(default_factory=dict)

    def look(self) -> frozenset[str]:
        """The hosts that are held now."""
        jobs = running(Client(self.rig.conf_dir, 20))
        now = datetime.now(UTC)
        held = frozenset(host for job in jobs for host in job.nodes)
        self.last |= dict.fromkeys(held, now)
        return held

    def until(self, when: datetime) -> None:
        """Look on until then."""
        while datetime.now(UTC) < when:
            self.look()
            time.sleep(max(0.0, min(0.3, (when - datetime.now(UTC)).total_seconds())))


def plain_reservation(rig: SlurmRig, host: str, start: datetime) -> None:
    """As an administrator makes it: slurmctld accepts it, since the job's limit ends before it begins."""
    rig.run(
        "scontrol", "create", "reservation", f"ReservationName=plain-{host}", f"StartTime={start:%Y-%m-%dT%H:%M:%S}",
        "Duration=60", f"Nodes={host}", "Accounts=weather-nowcast",
    )  # fmt: skip


def nodes_of(rig: SlurmRig, name: str) -> str:
    words = rig.run("scontrol", "-o", "show", "reservation", name).stdout.split()
    return next(word.removeprefix("Nodes=") for word in words if word.startswith("Nodes="))


@pytest.mark.parametrize("batch", range(count(1, 2)))
def test_jobs_overrun_into_plain_reservations_and_not_into_guarded_ones(rig: SlurmRig, batch: int) -> None:
    loop = loop_on(rig)
    loop.apply(site_of(rig))
    rig.wait_nodes_idle()
    ahead = timedelta(seconds=guard(site_of(rig)).seconds)
    now = datetime.now(UTC).replace(microsecond=0)
    start = now + timedelta(seconds=75) + ahead
    loop.apply(site_of(rig, *reserved(start, start - timedelta(seconds=20))))
    jobs = {host: submit(rig, command, host) for host, command in (PLAIN | GUARDED).items()}
    near = submit(rig, STUBBORN, LATE)
    on_spare = {host: submit(rig, STUBBORN, host) for host in SPARE}
    for job in (*jobs.values(), *on_spare.values()):
        rig.wait_job(job, "RUNNING", timeout=12)  # its limit ends seconds before the hold: started at once
    late = submit(rig, STUBBORN, sorted(GUARDED)[0], minutes=3)
    limits = {host: moment(rig.job(job)["EndTime"]) for host, job in jobs.items()}
    plain_starts = {host: limits[host] + timedelta(seconds=1) for host in PLAIN}
    for host, begins in plain_starts.items():
        plain_reservation(rig, host, begins)
    lost = nodes_of(rig, "wandering")
    assert lost in SPARE
    rig.lose_node(lost)
    waiting = [
        rig.submit(
            "sleep 5", user="egill", account="weather-nowcast", qos="high",
            options=[f"--reservation={name}", f"--begin={start:%Y-%m-%dT%H:%M:%S}"],
        )
        for name in ("run-1", "run-2", "wandering")
    ]  # fmt: skip

    watch = Watch(rig)
    watch.until(max(plain_starts.values()))
    assert watch.look() >= set(PLAIN), "plain Slurm was expected to overrun"
    assert rig.job(near)["JobState"] == "PENDING", (
        "seconds too near, though it would end before the declared start"
    )
    watch.until(start - timedelta(seconds=1))
    held, second = watch.look(), nodes_of(rig, "wandering")
    assert second != lost
    assert held.isdisjoint({*GUARDED, second})
    assert rig.job(late)["JobState"] == "PENDING"
    for job in waiting:
        rig.wait_job(job, "RUNNING", "COMPLETED", timeout=20)
        assert timedelta(0) <= moment(rig.job(job)["StartTime"]) - start <= timedelta(seconds=3)
    _as_the_model_says(watch, limits)
    _tidy(rig, lost)


def _as_the_model_says(watch: Watch, limits: dict[str, datetime]) -> None:
    for host, command in (PLAIN | GUARDED).items():
        limit = limits[host].timestamp()
        job = JOBS[command]
        earliest, latest = window(replace(job, begins=limit - 60 * job.limit_minutes), GRACE, 0)
        seen = watch.last[host].timestamp()
        assert earliest - 1.5 <= seen <= latest + 1.5, (host, earliest - limit, seen - limit, latest - limit)


def _tidy(rig: SlurmRig, lost: str) -> None:
    """As it was before the batch, for the next one."""
    for user in ("asta", "egill"):
        rig.run("scancel", f"--user={user}")
    rig.restart_slurmds(lost)
    rig.run("scontrol", "update", f"NodeName={lost}", "State=RESUME", check=False)
    deadline = time.monotonic() + 30
    while rig.run("squeue", "-h").stdout.strip():
        assert time.monotonic() < deadline, "jobs don't end"
        time.sleep(0.2)
    for line in rig.run("scontrol", "-o", "show", "reservation").stdout.splitlines():
        rig.run("scontrol", "delete", line.split()[0])
