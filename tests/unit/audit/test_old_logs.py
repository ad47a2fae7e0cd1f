"""A log written when the format was fixed still reads and verifies, byte by byte, in both verifiers."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from reconciler.audit import anchor
from reconciler.audit.fields import KINDS
from reconciler.audit.log import AuditLog
from reconciler.audit.record import build
from reconciler.audit.verify import verify_log
from reconciler.system.git import Repository

ROOT = Path(__file__).parents[3]
DATA = ROOT / "tests" / "data"


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As an auditor gets it: the branch is only that of the remote `origin`."""
    path = tmp_path_factory.mktemp("old") / "clone"
    bundle = str(DATA / "audit-v1.bundle")
    subprocess.run(["git", "init", "-q", "-b", "main", str(path)], check=True)
    fetch = ["fetch", "-q", bundle, "refs/heads/audit:refs/remotes/origin/audit"]
    subprocess.run(["git", "-C", str(path), *fetch], check=True)
    return path


def test_both_verifiers_find_it_intact_under_its_trust_file(clone: Path) -> None:
    trust = DATA / "audit-v1.trust"
    result = verify_log(Repository.open(clone), anchor.read(trust))
    assert result.faults == ()
    assert (result.entries, result.void, result.rooted, result.anchored) == (14, (6, 7), True, True)
    done = subprocess.run(
        ["sh", str(ROOT / "verify.sh"), "--trust", str(trust), str(clone)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert (
        done.stdout
        == f"void by a later key entry: 6-7\nintact: 14 entries, tip 13 {result.tip[1] if result.tip else ''}\n"
    )


def test_every_kind_is_read_and_would_be_written_the_same(clone: Path, tmp_path: Path) -> None:
    repository = Repository.open(clone)
    log = AuditLog(repository, tmp_path, branch="old")
    subprocess.run(
        ["git", "-C", str(clone), "update-ref", "refs/heads/old", "refs/remotes/origin/audit"], check=True
    )
    history = log.history()
    assert {entry.record.kind for entry in history} == set(KINDS)
    for entry in history:
        values = {key: list(entry.record.all(key)) for key, _ in entry.record.lines}
        assert build(entry.record.kind, values).content == entry.record.content


def test_its_texts_come_back_as_they_were(clone: Path) -> None:
    log = AuditLog(Repository.open(clone), clone / "state", branch="old")
    intent = next(entry.record for entry in log.entries() if entry.record.kind == "intent")
    assert intent.all("signed") == ("a" * 40 + " -", "b" * 40 + " sigrún")
    assert intent.all("remark") == ("100 % of nodes\nseen ", "require: none: signatures are not asked for")
    assert [entry.record.seq for entry in log.entries() if entry.record.one("clock") == "held"] == [12]
