"""How accounting reads, and the words that change it."""

from __future__ import annotations

import time

import pytest

from reconciler.errors import Conflict, Stale
from reconciler.plan.action import Change
from reconciler.targets.slurm import accounting, accounting_seen
from renderer.resource import Key, Resource
from renderer.slurm import render
from tests.unit.slurm_renderer.eight_nodes import NOW, site
from tests.unit.slurm_target.fake_slurm import FakeClient, OpenFence

QOS_ROW = "low|1000|mid,high|requeue|00:00:00||1-00:00:00|gres/gpu=4,cpu=8|||mem=42G||50|1.000000|DenyOnLimit"
ASSOC = """\
root||||1||||
polar||root|1|||||
weather||polar|20|gres/gpu:h200=40,gres/gpu=40||high,mid||
weather-nowcast||weather|50|||mid||
weather-nowcast|egill||1||||0|0
foreign||root|1|||||
foreign|outsider||1|||||
"""
ACCOUNTS = """\
polar|charter|polar|
weather|tenant weather|weather|egill
weather-nowcast|programme nowcast of weather|weather|egill,freyja
foreign|theirs|x|outsider
"""


def client(assoc: str = ASSOC) -> FakeClient:
    rows = "\n".join(_whole(line) for line in assoc.splitlines())
    return FakeClient(
        {
            "sacctmgr -nP show qos": QOS_ROW + "\n",
            "sacctmgr -nP show account": ACCOUNTS,
            "sacctmgr -nP show assoc": rows + "\n",
        }
    )


def _whole(line: str) -> str:
    cells = line.split("|")
    return "|".join((cells + [""] * 13)[:13])


def observed(assoc: str = ASSOC) -> tuple[dict[Key, Resource], list[Key]]:
    wanted = {item.key: item for item in render(site(), NOW)[0]}
    return accounting_seen.observe(client(assoc), site(), wanted)


def test_qos_reads_in_canonical_form() -> None:
    fields = observed()[0][Key("slurm", "qos", "low")].fields
    assert fields["preempt"] == "high,mid"
    assert (fields["grace_time"], fields["max_wall"], fields["preempt_exempt_time"]) == ("0", "86400", "")
    assert fields["grp_tres"] == "cpu=8,gres/gpu=4"
    assert "mem=43008M" in fields.values()


@pytest.mark.parametrize(
    ("given", "strange"),
    [("1-00:00:00", "9999-00:00:00"), ("gres/gpu=4,cpu=8", "bb/dw=5G"), ("mem=42G", "mem=4Q")],
)
def test_a_value_that_cannot_be_read_stops_nothing(given: str, strange: str) -> None:
    rows = "\n".join(_whole(line) for line in ASSOC.splitlines())
    odd = "stranger" + QOS_ROW.removeprefix("low").replace(given, strange)
    answers = {
        "sacctmgr -nP show qos": f"{QOS_ROW}\n{odd}\n",
        "sacctmgr -nP show account": ACCOUNTS,
        "sacctmgr -nP show assoc": rows + "\n",
    }
    found, foreign = accounting_seen.observe(FakeClient(answers), site(), {})
    assert Key("slurm", "qos", "low") in found
    assert Key("slurm", "qos", "stranger") in foreign


def test_a_limit_that_cannot_be_read_is_unset_by_its_name() -> None:
    words = accounting.set_words("qos", {"grp_tres": "bb/dw=5G,cpu=8"}, {"grp_tres": "cpu=4"})
    assert words == ["GrpTRES=bb/dw=-1,cpu=4"]


def test_what_lies_outside_the_root_account_is_foreign() -> None:
    found, foreign = observed()
    assert Key("slurm", "account", "weather-nowcast") in found
    assert set(foreign) == {
        Key("slurm", "account", "foreign"),
        Key("slurm", "association", "foreign/outsider"),
        Key("slurm", "coordinator", "foreign/outsider"),
    }


def test_declared_account_elsewhere_is_a_conflict_with_a_remedy() -> None:
    with pytest.raises(Conflict, match=r"account weather exists outside of polar; .*set parent=polar"):
        observed(ASSOC.replace("weather||polar", "weather||root"))


def test_root_account_is_the_operators_apart_from_being_there() -> None:
    root = observed(ASSOC.replace("polar||root|1", "polar||root|77"))[0][Key("slurm", "account", "polar")]
    assert root.fields["fairshare"] == "1"


def test_closed_person_differs_from_an_open_one() -> None:
    fields = observed()[0][Key("slurm", "association", "weather-nowcast/egill")].fields
    assert (fields["grp_jobs"], fields["grp_submit_jobs"]) == ("0", "0")
    fields = observed(ASSOC.replace("|0|0", ""))[0][
        Key("slurm", "association", "weather-nowcast/egill")
    ].fields
    assert "grp_jobs" not in fields


def test_a_limit_that_somebody_set_on_a_person_is_seen_and_goes() -> None:
    limited = observed(ASSOC.replace("||1||||0|0", "||1|gres/gpu=2||||||7||01:00:00"))[0]
    fields = limited[Key("slurm", "association", "weather-nowcast/egill")].fields
    assert (fields["grp_tres"], fields["max_jobs_per_user"], fields["max_wall"]) == (
        "gres/gpu=2",
        "7",
        "3600",
    )
    words = accounting.set_words(
        "association", fields, {"account": "weather-nowcast", "user": "egill", "fairshare": "1"}
    )
    assert words == ["GrpTRES=gres/gpu=-1", "MaxJobs=-1", "MaxWall=-1"]


