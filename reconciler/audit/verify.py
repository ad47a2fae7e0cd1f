"""Does a log hold? Every rule of docs/record.md, all faults in one run. verify.sh does the same and shares nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from reconciler.audit.anchor import Anchor
from reconciler.audit.fields import ATTACHMENT
from reconciler.audit.genesis import KEY_NAMESPACE, NAMESPACE, missing_roots, roots_of
from reconciler.audit.log import BRANCH, NO_PREVIOUS, message, read_attachments
from reconciler.audit.record import LIMIT, Record, RecordInvalid, parse
from reconciler.errors import Terminal
from reconciler.system.git import CommitObject, Repository
from reconciler.system.ssh import PublicKey, SignatureInvalid, verify

_REGULAR = 0o100644
PROVES = (
    "the order of entries and that none between them is missing",
    "that one log key signed each entry",
    "the site commit, policy, verdict, plan and rendering of each apply, as they were then",
)
CANNOT_PROVE = (
    "that hosts really ran what was applied",
    "that the writer's clock was honest",
    "that nothing was cut off after the newest entry that the trust file names",
)


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with an entry; seq is its position in the branch, -1 for the log as a whole."""

    seq: int
    commit: str
    what: str


@dataclass(frozen=True, slots=True)
class Verification:
    """The result: intact without faults; `anchored` when a trust file vouched for genesis; `rooted` when root keys did."""

    entries: int
    tip: tuple[int, str] | None
    genesis: str | None
    faults: tuple[Fault, ...]
    anchored: bool
    rooted: bool
    void: tuple[int, ...]
    """Entries that a later `key` entry declared void: they hold together, but a stolen key may have written them."""

    @property
    def intact(self) -> bool:
        """True where every check passed."""
        return not self.faults

    @property
    def exit_code(self) -> int:
        """0 intact, 6 not."""
        return 0 if self.intact else 6


@dataclass(slots=True)
class _State:
    """What the entries so far make binding for the next."""

    origin: str | None = None
    previous: Record | None = None
    genesis: Record | None = None
    log_key: str | None = None
    open_intent: str | None = None
    digests: list[str] = field(default_factory=list)
    void: set[int] = field(default_factory=set)


def verify_log(repository: Repository, anchor: Anchor | None, branch: str = BRANCH) -> Verification:
    """Check a whole branch. Raises Terminal where there is none."""
    tip = repository.tip(branch)
    if tip is None:
        raise Terminal(f"{repository.path}: has no branch {branch}; nothing was ever sealed here")
    state, faults = _State(), []
    for seq, commit in enumerate(repository.first_parents(None, tip)):
        faults += [Fault(seq, commit, what) for what in _entry(repository, commit, seq, state)]
    faults += [Fault(-1, tip, what) for what in _anchored(anchor, state)]
    newest = state.previous
    return Verification(
        entries=len(state.digests),
        tip=(newest.seq, newest.sha256) if newest else None,
        genesis=state.digests[0] if state.digests else None,
        faults=tuple(faults),
        anchored=anchor is not None,
        rooted=state.genesis is not None and state.genesis.one("trust") == "rooted",
        void=tuple(sorted(state.void)),
    )


def _entry(repository: Repository, commit: str, seq: int, state: _State) -> Iterator[str]:
    found = repository.commit(commit)
    files = {item.path: item for item in repository.tree(commit)}
    state.digests.append("")
    holder = files.get("record")
    if holder is None or holder.mode != _REGULAR or holder.size > LIMIT:
        yield "holds no regular file `record`"
        return
    try:
        record = parse(repository.blob(holder.oid))
    except RecordInvalid as error:
        yield f"record {error}"
        return
    state.digests[-1] = record.sha256
    attachments = {name: (mode, content) for name, mode, content in read_attachments(repository, commit)}
    yield from _shape(found, record, seq)
    yield from _attachments(record, attachments)
    yield from _chain(record, seq, state)
    yield from _roots(
        record, [content for name, (_, content) in attachments.items() if name.startswith("root-")], state
    )
    yield from _signature(found, record, state)
    yield from _pairing(record, state)
    _advance(record, state)


def _shape(commit: CommitObject, record: Record, seq: int) -> Iterator[str]:
    if len(commit.parents) != (1 if seq else 0):
        yield f"has {len(commit.parents)} parents; the log is one line"
    if commit.message != message(record):
        yield "its commit message doesn't name its record"


