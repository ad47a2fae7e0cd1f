"""Logs as a forger would make them: the same entries written again, with one thing changed."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from reconciler.audit.genesis import draft, found
from reconciler.audit.log import AuditLog, Entry, message, named
from reconciler.audit.record import RecordInvalid, build, parse
from reconciler.audit.roots import NAMESPACE, Roots
from reconciler.system.clock import InjectedClock
from reconciler.system.git import Repository
from reconciler.system.ssh import PrivateKey
from renderer.notation.times import iso

START = datetime(2026, 12, 1, 8, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Moment(InjectedClock):
    """A fixed time that doesn't call itself injected."""

    injected: bool = False


@dataclass
class Draft:
    """One entry before it is committed."""

    record: bytes
    files: dict[str, bytes]
    signer: PrivateKey | None
    text: str | None = None
    parents: int | None = None
    mode: dict[str, str] = field(default_factory=dict)
    more: tuple[tuple[str, str, bytes], ...] = ()
    """Further tree entries: mode, name, content (none for a folder, which is empty)."""
    bent: Callable[[bytes], bytes] = bytes
    """What happens to the commit object once it is signed."""


@dataclass
class Forge:
    """A repository, its keys and the entries of an honest log."""

    path: Path
    key: PrivateKey
    roots: list[PrivateKey]
    entries: list[Draft]

    def write(self, entries: list[Draft]) -> Repository:
        """A new repository that holds these entries on branch audit."""
        self.path.mkdir(parents=True)
        _git(self.path, "init", "-q", "-b", "main")
        tip: str | None = None
        for entry in entries:
            tip = _commit(self.path, entry, tip)
        _git(self.path, "update-ref", "refs/heads/audit", str(tip))
        return Repository.open(self.path)


def honest(folder: Path, approvers: str = "0" * 64) -> Forge:
    """genesis (2 of 3 roots), intent, outcome, drift, intent, outcome; times a minute apart."""
    folder.mkdir(parents=True)
    repository = Repository.init(folder / "honest")
    log = AuditLog(repository, folder / "state")
    key, roots = PrivateKey.generate(), [PrivateKey.generate() for _ in range(3)]
    _genesis(log, key, roots, approvers)
    for minute in (1, 2):
        apply(log, key, minute)
    _drift(log, key, 3)
    drafts = [_draft_of(repository, entry.commit, key) for entry in log.entries()]
    return Forge(folder / "forged", key, roots, drafts)


def _genesis(log: AuditLog, key: PrivateKey, roots: list[PrivateKey], approvers: str = "0" * 64) -> None:
    record = draft(
        "aurora",
        "audit.example/aurora",
        Roots(tuple(r.public for r in roots), 2),
        key.public,
        approvers,
        at(0),
        "charter 0.1.0",
    )
    found(log, record.rooted_content, [r.sign(NAMESPACE, record.rooted_content) for r in roots[:2]], key)


def at(minutes: int) -> Moment:
    """A moment of the honest log."""
    return Moment(START + timedelta(minutes=minutes))


def rotated(folder: Path) -> Forge:
    """genesis, intent, outcome, intent; then, by a stolen key and years ahead, outcome, statement; then a new key, outcome."""
    folder.mkdir(parents=True)
    repository = Repository.init(folder / "honest")
    log = AuditLog(repository, folder / "state")
    old, new, roots = PrivateKey.generate(), PrivateKey.generate(), [PrivateKey.generate() for _ in range(3)]
    _genesis(log, old, roots)
    apply(log, old, 1)
    intent = _intent(log, old, 2)
    _outcome(log, old, 60 * 24 * 365 * 50, intent)
    content = b"signed\n"
    values = {"statement": _sha(content), "principal": "thief"}
    far = at(60 * 24 * 365 * 60)
    log.append("statement", values, {"statement.json": content}, key=old, clock=far, writer="charter 0.1.0")
    new_key(log, new, roots[1:], last_good=3)
    _outcome(log, new, 4, intent)
    drafts = [
        _draft_of(repository, entry.commit, new if entry.record.seq > 5 else old) for entry in log.history()
    ]
    return Forge(folder / "forged", old, roots, drafts)


def new_key(log: AuditLog, new: PrivateKey, roots: list[PrivateKey], last_good: int) -> Entry:
    """Seal a `key` entry, signed by these roots."""
    newest = log.history()[-1]
    values: dict[str, str | list[str]] = {
        "format": "charter.record/v1",
        "kind": "key",
        "origin": newest.record.one("origin"),
        "seq": str(newest.record.seq + 1),
        "prev": newest.record.sha256,
        "time": iso(at(3).now()),
        "clock": "system",
        "writer": "charter 0.1.0",
        "log_key": new.public.line,
        "last_good": str(last_good),
        "reason": "the old key was stolen",
    }
    unsigned = build("key", values).rooted_content
    files = {
        f"root-{number}.sig": root.sign("charter-key", unsigned).encode()
        for number, root in enumerate(roots, 1)
    }
    record = build("key", {**values, "attachment": named(files)})
    return log.seal(record, files, key=new, previous=newest)


def apply(log: AuditLog, key: PrivateKey, minute: int) -> None:
    """An intent and its outcome."""
    _outcome(log, key, minute, _intent(log, key, minute))


_APPLIED: dict[str, str | list[str]] = {
    "site_commit": "b" * 40,
    "site_digest": "c" * 64,
    "charter": "0.1.0",
    "policy": "d" * 64,
    "rendering": ["kubernetes " + "e" * 64, "slurm " + "f" * 64],
}


