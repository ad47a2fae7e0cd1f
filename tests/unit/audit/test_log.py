"""The log as the loop holds it: what others pushed is judged first, what was seen is not forgotten, void is void."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from reconciler.audit.anchor import Anchor
from reconciler.audit.log import AuditLog, message
from reconciler.audit.record import build
from reconciler.audit.verify import verify_log
from reconciler.errors import AuditBroken, Stale, Terminal
from reconciler.system.git import Repository
from reconciler.system.ssh import PrivateKey
from tests.unit.audit.forge import Draft, Forge, apply, at, edit, honest, rotated


@dataclass
class Held:
    """A reconciler's view of a forged repository."""

    made: Forge
    repository: Repository
    state: Path

    def log(self, anchor: Anchor | None = None) -> AuditLog:
        """The log, opened anew."""
        return AuditLog(self.repository, self.state, anchor=anchor)


def _held(tmp_path: Path, forge: Callable[[Forge], list[Draft]] = lambda made: made.entries) -> Held:
    made = honest(tmp_path / "log")
    return Held(made, made.write(forge(made)), tmp_path / "state")


def test_an_honest_log_is_read(tmp_path: Path) -> None:
    held = _held(tmp_path)
    log = held.log()
    assert [entry.record.kind for entry in log.entries()] == [
        "genesis",
        "intent",
        "outcome",
        "intent",
        "outcome",
        "drift",
    ]
    assert log.open_intent() is None
    outcome = log.last("outcome")
    assert outcome is not None
    assert log.attachment(outcome, "owned.json") == b"{}\n"
    with pytest.raises(AuditBroken, match="no attachment plan"):
        log.attachment(outcome, "plan.json")


@pytest.mark.parametrize(
    ("forge", "why"),
    [
        (
            lambda made: [*made.entries[:5], replace(made.entries[5], signer=PrivateKey.generate())],
            "signed by",
        ),
        (lambda made: [*made.entries[:5], replace(made.entries[5], signer=None)], "not signed"),
        (edit(5, b"seq 5", b"seq 6"), "says seq 6"),
        (edit(2, b"policy dd", b"policy ee"), "its policy is not its intent's"),
        (edit(5, b"clock system", b"clock held"), "held"),
        (edit(0, b"root_threshold 2", b"root_threshold 1"), "root"),
    ],
)
def test_what_breaks_a_rule_is_not_acted_on(
    tmp_path: Path, forge: Callable[[Forge], list[Draft]], why: str
) -> None:
    with pytest.raises(AuditBroken, match=why):
        _held(tmp_path, forge).log().entries()


def test_an_entry_appended_by_another_key_is_refused_though_older_ones_were_seen(tmp_path: Path) -> None:
    held = _held(tmp_path)
    held.log().remember()
    files = {item.path: held.repository.blob(item.oid) for item in held.repository.tree("audit")}
    newest = held.log().history()[-1]
    values = {key: list(newest.record.all(key)) for key, _ in newest.record.lines}
    record = build("drift", {**values, "seq": "6", "prev": newest.record.sha256})
    files["record"] = record.content
    held.repository.append("audit", files, message(record), PrivateKey.generate(), at(9).now(), newest.commit)
    with pytest.raises(AuditBroken, match=r"entry 6 .*signed by"):
        held.log().entries()


def test_a_key_that_is_not_in_force_seals_nothing(tmp_path: Path) -> None:
    held = _held(tmp_path)
    tip = held.repository.tip("audit")
    with pytest.raises(Terminal, match="not the log key in force"):
        apply(held.log(), PrivateKey.generate(), 9)
    assert held.repository.tip("audit") == tip


def test_an_attachment_replaced_under_a_record_already_seen_is_found_when_it_is_read(tmp_path: Path) -> None:
    held = _held(tmp_path)
    log = held.log()
    log.remember()
    entries = list(held.made.entries)
    entries[4] = replace(entries[4], files={**entries[4].files, "owned.json": b"other"})
    held.made.path = tmp_path / "again"
    again = AuditLog(held.made.write(entries), held.state)
    outcome = again.last("outcome")
    assert outcome is not None
    with pytest.raises(AuditBroken, match="differs from its digest"):
        again.attachment(outcome, "owned.json")


