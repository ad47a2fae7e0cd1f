"""The branch that holds the log: entries read back and judged, new ones appended signed.

Whoever may push the branch may write to it, so nothing read is believed before it is judged by the log key in force.
The newest entry judged is remembered in state_dir: a branch that no longer holds it was rewritten, and is refused.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from reconciler.audit.anchor import Anchor
from reconciler.audit.entry import ATTACHMENT_LIMIT, Entry, Held, message, read_held
from reconciler.audit.fields import ATTACHMENT, FORMAT
from reconciler.audit.memory import Memory
from reconciler.audit.record import Record, build
from reconciler.audit.rules import State, advance, faults, follows, in_force
from reconciler.errors import AuditBroken, Terminal
from reconciler.source.objects import Objects, objects
from reconciler.system.clock import Clock
from reconciler.system.documents import json_mapping
from reconciler.system.git import Repository
from reconciler.system.ssh import PrivateKey
from renderer.notation.times import iso

BRANCH = "audit"
__all__ = ["BRANCH", "AuditLog", "Entry", "malformed", "message", "named"]


def malformed(entry: Entry, name: str, why: str) -> AuditBroken:
    """The error for an attachment that was sealed, but is not what docs/record.md says."""
    return AuditBroken(
        f"entry {entry.record.seq}: {name} has not the form that docs/record.md gives it ({why}); its writer was no Charter"
    )


class AuditLog:
    """Branch `audit` of a repository; `anchor` is what the trust file says of it."""

    def __init__(
        self, repository: Repository, state_dir: Path, branch: str = BRANCH, anchor: Anchor | None = None
    ) -> None:
        self._repository = repository
        self._memory = Memory(state_dir)
        self._branch = branch
        self._anchor = anchor
        self._history: list[Entry] = []
        self._state = State()
        self._read_to: str | None = None

    def history(self) -> tuple[Entry, ...]:
        """All entries, void ones too, oldest first. Raises AuditBroken for one that breaks a rule, or a forgotten tip."""
        tip = self._repository.tip(self._branch)
        if tip != self._read_to:
            self._read(self._repository.first_parents(None, tip) if tip else ())
            self._read_to = tip
        self._check_seen()
        return tuple(self._history)

    @property
    def void(self) -> frozenset[int]:
        """Sequence numbers of the entries that a later `key` entry declared void."""
        self.history()
        return frozenset(self._state.void)

    def entries(self) -> tuple[Entry, ...]:
        """The entries that count, oldest first. Raises AuditBroken as `history` does."""
        found = self.history()
        return tuple(entry for entry in found if entry.record.seq not in self._state.void)

    def last(self, *kinds: str) -> Entry | None:
        """The newest entry of one of these kinds (of any, where none is given)."""
        return next(
            (entry for entry in reversed(self.entries()) if not kinds or entry.record.kind in kinds), None
        )

    def open_intent(self) -> Entry | None:
        """The intent that no outcome has closed."""
        newest = self.last("intent", "outcome")
        return newest if newest and newest.record.kind == "intent" else None

    def attachment(self, entry: Entry, name: str) -> bytes:
        """Content of an attachment, checked against its digest. Raises AuditBroken."""
        with objects(self._repository) as store:
            return _attachment(store, read_held(store, entry.commit), name)

    def document(self, entry: Entry, name: str) -> dict[str, Any]:
        """An attachment that is a JSON object. Raises AuditBroken."""
        try:
            return json_mapping(self.attachment(entry, name))
        except ValueError as error:
            raise malformed(entry, name, str(error)) from None

    def append(
        self,
        kind: str,
        values: Mapping[str, str | Sequence[str]],
        attachments: Mapping[str, bytes],
        *,
        key: PrivateKey,
        clock: Clock,
        writer: str,
        announce: Callable[[Record], None] = lambda _record: None,
    ) -> Entry:
        """Seal an entry after the newest; `announce` hears of it before. Raises Stale when another writer was faster."""
        previous = self.last()
        head = {**_head(previous, clock, writer), "kind": kind}
        record = build(kind, {**head, **values, ATTACHMENT: named(attachments)})
        announce(record)
        return self.seal(record, attachments, key=key, previous=previous)

    def seal(
        self, record: Record, attachments: Mapping[str, bytes], *, key: PrivateKey, previous: Entry | None
    ) -> Entry:
        """Commit a finished record with its attachments on top of `previous`. Raises Terminal for one that no verifier would accept."""
        self._would_hold(record, attachments, previous)
        if key.public.line != in_force(record, self._state):
            raise Terminal(
                "audit_key is not the log key in force, so nothing was sealed; restore it, or replace it as docs/trust.md says"
            )
        when = datetime.strptime(record.one("time"), "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
        commit = self._repository.append(
            self._branch,
            {"record": record.content, **attachments},
            message(record),
            key,
            when,
            previous.commit if previous else None,
        )
        entry = Entry(commit, record)
        self._memory.write(entry)
        return entry

    def remember(self) -> None:
        """Note the newest entry as seen."""
        history = self.history()
        if history:
            self._memory.write(history[-1])

    def _read(self, commits: Sequence[str]) -> None:
        if list(commits[: len(self._history)]) != [entry.commit for entry in self._history]:
            self._history, self._state = [], State()
        seen = self._memory.read()
        with objects(self._repository) as store:
            for commit in commits[len(self._history) :]:
                held = read_held(store, commit)
                known = seen is not None and len(self._history) <= seen[0]
                self._history.append(self._judged(store, held, known=known))

    def _judged(self, store: Objects, held: Held, *, known: bool) -> Entry:
        """An entry that breaks no rule. Of one seen before the record alone is read: the tip's digest vouches for it."""
        position = len(self._state.digests)
        rules = follows(held, self._state) if known else faults(held, self._state, _contents(store, held))
        for fault in rules:
            raise AuditBroken(
                f"entry {position} of branch {self._branch} ({held.commit[:12]}) {fault}; run: charter audit verify"
            )
        advance(held, self._state)
        return Entry(held.commit, held.of())

    def _check_seen(self) -> None:
        digests = self._state.digests
        anchored = self._anchor.entries if self._anchor else ()
        for position, digest in filter(None, (self._memory.read(), *anchored)):
            if position >= len(digests) or digests[position] != digest:
                raise AuditBroken(
                    f"branch {self._branch} does not hold entry {position} ({digest[:12]}…), which was seen here or stands in "
                    "the trust file: history was rewritten; restore the branch from another clone"
                )

    def _would_hold(self, record: Record, attachments: Mapping[str, bytes], previous: Entry | None) -> None:
        large = [name for name, content in attachments.items() if len(content) > ATTACHMENT_LIMIT]
        if large:
            raise Terminal(f"{large[0]} is larger than {ATTACHMENT_LIMIT} bytes, which no entry may hold")
        held = Held(
            "",
            record,
            parents=(previous.commit,) if previous else (),
            message=message(record).encode(),
            files=dict.fromkeys(attachments, (True, "")),
        )
        self.history()
        for fault in faults(held, self._state, attachments.__getitem__, signed=False):
            raise Terminal(f"entry {record.seq} would not verify: it {fault}; nothing was sealed")


