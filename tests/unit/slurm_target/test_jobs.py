"""Which jobs a removal hits, and that a job's own words can't hide it."""

from __future__ import annotations

from reconciler.plan.action import Change
from reconciler.targets.slurm import jobs
from renderer.resource import Key
from tests.unit.slurm_target.fake_slurm import FakeClient


def row(
    number: str, user: str, account: str, qos: str, held: str = "(null)", used: str = "1-00:00:05"
) -> str:
    tres = "cpu=4,gres/gpu=8,gres/gpu:h200=8"
    return f"{number:16}{user:80}{account:80}{qos:80}{held:80}{'RUNNING':24}{used:24}{tres:400}"


def gone(kind: str, name: str, parent: str = "") -> Change:
    return Change(Key("slurm", kind, name), "delete", {"parent": parent}, None)


def records(*rows: str) -> list[jobs.Record]:
    return jobs.active(FakeClient({"squeue": "\n".join(rows) + "\n"}))


def ids(change: Change, found: list[jobs.Record], *removed: Change) -> list[str]:
    return [job.id for job in jobs.hit(change, found, jobs.parents(removed))]


def test_job_reads_with_its_gpus_and_time() -> None:
    job = records(row("7", "egill", "weather-nowcast", "mid"))[0].job
    assert (job.id, job.owner, job.account, job.gpus, job.elapsed_seconds) == (
        "7",
        "egill",
        "weather-nowcast",
        8,
        86405,
    )


def test_time_that_squeue_calls_invalid_is_no_time() -> None:
    assert records(row("7", "egill", "a", "mid", used="INVALID"))[0].job.elapsed_seconds == 0


def test_each_kind_hits_its_own_jobs() -> None:
    found = records(
        row("1", "egill", "a-x", "mid"),
        row("2", "freyja", "a-x", "low", "run"),
        row("3", "egill", "b", "low"),
    )
    assert ids(gone("association", "a-x/egill"), found) == ["1"]
    assert ids(gone("account", "a-x"), found) == ["1", "2"]
    assert ids(gone("qos", "low"), found) == ["2", "3"]
    assert ids(gone("reservation", "run"), found) == ["2"]
    assert ids(gone("config", "slurm.conf"), found) == []


def test_account_above_answers_for_the_jobs_below_it() -> None:
    found = records(row("1", "egill", "a-x", "mid"))
    tenant, program = gone("account", "a", "polar"), gone("account", "a-x", "a")
    assert ids(tenant, found, tenant, program) == ["1"]
    assert ids(tenant, found) == []


def test_change_that_removes_nothing_hits_nobody() -> None:
    found = records(row("1", "egill", "a", "mid"))
    assert jobs.hit(Change(Key("slurm", "account", "a"), "update", {}, {}), found, {}) == ()