@pytest.mark.parametrize("kept", [0, 3])
def test_a_branch_that_lost_what_was_seen_is_refused(tmp_path: Path, kept: int) -> None:
    held = _held(tmp_path)
    held.log().remember()
    held.made.path = tmp_path / "cut"
    cut = held.made.write(held.made.entries[:kept]) if kept else Repository.init(tmp_path / "cut")
    with pytest.raises(AuditBroken, match="does not hold entry 5"):
        AuditLog(cut, held.state).entries()


def test_a_record_rewritten_below_the_seen_tip_breaks_the_chain(tmp_path: Path) -> None:
    held = _held(tmp_path)
    held.log().remember()
    entries = list(held.made.entries)
    entries[2] = replace(entries[2], record=entries[2].record.replace(b"complete", b"failed"))
    held.made.path = tmp_path / "again"
    with pytest.raises(AuditBroken, match="prev"):
        AuditLog(held.made.write(entries), held.state).entries()


def test_the_trust_file_binds_genesis_and_tip_from_the_first_look(tmp_path: Path) -> None:
    held = _held(tmp_path)
    digests = [entry.record.sha256 for entry in held.log().entries()]
    held.log(Anchor(digests[0], (3, digests[3]))).entries()
    for wrong in (
        Anchor("0" * 64, None),
        Anchor(digests[0], (3, "0" * 64)),
        Anchor(digests[0], (9, digests[3])),
    ):
        with pytest.raises(AuditBroken, match="trust file"):
            held.log(wrong).entries()
    with pytest.raises(AuditBroken, match="trust file"):
        AuditLog(Repository.init(tmp_path / "empty"), held.state, anchor=Anchor(digests[0], None)).entries()


def test_a_damaged_memory_stops_with_a_remedy(tmp_path: Path) -> None:
    held = _held(tmp_path)
    held.state.mkdir()
    (held.state / "tip").write_text("5 xyz\n")
    with pytest.raises(Terminal, match="audit verify"):
        held.log().entries()


def test_what_a_stolen_key_wrote_does_not_count_once_it_is_void(tmp_path: Path) -> None:
    made = rotated(tmp_path / "log")
    log = AuditLog(made.write(made.entries[:7]), tmp_path / "state")
    assert log.void == {4, 5}
    assert [entry.record.seq for entry in log.entries()] == [0, 1, 2, 3, 6]
    assert [entry.record.seq for entry in log.history()] == [0, 1, 2, 3, 4, 5, 6]
    intent, statement = log.open_intent(), log.last("statement")
    assert intent is not None
    assert (intent.record.seq, statement) == (3, None)


def test_a_clock_behind_the_log_is_held_and_said_to_be(tmp_path: Path) -> None:
    held = _held(tmp_path)
    log, before = held.log(), held.log().entries()[-1]
    apply(log, held.made.key, -60)
    intent = log.entries()[-2].record
    assert (intent.one("clock"), intent.one("time")) == ("held", before.record.one("time"))
    assert verify_log(held.repository, None).intact


def test_what_would_not_verify_is_never_sealed(tmp_path: Path) -> None:
    held = _held(tmp_path)
    log, tip = held.log(), held.repository.tip("audit")
    wrong = {"site_commit": "b" * 40, "site_digest": "c" * 64, "drift": "9" * 64}
    with pytest.raises(Terminal, match=r"would not verify: it drift is not the digest"):
        log.append("drift", wrong, {"drift.json": b"x"}, key=held.made.key, clock=at(9), writer="charter 0")
    assert held.repository.tip("audit") == tip


def test_of_two_writers_the_slower_one_is_stale(tmp_path: Path) -> None:
    held = _held(tmp_path)
    slow = held.log()
    newest = slow.entries()[-1]
    apply(held.log(), held.made.key, 8)
    with pytest.raises(Stale, match="another writer"):
        held.repository.append("audit", {"record": b"x"}, "m", held.made.key, at(9).now(), newest.commit)
    assert len(slow.entries()) == 8


def test_without_a_log_nothing_can_be_appended(tmp_path: Path) -> None:
    log = AuditLog(Repository.init(tmp_path / "empty"), tmp_path / "state")
    assert log.entries() == ()
    with pytest.raises(Terminal, match="charter audit init"):
        apply(log, PrivateKey.generate(), 1)
