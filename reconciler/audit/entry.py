"""An entry as git holds it: a commit of one strict form, a flat tree, the record and its attachments."""

from __future__ import annotations

import hashlib
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field

from reconciler.audit.record import LIMIT, Record, RecordInvalid, parse
from reconciler.errors import AuditBroken, Terminal
from reconciler.source.objects import MAX_COMMIT, Objects

ATTACHMENT_LIMIT = 256 << 20
_COMMIT = re.compile(
    rb"(?P<tree>tree (?P<tree_id>[0-9a-f]{40})\n)(?P<parents>(?:parent [0-9a-f]{40}\n)*)"
    rb"(?P<people>author [ -~]*\ncommitter [ -~]*\n)"
    rb"(?:gpgsig (?P<signature>-----BEGIN SSH SIGNATURE-----\n(?: [A-Za-z0-9+/]+\n)*(?: [A-Za-z0-9+/]+={0,2}\n)"
    rb" -----END SSH SIGNATURE-----)\n)?"
    rb"\n(?P<message>.*)",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A record and the commit that holds it."""

    commit: str
    record: Record


@dataclass(frozen=True, slots=True)
class Held:
    """What a commit of the log holds; `faults` where its form alone is wrong, and then parts are missing.

    `files`: name to (regular file, object id), the record not among them. `payload` is what `signature` covers.
    """

    commit: str
    record: Record | None = None
    parents: tuple[str, ...] = ()
    message: bytes = b""
    signature: str | None = None
    payload: bytes = b""
    files: dict[str, tuple[bool, str]] = field(default_factory=dict)
    faults: tuple[str, ...] = ()

    def of(self) -> Record:
        """The record. Raises AuditBroken where there is none."""
        if self.record is None:
            raise AuditBroken(f"commit {self.commit} holds no record; run: charter audit verify")
        return self.record


def message(record: Record) -> str:
    """The commit message that belongs to a record."""
    return f"{record.kind} {record.seq}\n\nRecord-Sha256: {record.sha256}\n"


def read_held(store: Objects, commit: str) -> Held:
    """An entry with the faults of its form; never raises for what a commit holds."""
    try:
        match = _COMMIT.fullmatch(store.read(commit, "commit", MAX_COMMIT))
        if match is None:
            return Held(commit, faults=("its commit object is not of the form that docs/record.md gives",))
        return _held(store, commit, match)
    except Terminal as error:
        return Held(commit, faults=(f"cannot be read: {error}",))


def digest_of(store: Objects, object_id: str) -> str | None:
    """SHA-256 (hex) of an attachment; None where it is larger than an attachment may be. Raises Terminal."""
    if store.size(object_id, "blob") > ATTACHMENT_LIMIT:
        return None
    return hashlib.sha256(store.read(object_id, "blob", ATTACHMENT_LIMIT)).hexdigest()


def _held(store: Objects, commit: str, match: re.Match[bytes]) -> Held:
    folder = {
        name.decode("utf-8", "backslashreplace"): (_regular(entry.mode), entry.id)
        for name, entry in store.folder(match["tree_id"].decode()).items()
    }
    regular, object_id = folder.pop("record", (False, ""))
    record, faults = _record(store, object_id) if regular else (None, ("holds no regular file `record`",))
    signature = match["signature"]
    return Held(
        commit,
        record,
        parents=tuple(_parents(match["parents"])),
        message=match["message"],
        signature=signature.decode().replace("\n ", "\n") if signature else None,
        payload=b"".join((match["tree"], match["parents"], match["people"], b"\n", match["message"])),
        files=folder,
        faults=faults,
    )


def _record(store: Objects, object_id: str) -> tuple[Record | None, tuple[str, ...]]:
    if store.size(object_id, "blob") > LIMIT:
        return None, (f"record is larger than {LIMIT} bytes",)
    try:
        return parse(store.read(object_id, "blob", LIMIT)), ()
    except RecordInvalid as error:
        return None, (f"record {error}",)


def _parents(lines: bytes) -> Iterator[str]:
    return (line.removeprefix("parent ") for line in lines.decode().splitlines())


def _regular(mode: int) -> bool:
    """A regular file that isn't executable, as git shows it: of a file's permissions it knows only the owner's x."""
    return stat.S_ISREG(mode) and not mode & stat.S_IXUSR
