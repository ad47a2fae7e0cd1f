"""Founding: enough distinct root keys over the very bytes, once, with the key that the draft names."""

from __future__ import annotations

from pathlib import Path

import pytest

from reconciler.audit.genesis import automatic, draft, found
from reconciler.audit.log import AuditLog
from reconciler.audit.record import Record, RecordInvalid
from reconciler.audit.roots import NAMESPACE, Roots
from reconciler.audit.verify import verify_log
from reconciler.errors import Denied, Terminal
from reconciler.system.clock import InjectedClock
from reconciler.system.git import Repository
from reconciler.system.ssh import PrivateKey
from tests.unit.audit.forge import START, at

KEY, ROOTS = PrivateKey.generate(), [PrivateKey.generate() for _ in range(3)]


def _draft(threshold: int = 2, origin: str = "audit.example/aurora") -> Record:
    roots = Roots(tuple(root.public for root in ROOTS), threshold)
    return draft("aurora", origin, roots, KEY.public, "a" * 64, at(0), "charter 0.1.0")


def _log(tmp_path: Path) -> AuditLog:
    return AuditLog(Repository.init(tmp_path / "log"), tmp_path / "state")


def _signatures(record: Record, *roots: PrivateKey, namespace: str = NAMESPACE) -> list[str]:
    return [root.sign(namespace, record.rooted_content) for root in roots]


def test_two_of_three_found_a_log_that_verifies(tmp_path: Path) -> None:
    log, record = _log(tmp_path), _draft()
    entry = found(log, record.rooted_content, _signatures(record, *ROOTS[1:]), KEY)
    assert entry.record.rooted_content == record.content
    result = verify_log(Repository.open(tmp_path / "log"), None)
    assert (result.intact, result.rooted, result.genesis) == (True, True, entry.record.sha256)
    with pytest.raises(Terminal, match="already"):
        found(log, record.rooted_content, _signatures(record, *ROOTS[1:]), KEY)


def test_too_few_or_others_found_nothing(tmp_path: Path) -> None:
    log, record = _log(tmp_path), _draft()
    stranger = PrivateKey.generate()
    for signatures in (
        [],
        _signatures(record, ROOTS[0]),
        _signatures(record, ROOTS[0], ROOTS[0]),
        _signatures(record, ROOTS[0], stranger),
        _signatures(record, ROOTS[0], ROOTS[1], namespace="git"),
        _signatures(_draft(threshold=3), ROOTS[0], ROOTS[1]),
        ["nonsense", *_signatures(record, ROOTS[0])],
    ):
        with pytest.raises(Denied, match=r"[12] more root signatures"):
            found(log, record.rooted_content, signatures, KEY)
    assert log.last() is None


@pytest.mark.parametrize("threshold", [0, 4, -1])
def test_a_threshold_fits_the_number_of_roots(threshold: int) -> None:
    with pytest.raises(Terminal, match="between 1 and"):
        _draft(threshold)


def test_the_same_root_named_twice_is_one() -> None:
    roots = Roots((ROOTS[0].public, ROOTS[0].public), 2)
    with pytest.raises(Terminal, match="with 1 root keys"):
        draft("aurora", "audit.example/aurora", roots, KEY.public, "a" * 64, at(0), "charter 0.1.0")


@pytest.mark.parametrize("origin", ["with space", "a+b", "é", "/x", "a" * 201])
def test_an_origin_is_a_plain_name(origin: str) -> None:
    with pytest.raises(RecordInvalid, match="origin"):
        _draft(origin=origin)


def test_the_draft_binds_the_log_key(tmp_path: Path) -> None:
    record = _draft()
    with pytest.raises(Terminal, match="another log key"):
        found(_log(tmp_path), record.rooted_content, _signatures(record, *ROOTS), PrivateKey.generate())


def test_an_automatic_genesis_is_called_untrusted_and_has_a_name_of_its_own(tmp_path: Path) -> None:
    origins = set()
    for name in ("one", "two"):
        log = AuditLog(Repository.init(tmp_path / name), tmp_path / f"{name}.state")
        entry = automatic(log, "aurora", "a" * 64, KEY, InjectedClock(START), "charter 0.1.0")
        assert (entry.record.one("trust"), entry.record.one("clock")) == ("untrusted", "injected")
        result = verify_log(Repository.open(tmp_path / name), None)
        assert (result.intact, result.rooted) == (True, False)
        origins.add(entry.record.one("origin"))
    assert len(origins) == 2
