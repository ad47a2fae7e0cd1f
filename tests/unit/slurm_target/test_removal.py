"""Removal: closed first, waited for, never more than Charter made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from reconciler.errors import Stale
from reconciler.plan.action import Action, Change
from reconciler.targets.slurm import removal
from renderer.resource import Key
from tests.unit.slurm_renderer.eight_nodes import site
from tests.unit.slurm_target.fake_slurm import FakeClient, OpenFence
from tests.unit.slurm_target.test_jobs import row

NO_JOBS = {"squeue": ""}


def delete(kind: str, name: str, **before: str) -> Action:
    change = Change(Key("slurm", kind, name), "delete", before, None)
    return Action("slurm", change, "no longer declared", "none", False)


def removed(
    actions: Sequence[Action], answers: Mapping[str, str], *confirmed: str
) -> tuple[dict[str, str], list[str]]:
    """(name to why it is pending, writing commands)."""
    client = FakeClient({**NO_JOBS, **answers})
    done = removal.remove(client, site(), actions, frozenset(confirmed), OpenFence())
    pending = {item.action.change.key.name: item.pending for item in done}
    assert set(pending) == {action.change.key.name for action in actions}
    return pending, list(client.commands())


def test_accounts_are_closed_together_and_for_pending_jobs_too() -> None:
    client = FakeClient()
    removal.close(client, site(), [delete("account", "a"), delete("account", "b")], OpenFence())
    assert list(client.commands()) == [
        "sacctmgr -i modify account where name=a,b cluster=polar set GrpJobs=0 GrpSubmitJobs=0"
    ]


def test_person_is_closed_unless_the_whole_account_is() -> None:
    client = FakeClient()
    actions = [delete("account", "a"), delete("association", "a/x"), delete("association", "b/y")]
    removal.close(client, site(), actions, OpenFence())
    assert [command for command in client.commands() if "user" in command] == [
        "sacctmgr -i modify user where name=y account=b cluster=polar set GrpJobs=0 GrpSubmitJobs=0"
    ]


def test_what_is_closed_already_is_not_written_again() -> None:
    client = FakeClient()
    closed = {"grp_jobs": "0", "grp_submit_jobs": "0"}
    removal.close(
        client,
        site(),
        [delete("account", "a", **closed), delete("association", "b/y", **closed)],
        OpenFence(),
    )
    assert client.writes == []


def test_nothing_is_closed_past_the_deadline() -> None:
    client = FakeClient()
    with pytest.raises(Stale):
        removal.close(client, site(), [delete("account", "a")], OpenFence(steps=0))
    assert client.writes == []


def test_people_are_closed_an_account_at_a_time() -> None:
    client = FakeClient()
    removal.close(
        client, site(), [delete("association", name) for name in ("a/x", "a/y", "b/x")], OpenFence()
    )
    assert [command.partition(" where ")[2].partition(" cluster")[0] for command in client.commands()] == [
        "name=x,y account=a",
        "name=x account=b",
    ]


def test_running_job_keeps_its_association_the_account_and_those_above() -> None:
    running = {"squeue": row("7", "x", "t-p", "mid")}
    actions = [
        delete("association", "t-p/x"),
        delete("account", "t-p", parent="t"),
        delete("account", "t", parent="polar"),
    ]
    pending, commands = removed(actions, running)
    assert "jobs 7 still there" in pending["t-p/x"]
    assert "jobs 7 still there" in pending["t-p"]
    assert pending["t"] == "closed; waits for the accounts below it"
    assert commands == []


def test_neighbours_go_together_but_for_those_with_jobs() -> None:
    answers = {
        "squeue": row("7", "y", "a", "mid"),
        "sacctmgr -nP show user": "x|a|None\nz|a|None\n",
        "sacctmgr -nP show assoc": "",
    }
    pending, commands = removed([delete("association", f"a/{user}") for user in "xyz"], answers)
    assert {name for name, why in pending.items() if why} == {"a/y"}
    assert commands == [
        "sacctmgr -i delete user where name=x,z account=a cluster=polar",
        "sacctmgr -i delete user where name=x,z",
    ]
    pending, commands = removed(
        [
            delete("account", "t-p", parent="t"),
            delete("account", "t-q", parent="t"),
            delete("account", "t", parent="r"),
        ],
        {"sacctmgr -nP show assoc": ""},
    )
    assert commands[::2] == [
        "sacctmgr -i delete account where name=t-p,t-q cluster=polar",
        "sacctmgr -i delete account where name=t cluster=polar",
    ]


def test_account_is_deleted_here_and_altogether_where_no_cluster_uses_it() -> None:
    _, commands = removed([delete("account", "a")], {"sacctmgr -nP show assoc": ""})
    assert commands == [
        "sacctmgr -i delete account where name=a cluster=polar",
        "sacctmgr -i delete account where name=a",
    ]
    _, commands = removed([delete("account", "a")], {"sacctmgr -nP show assoc": "a\n"})
    assert commands == ["sacctmgr -i delete account where name=a cluster=polar"]


def test_person_with_no_association_left_goes_unless_an_administrator() -> None:
    nobody = {"sacctmgr -nP show assoc": "", "sacctmgr -nP show user": "x|b|None\n"}
    _, commands = removed([delete("association", "a/x")], nobody)
    assert commands[-1] == "sacctmgr -i delete user where name=x"
    _, commands = removed(
        [delete("association", "a/x")], nobody | {"sacctmgr -nP show user": "x|b|Administrator\n"}
    )
    assert commands == ["sacctmgr -i delete user where name=x account=a cluster=polar"]


def test_default_account_moves_to_the_first_other_one() -> None:
    answers = {
        "sacctmgr -nP show assoc cluster=polar user=": "a|x\nc|x\nb|x\na|y\nb|y\na|z\nb|z\n",
        "sacctmgr -nP show assoc user=": "x\ny\nz\n",
        "sacctmgr -nP show user": "x|a|None\ny|b|None\nz|a|None\n",
    }
    _, commands = removed([delete("association", f"a/{user}") for user in "xyz"], answers)
    assert commands == [
        "sacctmgr -i modify user where name=x,z cluster=polar set DefaultAccount=b",
        "sacctmgr -i delete user where name=x,y,z account=a cluster=polar",
    ]


def test_people_who_leave_altogether_go_apart_from_those_who_stay_elsewhere() -> None:
    answers = {
        "sacctmgr -nP show assoc cluster=polar user=": "a|x\na|y\nb|y\n",
        "sacctmgr -nP show assoc user=": "y\n",
        "sacctmgr -nP show user": "x|a|None\ny|b|None\n",
    }
    _, commands = removed([delete("association", "a/x"), delete("association", "a/y")], answers)
    assert commands == [
        "sacctmgr -i delete user where name=x account=a cluster=polar",
        "sacctmgr -i delete user where name=y account=a cluster=polar",
        "sacctmgr -i delete user where name=x",
    ]


def test_qos_that_is_granted_on_any_cluster_stays() -> None:
    granted = {"sacctmgr -nP show assoc": "b||mid,low\na|low|\n"}
    pending, commands = removed([delete("qos", "low"), delete("qos", "lower")], granted)
    assert pending == {"low": "still granted to a, b", "lower": ""}
    assert commands == ["sacctmgr -i delete qos where name=lower"]


def test_qos_of_a_running_job_stays() -> None:
    pending, commands = removed([delete("qos", "low")], {"squeue": row("7", "x", "a", "low")})
    assert "7" in pending["low"]
    assert commands == []


@pytest.mark.parametrize("steps", range(1, 4))
def test_each_command_of_a_removal_is_fenced(steps: int) -> None:
    answers = {**NO_JOBS, "sacctmgr -nP show assoc": "", "sacctmgr -nP show user": "x|a|None\n"}
    actions = [delete("association", "a/x"), delete("account", "a", parent="polar"), delete("qos", "low")]
    client = FakeClient(answers)
    with pytest.raises(Stale):
        list(removal.remove(client, site(), actions, frozenset(), OpenFence(steps=steps)))
    assert len(client.writes) < steps
