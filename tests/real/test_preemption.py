"""The documented example job on a live cluster, preempted: told, given its grace, requeued once, resumed, finished."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from renderer.model.site import Site
from tests.engines.slurm import SlurmRig
from tests.real.slurm_harness import RELEASES, cluster, loop_on, rig_site

pytestmark = pytest.mark.real
EXAMPLES = Path(__file__).parents[2] / "examples" / "jobs"
STEPS, PACE = 60, 0.2
GRACE = 20


@pytest.fixture(scope="module", params=RELEASES, ids=lambda name: name or "22.05")
def rig(request: pytest.FixtureRequest) -> Iterator[SlurmRig]:
    with cluster(request.param) as running:
        loop_on(running).apply(site_of(running))
        running.wait_nodes_idle()
        yield running


def site_of(rig: SlurmRig) -> Site:
    """The eight-node site without reservations, with a grace short enough for a test."""
    base = rig_site(rig.layout)
    return replace(base, reservations={}, qos=replace(base.qos, grace_seconds=GRACE))


def submitted(rig: SlurmRig, *options: str) -> int:
    """The example as its user would submit it, from a folder of its own."""
    folder = rig.job_folder / "example"
    folder.mkdir(exist_ok=True)
    folder.chmod(0o1777)
    for name in ("train.sbatch", "train.py"):
        shutil.copy(EXAMPLES / name, folder / name)
    words = [
        "env", f"TRAIN_STEPS={STEPS}", f"TRAIN_PACE={PACE}", f"TRAIN_CODE={folder}", f"TRAIN_STATE={folder}/state",
        "sbatch", "--parsable", "--account=health-screening", "--qos=low", f"--chdir={folder}", "--time=10",
        f"--output={rig.job_folder}/%j.out", *options, str(folder / "train.sbatch"),
    ]  # fmt: skip
    return int(rig.run(*words, user="asta").stdout)


def uninterrupted(rank: int) -> int:
    weight = 1
    for step in range(STEPS):
        weight = (weight * 31 + step + rank) % 1_000_003
    return weight


def test_a_preempted_job_writes_its_checkpoint_is_requeued_once_and_finishes_where_it_would_have(
    rig: SlurmRig,
) -> None:
    job = submitted(rig, "--nodes=3")
    rig.wait_output(job, "rank 2: begins at step 0", 30)
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
    facts = rig.job(job)
    assert (facts["JobState"], facts["Restarts"]) == ("PENDING", "1")
    assert rig.job(after)["JobState"] == "PENDING"
    rig.wait_job(above, "COMPLETED")
    rig.wait_job(job, "COMPLETED", timeout=90)
    rig.wait_job(after, "COMPLETED", timeout=60)
    written = rig.job_output(job)
    assert rig.job(job)["Restarts"] == "1"
    for rank in (0, 1, 2):
        assert f"rank {rank}: resumed at step" in written
        assert f"rank {rank}: finished {STEPS} steps, weight {uninterrupted(rank)}" in written
        held = json.loads((rig.job_folder / "example" / "state" / f"rank-{rank}.json").read_text())
        assert held == {"step": STEPS, "weight": uninterrupted(rank)}
    assert written.count("begins at step 0") == 3


def test_a_run_that_finds_its_work_finished_ends_well(rig: SlurmRig) -> None:
    job = submitted(rig)
    rig.wait_job(job, "COMPLETED", timeout=60)
    assert rig.job_output(job).count(f"resumed at step {STEPS}") == 2
