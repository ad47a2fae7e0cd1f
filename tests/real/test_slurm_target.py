"""The Slurm target on a live cluster: what it reads is what it wrote, and it leaves alone what isn't Charter's."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from reconciler.errors import ConfigurationRefused, Terminal, UsageError, WrongCluster
from reconciler.plan.guards import unconfirmed
from reconciler.system.configuration import SlurmTarget as Settings
from reconciler.targets.slurm import SlurmTarget
from reconciler.targets.slurm.client import Client
from reconciler.targets.slurm.priorities import pending
from reconciler.targets.slurm.victims import Wanted, victims
from renderer.model.cluster import SlurmRestart
from renderer.model.site import Site
from renderer.model.tenants import Grant, Limits, ProgramMembers, Quota
from renderer.resource import Key
from renderer.rules.guard import guard
from renderer.slurm.arithmetic import arithmetic, max_age
from tests.engines.errors import EngineError
from tests.engines.slurm import SlurmRig
from tests.real.slurm_harness import HOSTS, RELEASES, Loop, cluster, loop_on, rig_site

pytestmark = pytest.mark.real


@pytest.fixture(scope="module", params=RELEASES, ids=lambda name: name or "22.05")
def rig(request: pytest.FixtureRequest) -> Iterator[SlurmRig]:
    with cluster(request.param) as running:
        running.run("sacctmgr", "-i", "add", "qos", "theirs", "Priority=7")
        running.run("sacctmgr", "-i", "add", "account", "foreign", "Description=theirs")
        running.run("sacctmgr", "-i", "add", "user", "outsider", "account=foreign")
        yield running


@pytest.fixture(scope="module")
def loop(rig: SlurmRig) -> Loop:
    """The site applied to a cluster that had only a stranger's account."""
    loop = loop_on(rig)
    pending = [item for item in loop.apply(rig_site(rig.layout)) if item.pending]
    assert not pending
    return loop


@pytest.fixture
def site(rig: SlurmRig, loop: Loop) -> Site:
    return rig_site(rig.layout)


def facts(rig: SlurmRig, *argv: str) -> list[str]:
    return rig.run(*argv).stdout.splitlines()


def test_reading_back_leaves_nothing_to_do_and_nothing_is_written(loop: Loop, site: Site) -> None:
    actions, _ = loop.plan(site)
    assert [action.change for action in actions] == []
    before = len(loop.target.writes)
    assert loop.apply(site) == ()
    assert loop.target.writes[before:] == ()


def test_engine_shows_what_the_site_says(rig: SlurmRig, loop: Loop) -> None:
    assert any(
        "SwitchName=su01" in line and "su01-n[01-04]" in line
        for line in facts(rig, "scontrol", "show", "topology")
    )
    train = " ".join(facts(rig, "scontrol", "show", "partition", "train"))
    assert "Nodes=su01-n[01-03],su02-n[01-03]" in train
    limits = facts(
        rig,
        "sacctmgr",
        "-nP",
        "show",
        "assoc",
        "account=weather-nowcast",
        "format=User,GrpTRES,DefaultQOS,QOS",
    )
    assert limits[0] == "|gres/gpu:h200=32,gres/gpu=32|mid|high,mid"
    assert {"care", "run"} <= {
        line.split()[0].partition("=")[2] for line in facts(rig, "scontrol", "-o", "show", "res")
    }
    assert set(rig.node_states().values()) <= {
        "IDLE",
        "RESERVED",
        "IDLE+RESERVED",
        "MAINT",
        "IDLE+MAINTENANCE+RESERVED",
    }


def test_job_runs_under_its_programmes_account(rig: SlurmRig, loop: Loop) -> None:
    rig.wait_nodes_idle()
    job = rig.submit("hostname", user="egill", account="weather-nowcast", gpus_per_node=1)
    rig.wait_job(job, "COMPLETED")


def test_job_that_names_no_gpu_type_is_held_to_the_limit_too(rig: SlurmRig, loop: Loop) -> None:
    with pytest.raises(EngineError, match="AssocGrpGRES"):
        rig.submit("sleep 60", user="egill", account="weather-nowcast", nodes=5, gpus_per_node=8)


