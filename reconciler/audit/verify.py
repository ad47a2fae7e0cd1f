"""Does a log hold? Every rule of docs/record.md, all faults in one run. verify.sh does the same and shares nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from reconciler.audit.anchor import Anchor
from reconciler.audit.entry import ATTACHMENT_LIMIT, Held, digest_of, read_held
from reconciler.audit.log import BRANCH
from reconciler.audit.record import Record
from reconciler.audit.rules import State, advance, faults
from reconciler.errors import Terminal
from reconciler.source.objects import MAX_COMMIT, Objects, objects
from reconciler.system.git import Repository

PROVES = (
    "the order of entries and that none between them is missing",
    "that the log key in force signed each entry",
    "the site commit, policy, verdict, plan and rendering of each apply, as they were then",
)
CANNOT_PROVE = (
    "that hosts really ran what was applied",
    "that the writer's clock was honest",
    "that nothing was cut off after the newest entry that the trust file names",
)
_REWRITTEN = "the log was cut off or rewritten"
_APPROVERS = (b"policies", b"approvers.yaml")


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


def verify_log(
    repository: Repository,
    anchor: Anchor | None,
    branch: str = BRANCH,
    seen: tuple[int, str] | None = None,
) -> Verification:
    """Check a whole branch, of this repository or else as fetched from origin. Raises Terminal where there is none.

    `seen` is (seq, sha256) of the newest entry that the reconciler here remembers, where there is a reconciler.
    """
    tip = repository.tip(branch) or repository.tip(branch, remote="origin")
    if tip is None:
        raise Terminal(f"{repository.path}: has no branch {branch}; nothing was ever sealed here")
    state, found = State(), []
    with objects(repository) as store:
        for seq, commit in enumerate(repository.first_parents(None, tip)):
            held = read_held(store, commit)
            found += [Fault(seq, commit, what) for what in _entry(store, held, state)]
            advance(held, state)
    found += [Fault(-1, tip, what) for what in _anchored(anchor, state)]
    if seen is not None and not _holds(state, seen):
        found.append(
            Fault(-1, tip, f"entry {seen[0]}, which was seen here, is gone or another: {_REWRITTEN}")
        )
    newest = state.standing.newest
    return Verification(
        entries=len(state.digests),
        tip=(newest.seq, newest.sha256) if newest else None,
        genesis=state.digests[0] if state.digests else None,
        faults=tuple(found),
        anchored=anchor is not None,
        rooted=state.rooted,
        void=tuple(sorted(state.void)),
    )


def _entry(store: Objects, held: Held, state: State) -> Iterator[str]:
    try:
        yield from faults(held, state, lambda name: store.read(held.files[name][1], "blob", ATTACHMENT_LIMIT))
        if held.record is not None:
            yield from _contents(store, held, held.record)
            yield from _approvers(store, held.record, state)
    except Terminal as error:
        yield f"cannot be read: {error}"


def _contents(store: Objects, held: Held, record: Record) -> Iterator[str]:
    named = record.attachments
    for name, (regular, object_id) in sorted(held.files.items()):
        if regular and name in named and digest_of(store, object_id) != named[name]:
            yield f"{name} differs from its digest"


def _approvers(store: Objects, record: Record, state: State) -> Iterator[str]:
    """The first apply's approvers are those that genesis names, wherever the site's commit is at hand."""
    if record.kind != "intent" or record.get("base_commit") is not None or state.genesis is None:
        return
    digest = _approvers_digest(store, record.one("site_commit"))
    if digest is not None and digest != state.genesis.one("approvers"):
        yield "applies a first commit whose policies/approvers.yaml is not the one that genesis names"


def _approvers_digest(store: Objects, commit: str) -> str | None:
    """SHA-256 of the file in a commit, of nothing where it isn't a file there; None without the commit."""
    try:
        head = store.read(commit, "commit", MAX_COMMIT)
    except Terminal:
        return None
    folder = store.folder(head[5:45].decode())
    policies = folder.get(_APPROVERS[0])
    found = store.children(policies).get(_APPROVERS[1])
    regular = found is not None and found.mode & 0o170000 == 0o100000
    content = store.read(found.id, "blob", ATTACHMENT_LIMIT) if found and regular else b""
    return hashlib.sha256(content).hexdigest()


def _anchored(anchor: Anchor | None, state: State) -> Iterator[str]:
    if anchor is None:
        return
    if not state.digests or state.digests[0] != anchor.genesis:
        yield "genesis is not the one that the trust file names"
    if anchor.tip and not _holds(state, anchor.tip):
        yield f"entry {anchor.tip[0]} is not the one that the trust file names: {_REWRITTEN}"


def _holds(state: State, entry: tuple[int, str]) -> bool:
    return entry[0] < len(state.digests) and state.digests[entry[0]] == entry[1]
