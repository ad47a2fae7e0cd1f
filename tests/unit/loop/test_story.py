"""The one path from a commit to a sealed outcome, on the file target: what is written, what is not, and which exit code says so."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from reconciler.system.lock import exclusive
from reconciler.targets.files import FileTarget
from tests.real.adapted import git
from tests.unit.loop.conftest import FileSite

TENANT = "policies/tenants/weather.yaml"
MORE = ("limit: 96}}", "limit: 112}}")


def test_the_first_apply_founds_a_log_that_calls_itself_untrusted(fresh: FileSite) -> None:
    fresh.charter("validate", expect=0)
    fresh.charter("plan", expect=2)
    assert not (fresh.path / ".charter").exists()
    _, said = fresh.charter("apply", expect=0)
    assert "UNTRUSTED" in said
    assert fresh.kinds() == ["genesis", "intent", "outcome"]
    genesis, _, outcome = fresh.entries()
    assert genesis.record.one("trust") == "untrusted"
    assert outcome.record.one("status") == "complete"
    assert {entry.record.one("clock") for entry in fresh.entries()} == {"injected"}
    fresh.charter("audit verify", expect=0)


def test_a_second_apply_of_the_same_commit_writes_nothing(site: FileSite) -> None:
    before, tip = site.live(), git(site.path, "rev-parse", "audit")
    for verb in ("apply", "reconcile --once", "plan"):
        site.charter(verb, expect=0)
    assert site.live() == before
    assert git(site.path, "rev-parse", "audit") == tip


def test_a_change_is_planned_applied_and_then_in_sync(site: FileSite) -> None:
    site.edit(TENANT, *MORE)
    _, plan = site.charter("plan", expect=2)
    assert "gres/gpu=96,gres/gpu:h200=96 -> gres/gpu=112,gres/gpu:h200=112" in plan
    assert "Plan: 0 to add, 1 to change, 0 to destroy." in plan
    site.charter("apply", expect=0)
    accounts = json.loads((site.path / ".charter/live/slurm/state/account.json").read_text())
    assert accounts["weather-nowcast"]["grp_tres"] == "gres/gpu=112,gres/gpu:h200=112"
    site.charter("plan", expect=0)
    site.charter("audit verify", expect=0)


def test_the_record_says_who_signed_and_that_nobody_was_asked_to(site: FileSite) -> None:
    commit = site.edit(TENANT, *MORE)
    site.charter("apply", expect=0)
    intent = site.entries()[-2].record
    assert intent.all("signed") == (f"{commit} -",)
    assert "signatures are not asked for" in intent.all("remark")[0]


def test_the_json_plan_binds_the_apply_to_what_was_seen(site: FileSite) -> None:
    site.edit(TENANT, *MORE)
    _, text = site.charter("plan", "--format", "json", expect=2)
    live = json.loads(text)["digests"]["live"]
    site.edit(TENANT, "fairshare: 70", "fairshare: 71")
    _, said = site.charter("apply", "--plan", live, expect=4)
    assert "moved" in said
    _, text = site.charter("plan", "--format", "json", expect=2)
    site.charter("apply", "--plan", json.loads(text)["digests"]["live"], expect=0)


def test_two_commits_are_compared_without_any_engine(site: FileSite) -> None:
    site.edit(TENANT, *MORE)
    (site.path / ".charter").rename(site.path.parent / "gone")
    for shape in ("text", "json", "markdown"):
        _, plan = site.charter("plan", "--base", "HEAD~1", "--format", shape, expect=2)
        assert "112" in plan
    site.charter("plan", "--base", "HEAD", expect=0)
    site.charter("plan", "--base", "nonsense", expect=1)
    site.charter("plan", "--base", "--upload-pack=x", expect=1)


def test_uncommitted_files_are_planned_but_never_applied(site: FileSite) -> None:
    site.write(TENANT, site.read(TENANT).replace(*MORE, 1))
    _, said = site.charter("plan", expect=2)
    assert "not committed" in said
    _, said = site.charter("apply", expect=1)
    assert TENANT in said


def test_policy_denies_with_rule_place_and_remedy_and_nothing_is_written(site: FileSite) -> None:
    site.edit(TENANT, "guarantee: 96, limit: 160", "guarantee: 296, limit: 360")
    before, kinds = site.live(), site.kinds()
    site.charter("plan", expect=3)
    _, said = site.charter("apply", expect=3)
    assert "plane-capacity" in said
    assert "lower guarantees" in said
    assert site.live() == before
    assert site.kinds() == kinds


def test_an_invalid_commit_is_refused_and_does_not_block_a_newer_one(site: FileSite) -> None:
    site.edit(TENANT, "tier: mission", "tier: mision")
    _, said = site.charter("apply", expect=1)
    assert f"{TENANT}:3:7: [reference] there is no QOS mision; did you mean mission?" in said
    site.edit(TENANT, "tier: mision", "tier: mission")
    site.charter("apply", expect=0)


def test_the_commit_that_requires_signatures_must_bear_one_itself(site: FileSite) -> None:
    site.edit("policies/approvers.yaml", "\nrequire: none", "\nrequire: signed")
    _, said = site.charter("apply", expect=3)
    assert "authority" in said
    assert len(site.kinds()) == 3


def test_history_that_was_rewritten_is_refused(site: FileSite) -> None:
    site.edit(TENANT, *MORE)
    site.charter("apply", expect=0)
    git(site.path, "reset", "-q", "--hard", "HEAD~1")
    _, said = site.charter("apply", expect=4)
    assert "revert by a new commit" in said


def test_a_pin_to_another_version_is_refused(site: FileSite) -> None:
    site.edit("inventory/site.yaml", 'charter: "0.1"', 'charter: "0.2"')
    _, said = site.charter("apply", expect=4)
    assert "0.2" in said


def test_one_writer_at_a_time(site: FileSite) -> None:
    with exclusive(site.path / ".charter" / "state"):
        _, said = site.charter("apply", expect=4)
    assert "another reconciler" in said


def _remove_two_tenants(site: FileSite) -> None:
    for name in ("language", "weather"):
        for folder in ("tenants", "members"):
            (site.path / f"policies/{folder}/{name}.yaml").unlink()
    for file in (
        "reservations/foundation-run",
        "endpoints/assistant",
        "endpoints/nowcast",
        "images/assistant",
        "images/nowcast",
    ):
        (site.path / f"policies/{file}.yaml").unlink()
    site.commit()


def test_a_mass_removal_needs_a_confirmation_that_names_it(site: FileSite) -> None:
    _remove_two_tenants(site)
    before = site.live()
    _, said = site.charter("apply", expect=5)
    assert "% of accounts would go" in said
    assert "--confirm accounts" in said
    assert site.live() == before
    site.charter("apply", "--confirm", "qos", expect=5)
    site.charter("apply", "--confirm", "nonsense", expect=1)
    site.charter("apply", "--confirm", "accounts", expect=0)
    assert "weather" not in json.loads((site.path / ".charter/live/slurm/state/account.json").read_text())
    site.charter("plan", expect=0)


def _drift(site: FileSite, kind: str, name: str, field: str, value: str) -> None:
    path = site.path / f".charter/live/slurm/state/{kind}.json"
    state = json.loads(path.read_text())
    state[name][field] = value
    path.write_text(json.dumps(state))


def test_drift_is_mended_where_the_site_enforces_and_only_reported_where_it_reports(site: FileSite) -> None:
    _drift(site, "qos", "mission", "priority", "1")
    _, plan = site.charter("plan", expect=2)
    assert "drifted" in plan
    site.charter("apply", expect=0)
    site.charter("plan", expect=0)
    _drift(site, "reservation", "maintenance", "duration", "60")
    site.charter("plan", expect=2)
    for _ in range(3):
        site.charter("reconcile --once", expect=2)
    assert site.kinds()[-1] == "drift"
    assert site.kinds().count("drift") == 1
    site.charter("audit verify", expect=0)


def test_what_waited_and_then_ended_by_itself_is_sealed_as_complete_once(
    site: FileSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.edit(TENANT, *MORE)
    apply = FileTarget.apply
    with monkeypatch.context() as slow:
        slow.setattr(
            FileTarget,
            "apply",
            lambda *given: [replace(done, pending="it ends slowly") for done in apply(*given)],
        )
        site.charter("apply", expect=5)
    assert site.entries()[-1].record.one("status") == "pending"
    site.charter("reconcile --once", expect=0)
    assert site.kinds()[-2:] == ["intent", "outcome"]
    assert site.entries()[-1].record.one("status") == "complete"
    sealed = len(site.kinds())
    site.charter("reconcile --once", expect=0)
    assert len(site.kinds()) == sealed
    site.charter("audit verify", expect=0)


def test_a_rewritten_log_is_refused_by_the_next_run(site: FileSite) -> None:
    site.edit(TENANT, *MORE)
    site.charter("apply", expect=0)
    git(site.path, "update-ref", "refs/heads/audit", "audit~2")
    for verb in ("apply", "audit verify"):
        _, said = site.charter(verb, expect=6)
        assert "rewritten" in said


def test_a_target_that_bears_a_mark_without_its_log_is_refused(site: FileSite) -> None:
    git(site.path, "update-ref", "-d", "refs/heads/audit")
    (site.path / ".charter/state/tip").unlink()
    _, said = site.charter("apply", expect=6)
    assert "restore branch audit" in said


def test_another_writer_waits_for_the_fence_of_an_open_intent(site: FileSite) -> None:
    site.edit(TENANT, *MORE)
    _killed(site, "after the intent")
    (site.path / ".charter/state/intent").unlink()
    _, said = site.charter("apply", expect=4)
    assert "of another writer is open until" in said


KILLED = """
import os, signal, sys
import reconciler.loop.story as story
import reconciler.targets.files.target as files
def die(*_a, **_k):
    os.kill(os.getpid(), signal.SIGKILL)