def _attachments(record: Record, files: dict[str, tuple[int, bytes]]) -> Iterator[str]:
    named = record.attachments
    if len(named) != len(record.all(ATTACHMENT)):
        yield "names an attachment twice"
    for name in sorted(named.keys() | files.keys()):
        if name not in files:
            yield f"lacks its attachment {name}"
        elif name not in named:
            yield f"holds {name}, which its record doesn't name"
        elif files[name][0] != _REGULAR:
            yield f"{name} is not a regular file"
        elif hashlib.sha256(files[name][1]).hexdigest() != named[name]:
            yield f"{name} differs from its digest"
    for key, name in (
        ("plan", "plan.json"),
        ("verdict", "verdict.json"),
        ("drift", "drift.json"),
        ("statement", "statement.json"),
    ):
        if record.get(key) is not None and record.one(key) != named.get(name):
            yield f"{key} is not the digest of {name}"
    if record.kind == "outcome":
        yield from (
            f"an outcome without {name}" for name in ("desired.json", "owned.json") if name not in named
        )


def _chain(record: Record, seq: int, state: _State) -> Iterator[str]:
    if record.seq != seq:
        yield f"says seq {record.seq}, but is entry {seq}"
    if (record.kind == "genesis") != (seq == 0):
        yield "genesis is the first entry, and only that"
    if record.one("prev") != (state.digests[-2] if seq else NO_PREVIOUS):
        yield "prev is not the digest of the entry before it"
    if state.origin is not None and record.one("origin") != state.origin:
        yield "belongs to another origin"
    if state.previous and record.one("time") < state.previous.one("time"):
        yield "is older than the entry before it"
    trusted = (state.genesis or record).get("trust") == "rooted"
    if trusted and record.one("clock") == "injected":
        yield "an injected clock in a rooted log"


def _roots(record: Record, signatures: list[bytes], state: _State) -> Iterator[str]:
    genesis = state.genesis or record
    if record.kind not in ("genesis", "key") or genesis.kind != "genesis":
        return
    if genesis.one("trust") == "untrusted":
        if record.kind == "key" or genesis.all("root_key") or genesis.one("root_threshold") != "0":
            yield "an untrusted log has no root keys and changes no key"
        return
    try:
        roots = roots_of(genesis)
    except ValueError as error:
        yield f"a root key is unusable: {error}"
        return
    if not 1 <= roots.threshold <= len(roots.keys):
        yield "root_threshold doesn't fit the number of root keys"
    missing = missing_roots(
        record, signatures, roots, NAMESPACE if record.kind == "genesis" else KEY_NAMESPACE
    )
    if missing:
        yield f"lacks {missing} root signatures"


def _signature(commit: CommitObject, record: Record, state: _State) -> Iterator[str]:
    expected = record.one("log_key") if record.kind in ("genesis", "key") else state.log_key
    if commit.signature is None:
        yield "is not signed"
        return
    try:
        signer = verify(commit.signature, commit.payload, "git")
    except SignatureInvalid as error:
        yield f"its signature is invalid: {error}"
        return
    if signer.line != expected:
        yield f"is signed by {signer.fingerprint}, not by the log key {_fingerprint(expected)}"


def _fingerprint(line: str | None) -> str:
    try:
        return PublicKey.parse(line or "").fingerprint
    except ValueError:
        return "(none)"


def _pairing(record: Record, state: _State) -> Iterator[str]:
    if record.kind == "intent" and state.open_intent is not None:
        yield "an intent while another is open"
    if record.kind == "outcome" and record.one("intent") != state.open_intent:
        yield "closes no open intent"


def _advance(record: Record, state: _State) -> None:
    state.previous = record
    state.origin = state.origin or record.one("origin")
    if record.kind == "genesis" and state.genesis is None:
        state.genesis = record
    if record.kind in ("genesis", "key"):
        state.log_key = record.one("log_key")
    last_good = record.get("last_good")
    if record.kind == "key" and last_good is not None:
        state.void.update(range(int(last_good) + 1, record.seq))
    if record.kind == "intent":
        state.open_intent = record.sha256
    elif record.kind == "outcome":
        state.open_intent = None


def _anchored(anchor: Anchor | None, state: _State) -> Iterator[str]:
    if anchor is None:
        return
    if not state.digests or state.digests[0] != anchor.genesis:
        yield "genesis is not the one that the trust file names"
    if anchor.tip and (anchor.tip[0] >= len(state.digests) or state.digests[anchor.tip[0]] != anchor.tip[1]):
        yield f"entry {anchor.tip[0]} is not the one that the trust file names: the log was cut off or rewritten"
