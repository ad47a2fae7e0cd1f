"""Attachments that somebody with the log key sealed without being Charter: refused as a broken log, never acted on."""

from __future__ import annotations

import pytest

from reconciler.audit.log import AuditLog
from reconciler.system.clock import clock
from reconciler.system.git import Repository
from reconciler.system.ssh import PrivateKey
from tests.unit.loop.conftest import FileSite

_CONTENT = [
    b"{",
    b"[]",
    b"[" * 100_000,
    b"\xff",
    b'{"keys": 7}',
    b'{"keys": [["slurm", "qos"]]}',
    b'{"keys": [["slurm", "qos", 7]]}',
]


def _seal_outcome(site: FileSite, owned: bytes, result: str = "files done: nothing to do") -> None:
    """An outcome that repeats the newest one, with another owned.json."""
    state = site.path / ".charter" / "state"
    log = AuditLog(Repository.open(site.path), state)
    intent, outcome = log.last("intent"), log.last("outcome")
    assert intent is not None
    assert outcome is not None
    key = PrivateKey.load(state / "untrusted_key")
    for entry in (intent, outcome):
        held = {name: log.attachment(entry, name) for name in entry.record.attachments}
        values = {
            name: list(entry.record.all(name)) if len(entry.record.all(name)) != 1 else entry.record.one(name)
            for name, _ in entry.record.lines
            if name
            not in ("format", "origin", "seq", "prev", "time", "clock", "kind", "writer", "attachment")
        }
        if entry is outcome:
            newest = log.last("intent")
            assert newest is not None
            held["owned.json"] = owned
            values |= {"intent": newest.record.sha256, "result": [result]}
        log.append(
            entry.record.kind, values, held, key=key, clock=clock(may_inject=True), writer="charter 0.1.0"
        )


@pytest.mark.parametrize("content", _CONTENT, ids=lambda content: str(content[:30]))
def test_an_attachment_that_charter_would_not_have_written_is_refused(site: FileSite, content: bytes) -> None:
    _seal_outcome(site, content)
    for verb in ("plan", "apply"):
        _, said = site.charter(verb, expect=6)
        assert "owned.json has not the form that docs/record.md gives it" in said
    site.charter("audit verify", expect=0)


def test_a_sealed_sentence_cannot_draw_on_the_terminal_nor_forge_a_line(site: FileSite) -> None:
    owned = AuditLog(Repository.open(site.path), site.path / ".charter" / "state")
    newest = owned.last("outcome")
    assert newest is not None
    _seal_outcome(site, owned.attachment(newest, "owned.json"), "files done: \x1b[2J\n   9  forged")
    _, said = site.charter("audit log", expect=0)
    assert "\x1b" not in said
    assert len(said.splitlines()) == len(site.entries())


def test_a_state_directory_that_holds_something_else(site: FileSite) -> None:
    tip = site.path / ".charter" / "state" / "tip"
    tip.unlink()
    tip.mkdir()
    _, said = site.charter("apply", expect=1)
    assert str(tip) in said
