"""Which jobs may still hold a reserved node at its start."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from reconciler.errors import Terminal
from reconciler.targets.slurm.running import crossing, running
from renderer.model.reservations import Reservation
from renderer.model.site import Site
from renderer.rules.guard import guard
from tests.unit.slurm_renderer.eight_nodes import site as eight_nodes
from tests.unit.slurm_target.fake_slurm import FakeClient

NOW = datetime(2026, 12, 1, 8, tzinfo=UTC)
START = NOW + timedelta(hours=2)


def site() -> Site:
    item = Reservation(
        "run", ("weather/nowcast",), START, START + timedelta(hours=1), ("su01-n01",), None, None, "none", "dated", "x@y"
    )  # fmt: skip
    return replace(eight_nodes(), reservations={"run": item})


def said(*jobs: str, given: Site | None = None, now: datetime = NOW) -> tuple[str, ...]:
    held = START - timedelta(seconds=guard(site()).seconds)
    record = f"ReservationName=run StartTime={held:%Y-%m-%dT%H:%M:%S} EndTime=2026-12-01T11:00:00 Nodes=su01-n01 Flags=SPEC_NODES\n"
    answers = {"scontrol -o show reservations": record, "squeue": "".join(f"{job}\n" for job in jobs)}
    return crossing(FakeClient(answers), given or site(), now)


def job(
    ends: str,
    nodes: str = "su01-n[01-02]",
    account: str = "health-scan",
    reservation: str = "",
    state: str = "RUNNING",
) -> str:
    return f"7|asta|{account}|{reservation}|{state}|{ends}|{nodes}"


def at(seconds: int) -> str:
    return f"{START + timedelta(seconds=seconds):%Y-%m-%dT%H:%M:%S}"


def test_a_job_within_the_bound_is_no_matter_and_one_a_second_beyond_is_named() -> None:
    bound = guard(site()).bound
    assert said(job(at(-bound))) == ()
    (sentence,) = said(job(at(-bound + 1)))
    assert sentence.startswith(
        "job 7 of asta (health-scan) may hold its nodes until 2026-12-01T10:00:01Z; reservation run starts"
    )
    assert "scontrol update JobId=7" in sentence


@pytest.mark.parametrize(
    ("line", "word"),
    [
        (job("N/A"), "has no time limit"),
        (job("Unknown"), "has no time limit"),
        (job(at(-7000), state="SUSPENDED"), "is suspended"),
    ],
)
def test_what_has_no_certain_end_is_named(line: str, word: str) -> None:
    (sentence,) = said(line)
    assert word in sentence


@pytest.mark.parametrize(
    "line",
    [
        job(at(9999), nodes="su01-n02"),
        job(at(9999), account="weather-nowcast"),
        job(at(9999), reservation="run"),
        job("N/A", nodes=""),
    ],
)
def test_other_nodes_the_group_itself_and_jobs_inside_are_no_matter(line: str) -> None:
    assert said(line) == ()


def test_a_started_one_and_an_unmanaged_configuration_are_not_looked_at() -> None:
    assert said(job("N/A"), now=START) == ()
    given = site()
    off = replace(given, cluster=replace(given.cluster, manage=replace(given.cluster.manage, config="off")))
    assert said(job("N/A"), given=off) == ()


def test_a_row_of_another_shape_is_refused() -> None:
    with pytest.raises(Terminal, match="a row of 3 fields"):
        running(FakeClient({"squeue": "1|2|3\n"}))