def test_limits_of_a_programme_hold_its_jobs(rig: SlurmRig, loop: Loop, site: Site) -> None:
    nowcast = replace(site.tenants["weather"].programs["nowcast"], limits=Limits("gres/gpu=2", None, 3, 3600))
    weather = replace(site.tenants["weather"], programs={"nowcast": nowcast})
    tiers = {name: replace(tier, max_wall_seconds=None) for name, tier in site.qos.tiers.items()}
    limited = replace(site, tenants={**site.tenants, "weather": weather}, qos=replace(site.qos, tiers=tiers))
    loop.apply(limited)
    assert loop.plan(limited)[0] == ()
    mine = partial(rig.submit, user="egill", account="weather-nowcast")
    with pytest.raises(EngineError, match="AssocMaxGRESPerJob"):
        mine("true", gpus_per_node=3)
    with pytest.raises(EngineError, match="AssocMaxWallDurationPerJob"):
        mine("true", minutes=90)
    limited = replace(limited, qos=site.qos)
    loop.apply(limited)
    long = mine("sleep 30", minutes=90)
    rig.wait_job(long, "RUNNING")  # the tier has a limit of its own, and Slurm asks no other
    rig.run("scancel", str(long))
    held = [str(mine("sleep 30", gpus_per_node=2)) for _ in range(3)]
    with pytest.raises(EngineError, match="AssocMaxSubmitJob"):
        mine("true")
    rig.run("scancel", *held)
    rig.run(
        "sacctmgr",
        "-i",
        "modify",
        "user",
        "where",
        "name=egill",
        "account=weather-nowcast",
        "set",
        "MaxJobs=1",
    )
    (found,) = loop.plan(limited)[0]
    assert found.change.key.name == "weather-nowcast/egill"
    loop.apply(site)
    assert loop.plan(site)[0] == ()


def test_quota_change_is_one_modify_and_no_reconfigure(rig: SlurmRig, loop: Loop, site: Site) -> None:
    before = len(loop.target.writes)
    loop.apply(with_limit(site, 24))
    written = loop.target.writes[before:]
    assert [argv[:4] for argv in written] == [("sacctmgr", "-i", "modify", "account")]
    shown = facts(
        rig, "sacctmgr", "-nP", "show", "assoc", "account=weather-nowcast", "user=", "format=GrpTRES"
    )
    assert shown[0] == "gres/gpu:h200=24,gres/gpu=24"
    loop.apply(site)
    assert loop.plan(site)[0] == ()


def with_limit(site: Site, limit: int) -> Site:
    tenant = site.tenants["weather"]
    program = replace(tenant.programs["nowcast"], quota=Quota({"h200": Grant(8, limit)}, {}))
    return replace(site, tenants={**site.tenants, "weather": replace(tenant, programs={"nowcast": program})})


def test_what_a_technician_changed_by_hand_is_seen_and_mended(rig: SlurmRig, loop: Loop, site: Site) -> None:
    rig.run("sacctmgr", "-i", "modify", "qos", "low", "set", "Priority=5", "MaxWall=10")
    rig.run("sacctmgr", "-i", "modify", "account", "health", "set", "Fairshare=99", "GrpTRES=gres/gpu=-1")
    changed = {action.change.key.name for action in loop.plan(site)[0]}
    assert changed == {"low", "health"}
    loop.apply(site)
    assert loop.plan(site)[0] == ()


def test_stranger_is_reported_and_survives(rig: SlurmRig, loop: Loop, site: Site) -> None:
    _, seen = loop.plan(site)
    assert {Key("slurm", "qos", "theirs"), Key("slurm", "account", "foreign")} <= set(seen.foreign)
    assert facts(rig, "sacctmgr", "-nP", "show", "account", "foreign", "format=Account,Description") == [
        "foreign|theirs"
    ]
    assert facts(rig, "sacctmgr", "-nP", "show", "qos", "theirs", "format=Priority") == ["7"]


def test_wrong_cluster_is_refused(loop: Loop, site: Site) -> None:
    slurm = replace(site.cluster.slurm, cluster_name="other")
    with pytest.raises(WrongCluster, match="'polar'"):
        loop.plan(replace(site, cluster=replace(site.cluster, slurm=slurm)))


