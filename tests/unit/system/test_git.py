"""Git through the door: signed commits that git itself verifies, branches that move forward only, names that are no options."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from reconciler.errors import Stale, Terminal, Unreachable, UsageError
from reconciler.system.git import Repository
from reconciler.system.ssh import PrivateKey

WHEN = datetime(2026, 12, 1, 8, tzinfo=UTC)
KEY = PrivateKey.generate()


def _git(path: Path, *arguments: str) -> str:
    words = ["git", "-C", str(path), "-c", "user.name=w", "-c", "user.email=w@localhost", *arguments]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()


def _append(repository: Repository, content: bytes = b"x", branch: str = "log") -> str:
    return repository.append(branch, {"record": content}, "m\n", KEY, WHEN, repository.tip(branch))


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A new one."""
    return Repository.init(tmp_path / "one")


def test_git_verifies_what_was_signed_here(repository: Repository, tmp_path: Path) -> None:
    commit = _append(repository)
    (tmp_path / "allowed").write_text(f"charter@localhost {KEY.public.line}\n")
    setting = f"gpg.ssh.allowedSignersFile={tmp_path / 'allowed'}"
    _git(repository.path, "-c", setting, "verify-commit", commit)
    _git(repository.path, "fsck", "--strict", "--no-dangling")
    assert _git(repository.path, "log", "-1", "--format=%an <%ae> %at", commit) == (
        f"Charter <charter@localhost> {int(WHEN.timestamp())}"
    )


def test_a_commit_is_taken_apart_as_it_was_made(repository: Repository) -> None:
    first, second = _append(repository), _append(repository, b"y")
    found = repository.commit(second)
    assert (found.parents, found.message, found.time) == ((first,), "m\n", WHEN)
    assert found.signature is not None
    assert b"gpgsig" not in found.payload
    assert [(entry.path, entry.mode, entry.size) for entry in repository.tree(second)] == [
        ("record", 0o100644, 1)
    ]
    assert repository.first_parents(None, second) == (first, second)
    assert repository.first_parents(first, second) == (second,)
    assert (repository.is_ancestor(first, second), repository.is_ancestor(second, first)) == (True, False)


def test_a_branch_moves_only_from_where_it_was_seen(repository: Repository) -> None:
    first = _append(repository)
    _append(repository, b"y")
    for expected in (first, None):
        with pytest.raises(Stale, match="another writer"):
            repository.append("log", {"record": b"z"}, "m\n", KEY, WHEN, expected)


def test_neither_work_tree_nor_index_is_touched_and_no_hook_runs(repository: Repository) -> None:
    hook = repository.path / ".git" / "hooks" / "reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {repository.path}/hooked\n")
    hook.chmod(0o755)
    _append(repository)
    assert sorted(path.name for path in repository.path.iterdir()) == [".git"]
    assert not (repository.path / ".git" / "index").exists()


def test_a_branch_that_is_not_there_is_none_and_a_broken_one_an_error(repository: Repository) -> None:
    assert repository.tip("log") is None
    assert repository.tip("log", remote="origin") is None
    (repository.path / ".git" / "refs" / "heads" / "log").write_text("garbage\n")
    with pytest.raises(Terminal, match="git fsck"):
        repository.tip("log")


@pytest.mark.parametrize("revision", ["--all", "-x", "HEAD --", "a b", "", "x" * 300, "nowhere", "$(id)"])
def test_what_is_no_revision_is_refused(repository: Repository, revision: str) -> None:
    _append(repository)
    with pytest.raises(UsageError):
        repository.resolve(revision)


@pytest.mark.parametrize("address", ["--upload-pack=touch x", "ext::sh -c id", "-x"])
def test_an_address_is_no_command(repository: Repository, address: str) -> None:
    with pytest.raises(UsageError, match="not a repository address"):
        repository.push("log", address)
    with pytest.raises(UsageError, match="not a repository address"):
        repository.remote_tip("log", address)


def test_a_path_that_is_not_utf8_survives(repository: Repository) -> None:
    name = b"caf\xe9"
    (repository.path / os.fsdecode(name)).write_bytes(b"x")
    _git(repository.path, "add", ".")
    _git(repository.path, "commit", "-q", "-m", "x")
    head = repository.head()
    assert head is not None
    (entry,) = repository.tree(head)
    assert entry.path.encode("utf-8", "surrogateescape") == name
    assert repository.changed_paths(None, head) == (entry.path,)


def test_a_substituted_object_is_not_believed(repository: Repository) -> None:
    honest, other = _append(repository), _append(repository, b"y", branch="other")
    _git(repository.path, "replace", honest, other)
    (entry,) = Repository.open(repository.path).tree(honest)
    assert repository.blob(entry.oid) == b"x"
    assert repository.commit(honest).id == honest


def test_a_repository_of_sha256_objects_is_refused(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "--object-format=sha256", str(tmp_path / "r")], check=True)
    with pytest.raises(Terminal, match="SHA-1"):
        Repository.open(tmp_path / "r")


def test_a_hook_s_environment_points_nowhere_else(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = _append(repository)
    Repository.init(tmp_path / "other")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other" / ".git"))
    assert Repository.open(repository.path).tip("log") == commit


def test_what_is_no_repository(tmp_path: Path) -> None:
    with pytest.raises(Terminal, match="git init"):
        Repository.open(tmp_path)


class TestRemotes:
    """A remote and two clones of its log."""

    @pytest.fixture
    def remote(self, tmp_path: Path) -> str:
        """A bare repository with one commit of the log."""
        made = Repository.init(tmp_path / "remote.git", bare=True)
        _append(made)
        return str(made.path)

    @pytest.fixture
    def clones(self, tmp_path: Path, remote: str) -> tuple[Repository, Repository]:
        """Both up to date."""
        found = tuple(Repository.mirror(remote, tmp_path / name) for name in ("a", "b"))
        for clone in found:
            clone.advance("log", remote)
        return found[0], found[1]

    def test_a_push_arrives_and_is_fetched(self, remote: str, clones: tuple[Repository, Repository]) -> None:
        one, two = clones
        commit = _append(one, b"1")
        one.push("log", remote)
        two.advance("log", remote)
        assert two.tip("log") == two.remote_tip("log", remote) == commit

    def test_the_second_of_two_pushes_loses(self, remote: str, clones: tuple[Repository, Repository]) -> None:
        one, two = clones
        _append(one, b"1")
        one.push("log", remote)
        mine = _append(two, b"2")
        with pytest.raises(Stale, match="another writer"):
            two.push("log", remote)
        with pytest.raises(Stale, match="does not hold what was written from here"):
            two.advance("log", remote)
        assert two.tip("log") == mine

    def test_what_could_not_be_pushed_yet_is_kept_and_pushed_later(
        self, remote: str, clones: tuple[Repository, Repository]
    ) -> None:
        one, _ = clones
        ahead = _append(one, b"1")
        one.advance("log", remote)
        assert one.tip("log") == ahead
        one.push("log", remote)
        assert one.remote_tip("log", remote) == ahead

    def test_a_remote_that_went_back_takes_nothing_away(
        self, remote: str, clones: tuple[Repository, Repository]
    ) -> None:
        one, _ = clones
        commit = _append(one, b"1")
        one.push("log", remote)
        _git(Path(remote), "update-ref", "refs/heads/log", f"{commit}~1")
        one.advance("log", remote)
        assert one.tip("log") == commit

    def test_a_remote_that_is_away(self, clones: tuple[Repository, Repository], tmp_path: Path) -> None:
        with pytest.raises(Unreachable, match="check the remote"):
            clones[0].push("log", str(tmp_path / "nowhere"))
