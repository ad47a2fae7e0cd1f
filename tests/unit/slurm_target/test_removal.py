"""Removal: closed first, waited for, never more than Charter made."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from reconciler.errors import Stale
from reconciler.plan.action import Action, Change
from reconciler.targets.contract import Applied
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
    action: Action, answers: Mapping[str, str], waiting: set[str] | None = None, *confirmed: str
) -> tuple[Applied, list[str]]:
    client = FakeClient({**NO_JOBS, **answers})
    kept = set() if waiting is None else waiting
    done = removal.remove(client, site(), action, frozenset(confirmed), kept, OpenFence())
    return done, list(client.commands())


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


def test_running_job_keeps_its_association_the_account_and_those_above() -> None:
    running = {"squeue": row("7", "x", "t-p", "mid")}
    waiting: set[str] = set()
    done, commands = removed(delete("association", "t-p/x"), running, waiting)
    assert "jobs 7 still there" in done.pending
    done, more = removed(delete("account", "t-p", parent="t"), {}, waiting)
    assert done.pending == "closed; waits for the accounts below it"
    done, most = removed(delete("account", "t", parent="polar"), {}, waiting)
    assert done.pending
    assert commands + more + most == []


def test_account_is_deleted_here_and_altogether_where_no_cluster_uses_it() -> None:
    _, commands = removed(delete("account", "a"), {"sacctmgr -nP show assoc": ""})
    assert commands == [
        "sacctmgr -i delete account where name=a cluster=polar",
        "sacctmgr -i delete account where name=a",
    ]
    _, commands = removed(delete("account", "a"), {"sacctmgr -nP show assoc": "a\n"})
    assert commands == ["sacctmgr -i delete account where name=a cluster=polar"]


def test_person_with_no_association_left_goes_unless_an_administrator() -> None:
    nobody = {"sacctmgr -nP show assoc": "", "sacctmgr -nP show user": "None\n"}
    _, commands = removed(delete("association", "a/x"), nobody)
    assert commands[-1] == "sacctmgr -i delete user where name=x"
    _, commands = removed(
        delete("association", "a/x"), nobody | {"sacctmgr -nP show user": "Administrator\n"}
    )
    assert commands == ["sacctmgr -i delete user where name=x account=a cluster=polar"]


def test_default_account_moves_to_the_first_other_one() -> None:
    answers = {
        "sacctmgr -nP show assoc cluster=polar user=x": "a\nc\nb\n",
        "sacctmgr -nP show assoc user=x": "b\nc\n",
        "sacctmgr -nP show user": "a\n",
    }
    _, commands = removed(delete("association", "a/x"), answers)
    assert commands[0] == "sacctmgr -i modify user where name=x cluster=polar set DefaultAccount=b"
    _, commands = removed(delete("association", "b/x"), answers)
    assert not any("DefaultAccount" in command for command in commands)


def test_qos_that_is_granted_on_any_cluster_stays() -> None:
    done, commands = removed(delete("qos", "low"), {"sacctmgr -nP show assoc": "b||mid,low\na|low|\n"})
    assert done.pending == "still granted to a, b"
    assert commands == []
    done, commands = removed(delete("qos", "low"), {"sacctmgr -nP show assoc": "b||mid,lower\n"})
    assert done.pending == ""
    assert commands == ["sacctmgr -i delete qos where name=low"]


def test_qos_of_a_running_job_stays() -> None:
    done, commands = removed(delete("qos", "low"), {"squeue": row("7", "x", "a", "low")})
    assert "7" in done.pending
    assert commands == []