def named(attachments: Mapping[str, bytes]) -> list[str]:
    """The attachment lines' values for these files."""
    return [f"{hashlib.sha256(content).hexdigest()} {name}" for name, content in attachments.items()]


def _contents(store: Objects, held: Held) -> Callable[[str], bytes]:
    return lambda name: _attachment(store, held, name)


def _attachment(store: Objects, held: Held, name: str) -> bytes:
    record = held.of()
    expected, (_, object_id) = record.attachments.get(name), held.files.get(name, (False, ""))
    if expected is None or not object_id:
        raise AuditBroken(f"entry {record.seq} has no attachment {name}; run: charter audit verify")
    content = store.read(object_id, "blob", ATTACHMENT_LIMIT)
    if hashlib.sha256(content).hexdigest() != expected:
        raise AuditBroken(f"entry {record.seq}: {name} differs from its digest; run: charter audit verify")
    return content


def _head(previous: Entry | None, clock: Clock, writer: str) -> dict[str, str]:
    if previous is None:
        raise Terminal("there is no audit log yet; run: charter audit init")
    now, before = iso(clock.now()), previous.record.one("time")
    held = now < before
    return {
        "format": FORMAT,
        "origin": previous.record.one("origin"),
        "seq": str(previous.record.seq + 1),
        "prev": previous.record.sha256,
        "time": before if held else now,
        "clock": "injected" if clock.injected else "held" if held else "system",
        "writer": writer,
    }
