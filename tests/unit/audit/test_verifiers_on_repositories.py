"""What lies beside the log in its repository: the site's commits, damaged or missing objects, substitutes, a clone's branches."""

from __future__ import annotations

import hashlib
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from reconciler.audit.verify import verify_log
from reconciler.errors import Terminal
from reconciler.system.git import Repository
from tests.unit.audit.forge import Forge, chained, honest

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).parents[3] / "verify.sh"
APPROVERS = b"require: none\n"


def _git(path: Path, *words: str) -> str:
    stamp = "2026-12-01T08:00:00Z"
    environment = {"GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp, "PATH": "/usr/bin:/bin"}
    command = ["git", "-C", str(path), "-c", "user.name=w", "-c", "user.email=w@localhost", *words]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return done.stdout.strip()


def _codes(path: Path) -> tuple[int, int]:
    """Exit codes of both verifiers."""
    done = subprocess.run(["sh", str(SCRIPT), str(path)], capture_output=True, check=False)
    try:
        code = verify_log(Repository.open(path), None).exit_code
    except Terminal as error:
        code = error.exit_code
    return code, done.returncode


def _site(path: Path) -> str:
    """A commit of a site in a repository of its own; the same id wherever it is made."""
    path.mkdir()
    _git(path, "init", "-q", "-b", "main")
    (path / "policies").mkdir()
    (path / "policies" / "approvers.yaml").write_bytes(APPROVERS)
    _git(path, "add", ".")
    _git(path, "commit", "-q", "-m", "site")
    return _git(path, "rev-parse", "HEAD")


def _applying(made: Forge, commit: str) -> Repository:
    """The log written anew as if it had applied this commit."""
    entries = [
        replace(entry, record=entry.record.replace(b"b" * 40, commit.encode())) for entry in made.entries
    ]
    return made.write(chained(entries, 0))


@pytest.mark.parametrize(("content", "code"), [(APPROVERS, 0), (b"require: signed\n", 6)])
def test_the_first_apply_s_approvers_are_those_of_genesis(tmp_path: Path, content: bytes, code: int) -> None:
    commit = _site(tmp_path / "site")
    repository = _applying(honest(tmp_path / "log", hashlib.sha256(content).hexdigest()), commit)
    assert _codes(repository.path) == (0, 0)
    _git(repository.path, "fetch", "-q", str(tmp_path / "site"), "main")
    assert _codes(repository.path) == (code, code)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A repository with an honest log, its objects loose."""
    made = honest(tmp_path / "log")
    return made.write(made.entries).path


def _loose(path: Path, name: str) -> Path:
    found = _git(path, "rev-parse", name)
    return path / ".git" / "objects" / found[:2] / found[2:]


@pytest.mark.parametrize(
    ("name", "code"),
    [("audit~3:owned.json", 6), ("audit~3:record", 6), ("audit~3^{tree}", 6), ("audit~3", 1)],
)
def test_a_missing_object_is_never_passed_over(log: Path, name: str, code: int) -> None:
    _loose(log, name).unlink()
    assert _codes(log) == (code, code)


@pytest.mark.parametrize("name", ["audit~3:owned.json", "audit~3:record", "audit~3^{tree}"])
def test_a_damaged_object_is_never_passed_over(log: Path, name: str) -> None:
    path = _loose(log, name)
    path.chmod(0o644)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)
    assert _codes(log) == (6, 6)


def test_an_object_s_substitute_is_not_looked_at(log: Path) -> None:
    _git(log, "replace", "audit~3", "audit~1")
    assert _codes(log) == (0, 0)


def test_a_clone_is_verified_by_its_remote_s_branch(log: Path, tmp_path: Path) -> None:
    _git(log, "update-ref", "refs/heads/main", "audit")
    _git(tmp_path, "clone", "-q", str(log), "clone")
    assert _codes(tmp_path / "clone") == (0, 0)


def test_a_shallow_clone_is_not_taken_for_the_whole(log: Path, tmp_path: Path) -> None:
    _git(tmp_path, "clone", "-q", "--depth=2", "--branch=audit", log.as_uri(), "clone")
    assert _codes(tmp_path / "clone") == (6, 6)


def test_the_caller_s_environment_points_nowhere_else(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Repository.init(tmp_path / "empty")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "empty" / ".git"))
    done = subprocess.run(["sh", str(SCRIPT), str(log)], capture_output=True, check=False)
    assert done.returncode == 0


@pytest.mark.parametrize("words", [["--unknown"], ["--trust"], ["--trust", "/nonexistent"]])
def test_a_wrong_call_of_the_script_is_1(log: Path, words: list[str]) -> None:
    words = [*words, str(log)] if words[0] == "--trust" and len(words) > 1 else words
    assert (
        subprocess.run(["sh", str(SCRIPT), *words], capture_output=True, check=False, cwd=log).returncode == 1
    )
