"""The branch that holds the log: entries read back checked for shape, new ones appended signed.

The newest tip seen is remembered in state_dir: a branch that no longer holds it was rewritten, and is refused.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from reconciler.audit.fields import ATTACHMENT, FORMAT
from reconciler.audit.record import LIMIT, Record, RecordInvalid, build, parse
from reconciler.errors import AuditBroken, Terminal
from reconciler.system.clock import Clock
from reconciler.system.files import atomic_write, read_regular
from reconciler.system.git import Repository
from reconciler.system.ssh import PrivateKey
from renderer.notation.times import iso

BRANCH = "audit"
NO_PREVIOUS = "0" * 64
_ATTACHMENT_LIMIT = 256 << 20
_REGULAR = 0o100644


@dataclass(frozen=True, slots=True)
class Entry:
    """A record and the commit that holds it."""

    commit: str
    record: Record


class AuditLog:
    """Branch `audit` of a repository, and the memory of its tip in `state_dir`."""

    def __init__(self, repository: Repository, state_dir: Path, branch: str = BRANCH) -> None:
        self._repository = repository
        self._memory = state_dir / "tip"
        self._branch = branch
        self._entries: tuple[Entry, ...] = ()
        self._read_to: str | None = None

    def entries(self) -> tuple[Entry, ...]:
        """All entries, oldest first. Raises AuditBroken for a commit that holds no record, or a forgotten tip."""
        tip = self._repository.tip(self._branch)
        if tip != self._read_to:
            commits = self._repository.first_parents(None, tip) if tip else ()
            known = {entry.commit: entry for entry in self._entries}
            self._entries = tuple(
                known.get(commit) or Entry(commit, self._record(commit)) for commit in commits
            )
            self._read_to = tip
        self._check_memory()
        return self._entries

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
        blobs = {item.path: item.oid for item in self._repository.tree(entry.commit)}
        expected = entry.record.attachments.get(name)
        if expected is None or name not in blobs:
            raise AuditBroken(f"entry {entry.record.seq} has no attachment {name}; run: charter audit verify")
        content = self._repository.blob(blobs[name])
        if hashlib.sha256(content).hexdigest() != expected:
            raise AuditBroken(
                f"entry {entry.record.seq}: {name} differs from its digest; run: charter audit verify"
            )
        return content

    def append(
        self,
        kind: str,
        values: Mapping[str, str | Sequence[str]],
        attachments: Mapping[str, bytes],
        *,
        key: PrivateKey,
        clock: Clock,
        writer: str,
    ) -> Entry:
        """Seal an entry after the newest. Raises Stale when another writer was faster."""
        previous = self.last()
        head = {**_head(previous, clock, writer), "kind": kind}
        record = build(kind, {**head, **values, ATTACHMENT: named(attachments)})
        return self.seal(record, attachments, key=key, previous=previous)

    def seal(
        self, record: Record, attachments: Mapping[str, bytes], *, key: PrivateKey, previous: Entry | None
    ) -> Entry:
        """Commit a finished record with its attachments on top of `previous`."""
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
        self._entries, self._read_to = (*self._entries, entry), commit
        self._remember(entry)
        return entry

    def remember(self) -> None:
        """Note the newest entry as seen."""
        newest = self.last()
        if newest:
            self._remember(newest)

    def _remember(self, entry: Entry) -> None:
        atomic_write(self._memory, f"{entry.record.seq} {entry.record.sha256}\n".encode(), 0o600)

    def _check_memory(self) -> None:
        if not self._memory.exists():
            return
        seq, _, digest = read_regular(self._memory, 200).decode(errors="replace").strip().partition(" ")
        if not seq.isdigit():
            raise Terminal(
                f"{self._memory}: is damaged; restore it, or remove it after: charter audit verify --trust FILE"
            )
        position = int(seq)
        if position >= len(self._entries) or self._entries[position].record.sha256 != digest:
            raise AuditBroken(
                f"branch {self._branch} no longer holds entry {position} ({digest[:12]}…), which was seen here: history was "
                "rewritten; restore the branch from another clone"
            )

    def _record(self, commit: str) -> Record:
        found = next((item for item in self._repository.tree(commit) if item.path == "record"), None)
        if found is None or found.mode != _REGULAR or found.size > LIMIT:
            raise AuditBroken(
                f"commit {commit} of branch {self._branch} holds no record; run: charter audit verify"
            )
        try:
            return parse(self._repository.blob(found.oid))
        except RecordInvalid as error:
            raise AuditBroken(f"commit {commit}: record {error}; run: charter audit verify") from None


def message(record: Record) -> str:
    """The commit message that belongs to a record."""
    return f"{record.kind} {record.seq}\n\nRecord-Sha256: {record.sha256}\n"


def read_attachments(repository: Repository, commit: str) -> Iterator[tuple[str, int, bytes]]:
    """(name, mode, content) of everything in an entry's tree but the record."""
    for item in repository.tree(commit):
        if item.path != "record":
            content = (
                repository.blob(item.oid) if item.size <= _ATTACHMENT_LIMIT and item.mode == _REGULAR else b""
            )
            yield item.path, item.mode, content


def named(attachments: Mapping[str, bytes]) -> list[str]:
    """The attachment lines' values for these files."""
    return [f"{hashlib.sha256(content).hexdigest()} {name}" for name, content in attachments.items()]


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