def wait_accounted(rig: SlurmRig, job: int, state: str) -> None:
    """slurmctld tells slurmdbd a moment later."""
    until = time.monotonic() + 20
    while facts(rig, "sacct", "-nPX", "-j", str(job), "-o", "State") != [state]:
        assert time.monotonic() < until
        time.sleep(0.2)


def test_refused_configuration_leaves_the_live_cluster_alone(rig: SlurmRig, loop: Loop, site: Site) -> None:
    job = rig.submit("sleep 120", user="egill", account="weather-nowcast", gpus_per_node=1)
    rig.wait_job(job, "RUNNING")
    wait_accounted(rig, job, "RUNNING")
    port, generation, before = rig.controlport(), rig.conf_dir.resolve(), len(loop.target.writes)
    broken = replace(site, slurm_d={"slurm.conf": site.slurm_d["slurm.conf"] + "NoSuchKey=1\n"})
    with pytest.raises(ConfigurationRefused, match=r"slurm\.conf:\d+: .*NoSuchKey|NoSuchKey"):
        loop.apply(broken)
    assert loop.target.writes[before:] == ()
    assert (rig.controlport(), rig.conf_dir.resolve()) == (port, generation)
    assert facts(rig, "sacct", "-nPX", "-j", str(job), "-o", "State") == ["RUNNING"]
    assert rig.job(job)["JobState"] == "RUNNING"
    rig.run("scancel", str(job))


def test_configuration_change_is_a_new_generation_and_a_reconfigure(
    rig: SlurmRig, loop: Loop, site: Site
) -> None:
    before = rig.conf_dir.resolve()
    longer = replace(site, qos=replace(site.qos, grace_seconds=120))
    loop.apply(longer)
    assert rig.conf_dir.resolve() != before
    assert before.is_dir()
    assert any(
        line.split() == ["KillWait", "=", "120", "sec"] for line in facts(rig, "scontrol", "show", "config")
    )
    assert loop.plan(longer)[0] == ()
    loop.apply(site)


def with_another_tracker(site: Site) -> Site:
    """A change that every release takes by a restart of all daemons only."""
    text = site.slurm_d["slurm.conf"].replace("proctrack/linuxproc", "proctrack/pgid")
    return replace(site, slurm_d={**site.slurm_d, "slurm.conf": text})


def by_hand(site: Site) -> Site:
    slurm = replace(site.cluster.slurm, restart=SlurmRestart("manual", "manual"))
    return replace(site, cluster=replace(site.cluster, slurm=slurm))


def test_restart_by_hand_is_waited_for_and_nothing_else_touches_the_daemons(
    rig: SlurmRig, loop: Loop, site: Site
) -> None:
    larger = by_hand(with_another_tracker(site))
    waiting = {item.pending for item in loop.apply(larger)}
    assert waiting == {"waiting for operator: restart slurmd on every node, slurmctld first"}
    before = len(loop.target.writes)
    door = replace(larger.partitions["train"], default_time=1800)
    later = replace(larger, partitions={**larger.partitions, "train": door})
    assert {item.pending for item in loop.apply(later)} == waiting
    assert [argv[0] for argv in loop.target.writes[before:]] == ["switch"]
    time.sleep(1)  # the daemons' own clocks count whole seconds
    rig.restart_slurmctld()
    assert [action.change.key.name for action in loop.plan(later)[0]] == ["slurm.conf"]
    rig.restart_slurmds()
    rig.wait_nodes_idle()
    assert loop.plan(later)[0] == ()
    loop.apply(site)
    assert loop.plan(site)[0] == ()


def test_configuration_that_does_not_come_up_is_taken_back(rig: SlurmRig, loop: Loop, site: Site) -> None:
    before = rig.conf_dir.resolve()
    failing = Loop(
        rig, SlurmTarget(Settings(rig.conf_dir, ("false",), ("false",), 60)), loop.owned, loop.sequence
    )
    with pytest.raises(Terminal, match="ended with 1"):
        failing.apply(with_another_tracker(site))
    loop.sequence = failing.sequence
    assert rig.conf_dir.resolve() == before
    assert loop.plan(site)[0] == ()