def test_limits_of_a_programme_are_written_and_read_alike() -> None:
    given = ASSOC.replace(
        "weather-nowcast||weather|50|||mid||",
        "weather-nowcast||weather|50|||mid|||gres/gpu=4|20|200|2-00:00:00",
    )
    fields = observed(given)[0][Key("slurm", "account", "weather-nowcast")].fields
    limits = {
        name: fields[name]
        for name in ("max_tres_per_job", "max_jobs_per_user", "max_submit_jobs_per_user", "max_wall")
    }
    assert limits == {
        "max_tres_per_job": "gres/gpu=4",
        "max_jobs_per_user": "20",
        "max_submit_jobs_per_user": "200",
        "max_wall": "172800",
    }
    assert accounting.set_words("account", {}, limits) == [
        "MaxTRESPerJob=gres/gpu=4",
        "MaxJobs=20",
        "MaxSubmitJobs=200",
        "MaxWall=2-00:00:00",
    ]


def test_limit_that_goes_is_unset_and_the_others_stay() -> None:
    before = {"grp_tres": "cpu=8,gres/gpu=4", "max_wall": "60", "max_jobs_per_user": "5"}
    after = {"grp_tres": "gres/gpu=4", "max_wall": "", "max_jobs_per_user": ""}
    words = accounting.set_words("qos", before, after)
    assert "GrpTRES=cpu=-1,gres/gpu=4" in words
    assert {"MaxWall=-1", "MaxJobsPerUser=-1"} <= set(words)


def test_equal_fields_give_no_word() -> None:
    assert accounting.set_words("account", {"fairshare": "2"}, {"fairshare": "2"}) == []


def test_people_of_one_account_are_added_together() -> None:
    fake = FakeClient()
    people = [
        Resource(Key("slurm", "association", f"a/{user}"), {"account": "a", "user": user, "fairshare": "1"})
        for user in ("x", "y")
    ]
    accounting.create(fake, site(), people, OpenFence())
    assert list(fake.commands()) == ["sacctmgr -i add user x,y account=a cluster=polar fairshare=1"]


def test_texts_go_to_the_account_and_the_rest_to_its_association_here() -> None:
    fake = FakeClient()
    before = {"description": "a", "fairshare": "1"}
    change = Change(Key("slurm", "account", "t"), "update", before, {"description": "b", "fairshare": "2"})
    accounting.update(fake, site(), [change], OpenFence())
    assert list(fake.commands()) == [
        "sacctmgr -i modify account where name=t set Description=b",
        "sacctmgr -i modify account where name=t cluster=polar set Fairshare=2",
    ]


def _share(kind: str, name: str, share: str, **fields: str) -> Change:
    return Change(
        Key("slurm", kind, name), "update", {**fields, "fairshare": "1"}, {**fields, "fairshare": share}
    )


def test_equal_changes_of_neighbours_are_one_command() -> None:
    fake = FakeClient()
    people = [
        _share("association", f"{account}/{user}", share, account=account, user=user)
        for account, user, share in (("a", "x", "2"), ("a", "y", "2"), ("a", "z", "3"), ("b", "x", "3"))
    ]
    accounting.update(
        fake, site(), [_share("account", "a", "5"), _share("account", "b", "5"), *people], OpenFence()
    )
    assert list(fake.commands()) == [
        "sacctmgr -i modify account where name=a,b cluster=polar set Fairshare=5",
        "sacctmgr -i modify user where name=x,y account=a cluster=polar set Fairshare=2",
        "sacctmgr -i modify user where name=z account=a cluster=polar set Fairshare=3",
        "sacctmgr -i modify user where name=x account=b cluster=polar set Fairshare=3",
    ]


def test_a_batch_has_an_end() -> None:
    fake = FakeClient()
    accounting.update(fake, site(), [_share("account", f"a{n}", "5") for n in range(1001)], OpenFence())
    assert [command.count(",") for command in fake.commands()] == [499, 499, 0]


def test_a_coordinator_is_the_account_s_own_and_not_one_of_those_above() -> None:
    found, foreign = observed()
    names = {key.name for key in (*found, *foreign) if key.kind == "coordinator"}
    assert names == {"weather/egill", "weather-nowcast/freyja", "foreign/outsider"}
    assert {key.name for key in foreign if key.kind == "coordinator"} == {"foreign/outsider"}
    fake = FakeClient()
    wanted = Resource(Key("slurm", "coordinator", "weather/egill"), {"account": "weather", "user": "egill"})
    accounting.create(fake, site(), [wanted], OpenFence())
    assert list(fake.commands()) == ["sacctmgr -i add coordinator account=weather names=egill"]


def test_nothing_is_written_past_the_deadline() -> None:
    fake = FakeClient()
    accounts = [item for item in render(site(), NOW)[0] if item.key.kind == "account"]
    with pytest.raises(Stale):
        accounting.create(fake, site(), accounts, OpenFence(steps=2))
    assert len(fake.writes) == 2


def test_a_hundred_and_sixty_thousand_people_are_read_within_seconds() -> None:
    people = "".join(f"weather-nowcast|u{number}||1|||||||||\n" for number in range(160_000))
    prepared = client(ASSOC + people)
    start = time.monotonic()
    found, _ = accounting_seen.observe(prepared, site(), {})
    assert len(found) > 160_000
    assert time.monotonic() - start < 20


def test_account_without_a_qos_of_its_own_has_none_whatever_it_inherits() -> None:
    fake = client()
    seen: list[str] = []
    original = fake.read
    fake.read = lambda *argv: seen.append(" ".join(argv)) or original(*argv)  # type: ignore[method-assign,func-returns-value]
    accounting_seen.observe(fake, site(), {})
    assert any("show assoc WOPLimits cluster=polar" in command for command in seen)
