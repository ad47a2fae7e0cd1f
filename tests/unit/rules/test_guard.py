"""The guard's arithmetic, against what was measured with these settings, and what leaves it without a bound."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from renderer.model.reservations import Reservation
from renderer.model.site import Site
from renderer.rules.guard import guard, unbounded
from renderer.rules.held import held
from renderer.rules.subject import Subject
from tests.unit.slurm_renderer.eight_nodes import site

DAY = datetime(2027, 3, 1, tzinfo=UTC)


def given(slurm_conf: str = "", grace: int = 30) -> Site:
    """The eight-node site with these lines in slurm.d and this grace."""
    base = site()
    doors = {name: replace(door, max_time=86400) for name, door in base.partitions.items()}
    qos = replace(base.qos, grace_seconds=grace)
    return replace(base, slurm_d={"slurm.conf": slurm_conf}, qos=qos, partitions=doors)


def faults(subject: Site) -> list[str]:
    """What `unbounded` finds, as `path:line what`."""
    paths = {("partitions", ""): "policies/partitions.yaml"}
    return [f"{item.path}:{item.keys[0]} {item.what}" for item in unbounded(Subject(subject, paths))]


@pytest.mark.parametrize(
    ("lines", "grace", "bound"),
    [
        ("", 30, 67),
        ("Epilog=/e\nPrologEpilogTimeout=20\n", 30, 87),
        ("", 2, 39),
        ("OverTimeLimit=3\n", 2, 219),
        ("Prolog=/p\nPrologEpilogTimeout=150\n", 2, 181),
        ("Prolog=/p\nPrologEpilogTimeout=5\n", 30, 67),
        ("Prolog=/p\nEpilog=/e\nPrologEpilogTimeout=100\n", 30, 231),
        ("epilog = /e\nPROLOGEPILOGTIMEOUT = 20 # seconds\n", 30, 87),
    ],
)
def test_the_bound(lines: str, grace: int, bound: int) -> None:
    assert guard(given(lines, grace)).bound == bound


def test_the_guard_adds_a_minute_and_is_whole_minutes() -> None:
    assert guard(given("", 2)).seconds == 120
    assert guard(given("", 23)).seconds == 120
    assert guard(given("", 24)).seconds == 180


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ("PrologSlurmctld=/p\n", "inventory/slurm.d/slurm.conf:1 PrologSlurmctld: a job's limit begins anew"),
        (
            "MailProg=/bin/true\nEpilog=/e\n",
            "inventory/slurm.d/slurm.conf:2 Epilog: may hold a node without end",
        ),
        (
            "Prolog=/p\nPrologEpilogTimeout=forever\n",
            "inventory/slurm.d/slurm.conf:1 Prolog: may hold a node",
        ),
        ("OverTimeLimit=UNLIMITED\n", "inventory/slurm.d/slurm.conf:1 OverTimeLimit: jobs may go on"),
        ("SuspendTime=300\n", "inventory/slurm.d/slurm.conf:1 SuspendTime: powering nodes up"),
    ],
)
def test_what_has_no_bound_is_refused_with_its_line(lines: str, found: str) -> None:
    (fault,) = faults(given(lines))
    assert fault.startswith(found)


def test_bounded_settings_are_not_refused() -> None:
    assert faults(given("SuspendTime=-1\nOverTimeLimit=2\nEpilog=/e\nPrologEpilogTimeout=30\n")) == []
    assert faults(replace(given("PrologSlurmctld=/p\n"), reservations={})) == []


def test_a_partition_without_limit() -> None:
    base = given()
    name, partition = next(iter(base.partitions.items()))
    endless = replace(base, partitions={name: replace(partition, max_time=None)})
    (fault,) = faults(endless)
    assert "jobs without a limit never leave" in fault


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("PartitionName=a Nodes=n1\n", "its jobs may have no limit"),
        ("PartitionName=a Nodes=n1 MaxTime=INFINITE\n", "its jobs may have no limit"),
        ("PartitionName=a Nodes=n1 MaxTime=60 PreemptMode=SUSPEND\n", "suspended time moves"),
        ("PartitionName=a Nodes=n1 MaxTime=60 OverTimeLimit=UNLIMITED\n", "jobs may go on"),
    ],
)
def test_a_partition_of_slurm_d(line: str, found: str) -> None:
    base = given(line)
    own = replace(base, cluster=replace(base.cluster, manage=replace(base.cluster.manage, partitions="off")))
    (fault,) = faults(own)
    assert found in fault


def test_a_partition_of_slurm_d_counts_with_its_own_overtime() -> None:
    base = given("OverTimeLimit=1\nPartitionName=a Nodes=n1 MaxTime=60 OverTimeLimit=3\n", 2)
    assert guard(base).bound == 219


def _reservation(name: str, start: float, end: float, program: str) -> Reservation:
    return Reservation(
        name, (program,), DAY + timedelta(hours=start), DAY + timedelta(hours=end), ("su01-n01",), None, None, "none",
        "dated", "x@y",
    )  # fmt: skip


def test_a_hold_begins_ahead_but_never_within_one_of_the_same_group() -> None:
    items = [
        _reservation("a", 0, 1, "t/p"),
        _reservation("b", 1, 2, "t/p"),
        _reservation("c", 3, 4, "t/q"),
    ]
    base = replace(given(), reservations={item.name: item for item in items})
    starts = {name: item.start - base.reservations[name].start for name, item in held(base).items()}
    ahead = -timedelta(seconds=guard(base).seconds)
    assert starts == {"a": ahead, "b": timedelta(0), "c": ahead}


def test_without_slurm_conf_nothing_is_held_ahead() -> None:
    base = given()
    off = replace(base, cluster=replace(base.cluster, manage=replace(base.cluster.manage, config="off")))
    assert held(off) == off.reservations