def test_a_recurring_reservation_made_in_mid_occurrence_begins_with_the_next(
    rig: SlurmRig, loop: Loop, site: Site
) -> None:
    now = datetime.now(UTC).replace(microsecond=0)
    care = replace(
        site.reservations["care"],
        name="patch",
        start=now - timedelta(days=7, minutes=10),
        end=now - timedelta(days=7) + timedelta(hours=1),
        hosts=("su02-n04",),
    )
    changed = replace(site, reservations={**site.reservations, "patch": care})
    loop.apply(changed)
    assert loop.plan(changed)[0] == ()
    (line,) = facts(rig, "scontrol", "-o", "show", "reservation", "patch")
    begins = care.start + timedelta(days=14) - timedelta(seconds=guard(changed).seconds)
    assert f"StartTime={begins:%Y-%m-%dT%H:%M:%S}" in line
    loop.apply(site)


def test_what_somebody_changed_by_hand_is_mended_and_once_it_has_begun_only_when_confirmed(
    rig: SlurmRig, loop: Loop, site: Site
) -> None:
    now = datetime.now(UTC).replace(microsecond=0)
    begun = replace(
        site.reservations["run"],
        name="begun",
        start=now - timedelta(minutes=1),
        end=now + timedelta(hours=6),
        gpus=None,
        hosts=("su02-n04",),
    )
    later = replace(
        begun, name="later", start=now + timedelta(days=40), end=now + timedelta(days=41), hosts=("su01-n04",)
    )
    changed = replace(site, reservations={**site.reservations, "begun": begun, "later": later})
    loop.apply(changed)
    assert loop.plan(changed)[0] == ()
    end = f"EndTime={begun.end - timedelta(hours=2):%Y-%m-%dT%H:%M:%S}"
    rig.run("scontrol", "update", "ReservationName=begun", end)
    rig.run("scontrol", "update", "ReservationName=later", "Accounts=foreign")
    actions = {action.change.key.name: action for action in loop.plan(changed)[0]}
    assert {name: action.confirm for name, action in actions.items()} == {
        "begun": "reservations",
        "later": None,
    }
    (missing,) = unconfirmed(tuple(actions.values()), [], frozenset(), frozenset())
    assert missing.sentence.startswith("reservation begun, under way since ")
    assert "would change (end " in missing.sentence
    loop.apply(changed, "reservations")
    assert loop.plan(changed)[0] == ()
    (line,) = facts(rig, "scontrol", "-o", "show", "reservation", "begun")
    assert f"EndTime={begun.end:%Y-%m-%dT%H:%M:%S}" in line
    gone = {action.change.key.name: action.confirm for action in loop.plan(site)[0]}
    assert gone == {"begun": "reservations", "later": None}
    loop.apply(site, "reservations")


def test_a_different_grace_moves_what_is_held_ahead_of_reservations(
    rig: SlurmRig, loop: Loop, site: Site
) -> None:
    longer = replace(site, qos=replace(site.qos, grace_seconds=site.qos.grace_seconds + 600))
    loop.apply(longer)
    assert loop.plan(longer)[0] == ()
    (line,) = facts(rig, "scontrol", "-o", "show", "reservation", "run")
    begins = site.reservations["run"].start - timedelta(seconds=guard(longer).seconds)
    assert f"StartTime={begins:%Y-%m-%dT%H:%M:%S}" in line
    loop.apply(site)


def test_a_coordinator_comes_and_goes_and_equal_shares_are_one_command(
    rig: SlurmRig, loop: Loop, site: Site
) -> None:
    show = ("sacctmgr", "-nP", "show", "account", "withcoord", "format=Account,Coordinators")
    assert {"weather|egill", "weather-nowcast|egill"} <= set(facts(rig, *show))
    nobody = {name: replace(people, coordinators=()) for name, people in site.members.items()}
    tenants = {name: replace(tenant, fairshare=33) for name, tenant in site.tenants.items()}
    changed = replace(site, members=nobody, tenants=tenants)
    before = len(loop.target.writes)
    loop.apply(changed)
    assert [" ".join(argv[3:]) for argv in loop.target.writes[before:]] == [
        "account where name=health,weather cluster=polar set Fairshare=33",
        "coordinator where account=weather names=egill",
    ]
    assert {"weather|", "weather-nowcast|"} <= set(facts(rig, *show))
    assert loop.plan(changed)[0] == ()
    loop.apply(site)
    assert loop.plan(site)[0] == ()