place = sys.argv.pop(1)
if place == "right after the seal":
    import reconciler.system.git as git
    append = git.Repository.append
    def sealed(self, branch, files, *given):
        made = append(self, branch, files, *given)
        if b"kind intent" in files["record"]:
            die()
        return made
    git.Repository.append = sealed
elif place == "after the intent":
    story.run_phases = die
elif place == "half way":
    write = files.FileTarget._write
    done = []
    def some(self, path, state):
        if done:
            die()
        done.append(path)
        write(self, path, state)
    files.FileTarget._write = some
else:
    story.seal_outcome = die
from reconciler.cli.main import main
main()
"""


def _killed(site: FileSite, place: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLED, place, "apply", str(site.path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == -9, done.stderr


@pytest.mark.parametrize(
    "place", ["right after the seal", "after the intent", "half way", "before the outcome"]
)
def test_a_writer_killed_between_intent_and_outcome_is_carried_on(fresh: FileSite, place: str) -> None:
    _killed(fresh, place)
    assert fresh.kinds()[-1] == "intent"
    fresh.charter("audit verify", expect=0)
    fresh.charter("apply", expect=0)
    fresh.charter("plan", expect=0)
    statuses = [entry.record.one("status") for entry in fresh.entries() if entry.record.kind == "outcome"]
    assert statuses == ["interrupted", "complete"]
    fresh.charter("audit verify", expect=0)
    owned = {Path(path).name for path in fresh.live()}
    assert "account.json" in owned


def test_what_an_interrupted_writer_created_can_still_be_removed(fresh: FileSite) -> None:
    _killed(fresh, "before the outcome")
    _remove_two_tenants(fresh)
    fresh.charter("apply", "--confirm", "accounts", expect=0)
    assert "weather" not in json.loads((fresh.path / ".charter/live/slurm/state/account.json").read_text())


def test_a_folder_that_is_no_site(tmp_path: Path) -> None:
    empty = FileSite(tmp_path)
    for verb in ("validate", "plan", "apply", "audit verify", "audit log"):
        empty.charter(verb, expect=1)
