"""Following a repository, and a log that lives in one of its own: two reconcilers see each other through the remotes."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from reconciler.cli.main import app
from reconciler.errors import Unreachable
from reconciler.system.git import Repository
from tests.real.adapted import git, reference_site
from tests.unit.loop.conftest import NOW, FileSite


@dataclass
class Follower:
    """A reconciler with a state and a target of its own, following the same remotes as others."""

    config: Path
    site: Path

    def charter(self, verb: str, *arguments: str, expect: int) -> str:
        """Run a verb, and assert its exit code."""
        result = CliRunner().invoke(
            app, [*verb.split(), str(self.site), "--config", str(self.config), *arguments]
        )
        assert result.exit_code == expect, f"{result.exit_code}: {result.output}\n{result.exception!r}"
        return result.output


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FileSite:
    """The site as people push it."""
    monkeypatch.setenv("CHARTER_NOW", NOW)
    return FileSite(reference_site(tmp_path / "people" / "site").path)


def _follower(tmp_path: Path, name: str, source: FileSite) -> Follower:
    folder = tmp_path / name
    folder.mkdir()
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "audit.git")], check=True)
    (folder / "charter.yaml").write_text(
        f"repository: {source.path}\naudit_remote: {tmp_path / 'audit.git'}\nstate_dir: state\n"
        f"targets:\n  files: {{directory: {tmp_path / 'live'}}}\n"
    )
    return Follower(folder / "charter.yaml", folder)


def _tip(tmp_path: Path) -> str:
    return git(tmp_path / "audit.git", "rev-parse", "audit")


def test_the_newest_commit_of_the_followed_branch_is_applied_and_the_log_is_pushed(
    tmp_path: Path, source: FileSite
) -> None:
    follower = _follower(tmp_path, "one", source)
    follower.charter("reconcile", "--once", expect=0)
    first = _tip(tmp_path)
    source.edit("policies/tenants/weather.yaml", "limit: 96}}", "limit: 112}}")
    follower.charter("reconcile", "--once", expect=0)
    assert _tip(tmp_path) != first
    follower.charter("reconcile", "--once", expect=0)
    assert "intact: 5 entries" in follower.charter("audit verify", expect=0)


def test_a_second_reconciler_carries_on_from_the_pushed_log(tmp_path: Path, source: FileSite) -> None:
    _follower(tmp_path, "one", source).charter("reconcile", "--once", expect=0)
    second = _follower(tmp_path, "two", source)
    before = _tip(tmp_path)
    second.charter("reconcile", "--once", expect=0)
    assert _tip(tmp_path) == before


def test_a_log_that_another_writer_pushed_to_meanwhile_is_not_overwritten(
    tmp_path: Path, source: FileSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    follower = _follower(tmp_path, "one", source)
    follower.charter("reconcile", "--once", expect=0)
    other = tmp_path / "other.git"
    subprocess.run(["git", "clone", "-q", "--bare", str(tmp_path / "audit.git"), str(other)], check=True)
    tree, parent = git(other, "rev-parse", "audit^{tree}"), git(other, "rev-parse", "audit")
    theirs = git(other, "commit-tree", tree, "-p", parent, "-m", "theirs")
    source.edit("policies/tenants/weather.yaml", "limit: 96}}", "limit: 112}}")

    def push_first(*_: object) -> tuple[()]:
        subprocess.run(
            [
                "git",
                "-C",
                str(other),
                "push",
                "-q",
                str(tmp_path / "audit.git"),
                f"{theirs}:refs/heads/audit",
            ],
            check=True,
        )
        return ()

    monkeypatch.setattr("reconciler.loop.story.unconfirmed", push_first)
    said = follower.charter("reconcile", "--once", expect=4)
    assert "another writer" in said
    assert _tip(tmp_path) == theirs


def test_an_outcome_whose_push_was_lost_on_the_way_is_pushed_by_the_next_run(
    tmp_path: Path, source: FileSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    follower = _follower(tmp_path, "one", source)
    follower.charter("reconcile", "--once", expect=0)
    source.edit("policies/tenants/weather.yaml", "limit: 96}}", "limit: 112}}")
    pushes: list[str] = []
    push = Repository.push

    def lossy(self: Repository, branch: str, remote: str) -> None:
        pushes.append(branch)
        if len(pushes) == 2:
            raise Unreachable("the network is away")
        push(self, branch, remote)

    monkeypatch.setattr(Repository, "push", lossy)
    follower.charter("reconcile", "--once", expect=1)
    before = _tip(tmp_path)
    follower.charter("reconcile", "--once", expect=0)
    assert _tip(tmp_path) != before
    assert "intact: 5 entries" in follower.charter("audit verify", expect=0)


def test_a_remote_that_is_away_is_exit_1_and_nothing_is_written(tmp_path: Path, source: FileSite) -> None:
    follower = _follower(tmp_path, "one", source)
    follower.config.write_text(
        follower.config.read_text().replace(str(source.path), str(tmp_path / "nowhere"))
    )
    said = follower.charter("reconcile", "--once", expect=1)
    assert "check the remote" in said
    assert not (tmp_path / "live").exists()
    for hostile in ("--upload-pack=touch x", "ext::sh -c touch% x"):
        said = follower.charter("reconcile", "--once", "--repo", hostile, expect=1)
        assert "not a repository address" in said