def test_removed_tenant_is_closed_first_and_its_job_goes_only_when_confirmed(
    rig: SlurmRig, loop: Loop, site: Site
) -> None:
    job = rig.submit("sleep 300", user="egill", account="weather-nowcast", gpus_per_node=1)
    rig.wait_job(job, "RUNNING")
    gone = replace(
        site,
        tenants={"health": site.tenants["health"]},
        members={"health": site.members["health"]},
        partitions={"train": site.partitions["train"]},
        reservations={"care": site.reservations["care"]},
    )
    announced = {item.id for action in loop.plan(gone)[0] for item in action.jobs}
    assert announced == {str(job)}
    pending = {item.action.change.key.name for item in loop.apply(gone) if item.pending}
    assert {"weather-nowcast", "weather-nowcast/egill", "weather"} <= pending
    assert rig.job(job)["JobState"] == "RUNNING"
    closed = facts(
        rig,
        "sacctmgr",
        "-nP",
        "show",
        "assoc",
        "account=weather-nowcast",
        "format=User,GrpJobs,GrpSubmitJobs",
    )
    assert closed[0] == "|0|0"
    assert not [item for item in loop.apply(gone, "jobs") if item.pending]
    assert rig.job(job)["JobState"] == "CANCELLED"
    left = facts(rig, "sacctmgr", "-nP", "show", "account", "format=Account")
    assert "weather" not in left
    assert "weather-nowcast" not in left
    assert {"foreign", "health", "polar"} <= set(left)
    assert loop.plan(gone)[0] == ()


def test_tenant_that_comes_back_is_open_again(rig: SlurmRig, loop: Loop, site: Site) -> None:
    loop.apply(site)
    assert loop.plan(site)[0] == ()
    job = rig.submit("hostname", user="egill", account="weather-nowcast", gpus_per_node=1)
    rig.wait_job(job, "COMPLETED")


def test_member_who_leaves_with_a_job_running_is_closed_and_open_again_when_back(
    rig: SlurmRig, loop: Loop, site: Site
) -> None:
    job = rig.submit("sleep 300", user="freyja", account="weather-nowcast", gpus_per_node=1)
    rig.wait_job(job, "RUNNING")
    staying = replace(site.members["weather"], programs={"nowcast": ProgramMembers(("egill",), ())})
    left = replace(site, members={**site.members, "weather": staying})
    assert [item.action.change.key.name for item in loop.apply(left) if item.pending] == [
        "weather-nowcast/freyja"
    ]
    with pytest.raises(EngineError, match="AssocGrpSubmitJobsLimit"):
        rig.submit("hostname", user="freyja", account="weather-nowcast")
    before = len(loop.target.writes)
    loop.apply(left)
    assert loop.target.writes[before:] == ()
    loop.apply(site)
    assert loop.plan(site)[0] == ()
    rig.run("scancel", str(job))
    again = rig.submit("hostname", user="freyja", account="weather-nowcast", gpus_per_node=1)
    rig.wait_job(again, "COMPLETED")