def _intent(log: AuditLog, key: PrivateKey, minute: int) -> Entry:
    plan, verdict = b'{"actions": []}\n', b'{"allow": true}\n'
    digests = {
        "plan": _sha(plan),
        "verdict": _sha(verdict),
        "change": "1" * 64,
        "live": "2" * 64,
        "deadline": "2026-12-01T09:00:00Z",
    }
    files = {"plan.json": plan, "verdict.json": verdict}
    values = {**_APPLIED, **digests}
    return log.append("intent", values, files, key=key, clock=at(minute), writer="charter 0.1.0")


def _outcome(log: AuditLog, key: PrivateKey, minute: int, intent: Entry) -> None:
    outcome = {
        **_APPLIED,
        "intent": intent.record.sha256,
        "status": "complete",
        "identity": "3" * 64,
        "result": ["files done: 1 actions"],
    }
    owned = {"owned.json": b"{}\n", "desired.json": b"{ }\n"}
    log.append("outcome", outcome, owned, key=key, clock=at(minute), writer="charter 0.1.0")


def _drift(log: AuditLog, key: PrivateKey, minute: int) -> None:
    content = b"drift\n"
    values = {"site_commit": "b" * 40, "site_digest": "c" * 64, "drift": _sha(content)}
    log.append("drift", values, {"drift.json": content}, key=key, clock=at(minute), writer="charter 0.1.0")


def _draft_of(repository: Repository, commit: str, key: PrivateKey) -> Draft:
    files = {item.path: repository.blob(item.oid) for item in repository.tree(commit)}
    return Draft(files.pop("record"), files, key)


def chained(entries: list[Draft], after: int) -> list[Draft]:
    """The same entries with prev (and the intent that an outcome names) of those behind `after` made consistent again."""
    fixed = list(entries[: after + 1])
    for entry in entries[after + 1 :]:
        before = _sha(fixed[-1].record)
        lines = [
            f"prev {before}" if line.startswith("prev ") else line
            for line in entry.record.decode().splitlines()
        ]
        if b"kind outcome" in entry.record:
            lines = [f"intent {before}" if line.startswith("intent ") else line for line in lines]
        fixed.append(replace(entry, record=("\n".join(lines) + "\n").encode()))
    return fixed


def edit(position: int, before: bytes, after: bytes) -> Callable[[Forge], list[Draft]]:
    """A forgery: one record changed, the chain behind it mended, all signed with the right key."""

    def forge(made: Forge) -> list[Draft]:
        entries = list(made.entries)
        changed = entries[position].record.replace(before, after, 1)
        assert changed != entries[position].record
        entries[position] = replace(entries[position], record=changed)
        return chained(entries, position)

    return forge


def _commit(path: Path, entry: Draft, tip: str | None) -> str:
    blobs = {"record": entry.record, **entry.files}
    rows = [(entry.mode.get(name, "100644"), name, content) for name, content in blobs.items()]
    tree = _tree(path, [*rows, *entry.more])
    count = entry.parents if entry.parents is not None else (1 if tip else 0)
    parents = [tip] if tip and count else []
    if count > 1 and tip:
        parents.append(_git(path, "commit-tree", tree, "-m", "other"))
    stamp = "w <w@localhost> 1796000000 +0000"
    head = "".join(
        [
            f"tree {tree}\n",
            *(f"parent {parent}\n" for parent in parents),
            f"author {stamp}\ncommitter {stamp}\n",
        ]
    )
    body = "\n" + (entry.text if entry.text is not None else _message(entry.record))
    signature = (
        f"gpgsig {_folded(entry.signer.sign('git', (head + body).encode()))}\n" if entry.signer else ""
    )
    made = entry.bent((head + signature + body).encode())
    return _git(path, "hash-object", "-t", "commit", "-w", "--literally", "--stdin", content=made)


def _tree(path: Path, rows: list[tuple[str, str, bytes]]) -> str:
    """A tree object as it comes, names that no tool would write among them."""
    empty = _git(path, "hash-object", "-t", "tree", "-w", "--stdin")
    parts = []
    for mode, name, content in sorted(rows, key=lambda row: row[1]):
        made = empty if mode == "40000" else _store(path, content)
        parts.append(f"{mode} {name}".encode() + b"\0" + bytes.fromhex(made))
    return _git(path, "hash-object", "-t", "tree", "-w", "--literally", "--stdin", content=b"".join(parts))


def _message(record: bytes) -> str:
    try:
        return message(parse(record))
    except RecordInvalid:
        lines = dict(line.split(b" ", 1) for line in record.split(b"\n") if b" " in line)
        kind, seq = (
            lines.get(b"kind", b"?").decode(errors="replace"),
            lines.get(b"seq", b"?").decode(errors="replace"),
        )
        return f"{kind} {seq}\n\nRecord-Sha256: {_sha(record)}\n"


def _folded(signature: str) -> str:
    return signature.replace("\n", "\n ")


def _store(path: Path, content: bytes) -> str:
    return _git(path, "hash-object", "-w", "--stdin", content=content)


def _git(path: Path, *arguments: str, content: bytes = b"") -> str:
    environment = {
        "GIT_AUTHOR_NAME": "w",
        "GIT_AUTHOR_EMAIL": "w@localhost",
        "GIT_COMMITTER_NAME": "w",
        "GIT_COMMITTER_EMAIL": "w@localhost",
    }
    done = subprocess.run(
        ["git", "-C", str(path), *arguments],
        input=content,
        capture_output=True,
        check=True,
        env={**_path(), **environment},
    )
    return done.stdout.decode().strip()


def _path() -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")}


def _sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
