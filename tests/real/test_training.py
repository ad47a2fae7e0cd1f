"""What a training job meets on a live cluster: it starts whole, survives preemption and lost nodes, and finishes where it would have."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from renderer.model.governance import Failures
from renderer.model.partitions import Planes
from renderer.model.site import Site
from renderer.notation.hostlist import expand
from tests.engines.slurm import SlurmRig
from tests.real.slurm_harness import HOSTS, RELEASES, holding, rig_site

pytestmark = pytest.mark.real
EXAMPLES = Path(__file__).parents[2] / "examples" / "jobs"
STEPS, LONG, PACE = 60, 120, 0.2
GRACE = 20


@pytest.fixture(scope="module", params=RELEASES, ids=lambda name: name or "22.05")
def rig(request: pytest.FixtureRequest) -> Iterator[SlurmRig]:
    with holding(site_of, request.param) as running:
        yield running


def site_of(rig: SlurmRig) -> Site:
    """The eight-node site without reservations, with a grace and a patience short enough for a test. The site's own check
    fails a node for which there is a file."""
    base = rig_site(rig.layout)
    check = rig.job_folder / "own-check"
    check.write_text(
        f"#!/bin/sh\n[ ! -e {rig.job_folder}/bad-$SLURMD_NODENAME ] || {{ echo ECC error; exit 1; }}\n"
    )
    check.chmod(0o755)
    slurm = replace(base.cluster.slurm, dirs=replace(base.cluster.slurm.dirs, config=str(rig.conf_dir)))
    raw = base.slurm_d["slurm.conf"].replace("SlurmdTimeout=60", "SlurmdTimeout=10")
    return replace(
        base,
        cluster=replace(base.cluster, slurm=slurm),
        slurm_d={**base.slurm_d, "slurm.conf": raw},
        reservations={},
        planes=Planes(HOSTS, (), (), None),
        qos=replace(base.qos, grace_seconds=GRACE),
        failures=Failures(("node_lost", "health_check"), 5, str(check), (), True, 1),
    )


def submitted(rig: SlurmRig, *options: str, state: str = "state", steps: int = STEPS) -> int:
    """The example as its user would submit it, from a folder of its own."""
    folder = rig.job_folder / "example"
    folder.mkdir(exist_ok=True)
    folder.chmod(0o1777)
    for name in ("train.sbatch", "train.py"):
        shutil.copy(EXAMPLES / name, folder / name)
    words = [
        "env", f"TRAIN_STEPS={steps}", f"TRAIN_PACE={PACE}", f"TRAIN_CODE={folder}", f"TRAIN_STATE={folder}/{state}",
        "sbatch", "--parsable", "--account=health-screening", "--qos=low", f"--chdir={folder}", "--time=10",
        f"--output={rig.job_folder}/%j.out", *options, str(folder / "train.sbatch"),
    ]  # fmt: skip
    return int(rig.run(*words, user="asta").stdout)


def uninterrupted(rank: int, steps: int = STEPS) -> int:
    weight = 1
    for step in range(steps):
        weight = (weight * 31 + step + rank) % 1_000_003
    return weight


def test_a_preempted_job_writes_its_checkpoint_is_requeued_once_and_finishes_where_it_would_have(
    rig: SlurmRig,
) -> None:
    job = submitted(rig, "--nodes=5")
    rig.wait_output(job, "rank 4: begins at step 0", 30)
    after = rig.submit(
        "true", user="asta", account="health-screening", qos="low", options=[f"--dependency=afterok:{job}"]
    )
    time.sleep(2)
    above = rig.submit(
        "sleep 3",
        user="egill",
        account="weather-nowcast",
        qos="high",
        nodes=4,
        options=["--exclusive"],
        minutes=1,
    )
    rig.wait_output(job, "leaving", GRACE)
    rig.wait_job(above, "RUNNING", timeout=GRACE + 10)
    rig.wait_job(job, "PENDING")
    assert rig.job(job)["Restarts"] == "1"
    assert rig.job(after)["JobState"] == "PENDING"
    rig.wait_job(above, "COMPLETED")
    rig.wait_job(job, "COMPLETED", timeout=90)
    rig.wait_job(after, "COMPLETED", timeout=60)
    written = rig.job_output(job)
    assert rig.job(job)["Restarts"] == "1"
    for rank in range(5):
        assert f"rank {rank}: resumed at step" in written
        assert f"rank {rank}: finished {STEPS} steps, weight {uninterrupted(rank)}" in written
        held = json.loads((rig.job_folder / "example" / "state" / f"rank-{rank}.json").read_text())
        assert held == {"step": STEPS, "weight": uninterrupted(rank)}
    assert written.count("begins at step 0") == 5


def test_a_run_that_finds_its_work_finished_ends_well(rig: SlurmRig) -> None:
    job = submitted(rig)
    rig.wait_job(job, "COMPLETED", timeout=60)
    assert rig.job_output(job).count(f"resumed at step {STEPS}") == 2


def test_a_job_starts_whole_or_not_at_all(rig: SlurmRig) -> None:
    narrow = rig.submit(
        "sleep 30", user="egill", account="weather-nowcast", nodes=1, options=["--exclusive"], minutes=2
    )
    rig.wait_job(narrow, "RUNNING")
    width = len(HOSTS)
    wide = rig.submit(
        "srun sh -c 'echo rank $SLURM_PROCID at $(date +%s.%N); sleep 1'", user="asta", account="health-screening",
        nodes=width, options=[f"--ntasks={width}", "--ntasks-per-node=1"], minutes=2,
    )  # fmt: skip
    time.sleep(5)
    facts = rig.job(wide)
    assert (facts["JobState"], facts["NumNodes"].partition("-")[0]) == ("PENDING", str(width))
    assert sum("ALLOCATED" in state for state in rig.node_states().values()) == 1
    rig.run("scancel", str(narrow))
    rig.wait_job(wide, "COMPLETED", timeout=60)
    starts = [
        float(line.split()[-1]) for line in rig.job_output(wide).splitlines() if line.startswith("rank ")
    ]
    assert len(starts) == width
    assert max(starts) - min(starts) < 2


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + 30
    while not path.exists():
        assert time.monotonic() < deadline, f"{path} is not there"
        time.sleep(0.1)


def running_on(rig: SlurmRig, job: int) -> set[str]:
    return set(expand(rig.job(job)["NodeList"]))


def resumed_and_finished(rig: SlurmRig, job: int) -> None:
    rig.wait_job(job, "COMPLETED", timeout=120)
    assert rig.job(job)["Restarts"] == "1"
    written = rig.job_output(job)
    for rank in (0, 1):
        assert f"rank {rank}: resumed at step" in written
        assert f"rank {rank}: finished {LONG} steps, weight {uninterrupted(rank, LONG)}" in written


def test_a_node_that_fails_its_check_is_drained_and_costs_a_job_one_requeue_elsewhere(rig: SlurmRig) -> None:
    other = rig.submit("sleep 60", user="egill", account="weather-nowcast", nodes=1, options=["--exclusive"])
    rig.wait_job(other, "RUNNING")
    job = submitted(rig, "--exclusive", state="checked", steps=LONG)
    rig.wait_output(job, "rank 1: begins at step 0")
    bad = max(running_on(rig, job))
    (rig.job_folder / f"bad-{bad}").touch()
    try:
        rig.wait_output(job, "run 2 of job", 60)
        assert bad not in running_on(rig, job)
        node = rig.run("scontrol", "show", "node", bad).stdout
        assert "DRAIN" in rig.node_states()[bad]
        assert "Reason=charter: health_check ECC error" in node
        resumed_and_finished(rig, job)
        assert rig.run("squeue", "-h", "-j", str(other), "-o", "%T %r").stdout.split()[0] == "RUNNING"
        assert rig.job(other)["Restarts"] == "0"
    finally:
        (rig.job_folder / f"bad-{bad}").unlink()
        rig.run("scontrol", "update", f"NodeName={bad}", "State=RESUME")
        rig.run("scancel", str(other))
    rig.wait_nodes_idle()


def test_a_lost_node_costs_a_job_one_requeue_and_does_not_come_back_by_itself(rig: SlurmRig) -> None:
    job = submitted(rig, "--exclusive", state="lost", steps=LONG)
    wait_for(rig.job_folder / "example" / "lost" / "rank-1.json")
    bad = max(running_on(rig, job))
    rig.lose_node(bad)
    rig.wait_output(job, "run 2 of job", 90)
    assert bad not in running_on(rig, job)
    rig.restart_slurmds(bad)
    resumed_and_finished(rig, job)
    assert rig.node_states()[bad].startswith("DOWN")
    rig.run("scontrol", "update", f"NodeName={bad}", "State=RESUME")
    rig.wait_nodes_idle()