def test_a_job_whose_limit_somebody_raised_is_named_before_the_reservation_starts(
    rig: SlurmRig, loop: Loop, site: Site
) -> None:
    soon = datetime.now(UTC).replace(microsecond=0) + timedelta(minutes=40)
    item = replace(
        site.reservations["care"],
        name="soon",
        recurrence="none",
        start=soon,
        end=soon + timedelta(hours=1),
        hosts=HOSTS[:1],
    )
    changed = replace(site, reservations={**site.reservations, "soon": item})
    job = rig.submit(
        "sleep 300", user="asta", account="health-screening", options=[f"--nodelist={HOSTS[0]}"], minutes=5
    )
    rig.wait_job(job, "RUNNING")
    loop.apply(changed)
    assert loop.plan(changed)[1].warnings == ()
    rig.run("scontrol", "update", f"JobId={job}", "TimeLimit=120")
    (warning,) = loop.plan(changed)[1].warnings
    assert f"job {job} of asta (health-screening) may hold its nodes until" in warning
    rig.run("scontrol", "update", f"JobId={job}", "TimeLimit=10")
    assert loop.plan(changed)[1].warnings == ()
    rig.run("scontrol", "suspend", str(job))
    assert "is suspended" in loop.plan(changed)[1].warnings[0]
    rig.run("scancel", str(job))
    loop.apply(site)


def test_the_plan_names_whom_a_change_hits_and_how(rig: SlurmRig, loop: Loop, site: Site) -> None:
    host = HOSTS[-2]
    runs = rig.submit(
        "sleep 300", user="asta", account="health-screening", gpus_per_node=8, options=[f"--nodelist={host}"]
    )
    rig.wait_job(runs, "RUNNING")
    waits = rig.submit(
        "sleep 300", user="asta", account="health-screening", gpus_per_node=8, options=[f"--nodelist={host}"]
    )
    screening = site.tenants["health"].programs["screening"]
    smaller = replace(screening, quota=Quota({"any": Grant(0, 12)}, {}))
    health = replace(
        site.tenants["health"], programs={**site.tenants["health"].programs, "screening": smaller}
    )
    less = replace(site, tenants={**site.tenants, "health": health})
    hit = {action.change.key.name: action.jobs for action in loop.plan(less)[0]}
    assert [(job.id, job.effect, job.ends) for job in hit["health-screening"]] == [
        (str(waits), "could not start", False)
    ]

    kept = tuple(name for name in HOSTS if name != host)
    groups = tuple(
        replace(group, hosts=tuple(name for name in group.hosts if name in kept), port=None)
        for group in site.nodes.groups
    )
    by_name = {name: node for name, node in site.nodes.by_name.items() if name in kept}
    doors = {
        name: replace(door, hosts=tuple(set(door.hosts) & set(kept)))
        for name, door in site.partitions.items()
    }
    planes = replace(site.planes, training=tuple(name for name in site.planes.training if name in kept))
    without = replace(
        site, nodes=replace(site.nodes, groups=groups, by_name=by_name), partitions=doors, planes=planes, fabric=replace(
            site.fabric, links=tuple(replace(link, ends=tuple(e for e in link.ends if e != host)) for link in site.fabric.links)
        ),
    )  # fmt: skip
    (conf,) = [action for action in loop.plan(without)[0] if action.change.key.name == "slurm.conf"]
    assert [(job.id, job.ends) for job in conf.jobs if job.ends] == [(str(runs), True)]
    assert conf.confirm == "nodes"
    rig.run("scancel", str(runs), str(waits))


def test_slurmctld_s_own_answers_are_explained(rig: SlurmRig, loop: Loop, site: Site) -> None:
    client = Client(rig.conf_dir, 30)
    whole = partial(rig.submit, "sleep 300", user="asta", account="health-screening", qos="low", nodes=2)
    low = [whole(options=["--exclusive"]) for _ in range(2)]
    rig.wait_job(low[0], "RUNNING")
    waiting = pending(client, str(low[1]))
    assert (waiting.owner, waiting.account, waiting.qos) == ("asta", "health-screening", "low")
    declared = arithmetic(site, "low", waiting.fairshare, int(waiting.age * max_age(site)))
    assert abs(declared.total - waiting.points) <= 1
    answer = victims(client, Wanted("egill", "weather-nowcast", "high", 6, 0, 5, None))
    assert [(record.job.id, record.qos) for record in answer.victims] == [(str(low[0]), "low")]
    with pytest.raises(Terminal, match="would not take this job"):
        victims(client, Wanted("egill", "foreign", "high", 6, 0, 5, None))
    with pytest.raises(UsageError, match="is not pending"):
        pending(client, str(low[0]))
    rig.run("scancel", *map(str, low))
