"""The rules over entries (docs/record.md): what each entry must be, given those before it.

Called by the verifier for every rule, and by the log when it reads what others may have written. Nothing here stops at
the first fault, and nothing here trusts an entry for having been read before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from reconciler.audit.entry import Held, message
from reconciler.audit.fields import ATTACHMENT
from reconciler.audit.record import Record
from reconciler.audit.roots import KINDS, missing_roots, roots_of
from reconciler.system.ssh import PublicKey, SignatureInvalid, verify

NO_PREVIOUS = "0" * 64
REPEATED = ("site_commit", "site_digest", "charter", "policy", "rendering")
"""What an outcome repeats of its intent."""
_DIGESTS = ("plan", "verdict", "drift")
_OUTCOME_FILES = ("desired.json", "owned.json")


@dataclass(frozen=True, slots=True)
class Standing:
    """What holds after an entry, void ones left out: the newest record, the open intent, the sealed statements."""

    newest: Record | None = None
    intent: Record | None = None
    statements: frozenset[str] = frozenset()


@dataclass(slots=True)
class State:
    """What the entries so far make binding for the next; `digests` and `standings` have one element an entry."""

    genesis: Record | None = None
    log_key: str | None = None
    digests: list[str] = field(default_factory=list)
    commits: list[str] = field(default_factory=list)
    standings: list[Standing] = field(default_factory=list)
    void: set[int] = field(default_factory=set)

    @property
    def standing(self) -> Standing:
        """What holds now."""
        return self.standings[-1] if self.standings else Standing()

    @property
    def rooted(self) -> bool:
        """True where genesis names root keys."""
        return self.genesis is not None and self.genesis.one("trust") == "rooted"

    def before(self, record: Record) -> Standing:
        """What holds for this record: after a `key` entry with last_good, what held then."""
        last_good = _last_good(record)
        usable = last_good is not None and last_good < len(self.standings)
        return self.standings[int(last_good or 0)] if usable else self.standing


def faults(
    held: Held, state: State, content: Callable[[str], bytes], *, signed: bool = True
) -> Iterator[str]:
    """Every rule that an entry breaks, its attachments' digests aside.

    `content` gives an attachment's bytes by name. `signed` False leaves the commit's signature out: before it is made.
    """
    yield from held.faults
    record = held.record
    if record is None:
        return
    genesis = state.genesis or (record if record.kind == "genesis" else None)
    yield from _chain(held, record, state)
    yield from _names(record, held)
    yield from _time(record, state)
    if genesis is not None:
        yield from _origin(record, genesis)
        yield from _roots(record, genesis, held, content)
    if signed:
        yield from _signature(held, record, state)
    yield from _pairing(record, state)


def follows(held: Held, state: State) -> Iterator[str]:
    """Whether an entry's record stands in the chain; enough where a later digest in the chain is known to be right."""
    yield from held.faults
    if held.record is not None and held.record.one("prev") != _previous(state):
        yield "has a prev that is not the digest of the entry before it"


def in_force(record: Record, state: State) -> str | None:
    """The log key (`kind base64`) that signs this record."""
    return record.one("log_key") if record.kind in ("genesis", "key") else state.log_key


def advance(held: Held, state: State) -> None:
    """Let the next entry follow this one."""
    record = held.record
    state.commits.append(held.commit)
    if record is None:
        state.digests.append("")
        state.standings.append(state.standing)
        return
    standing = replace(state.before(record), newest=record)
    last_good = _last_good(record)
    if last_good is not None:
        state.void.update(range(last_good + 1, len(state.digests)))
    if record.kind == "genesis" and state.genesis is None:
        state.genesis = record
    if record.kind in ("genesis", "key"):
        state.log_key = record.one("log_key")
    state.digests.append(record.sha256)
    state.standings.append(_stands(standing, record))


def _stands(before: Standing, record: Record) -> Standing:
    if record.kind == "intent":
        return replace(before, intent=record)
    if record.kind == "outcome":
        return replace(before, intent=None)
    if record.kind == "statement":
        return replace(before, statements=before.statements | {record.one("statement")})
    return before


def _previous(state: State) -> str:
    return state.digests[-1] if state.digests else NO_PREVIOUS


def _last_good(record: Record) -> int | None:
    value = record.get("last_good") if record.kind == "key" else None
    return None if value is None else int(value)


def _chain(held: Held, record: Record, state: State) -> Iterator[str]:
    seq = len(state.digests)
    parents = (state.commits[-1],) if state.commits else ()
    if held.parents != parents:
        yield f"has {len(held.parents)} parents, not just the entry before it; the log is one line"
    if held.message != message(record).encode():
        yield "its commit message doesn't name its record"
    if record.seq != seq:
        yield f"says seq {record.seq}, but is entry {seq}"
    if (record.kind == "genesis") != (seq == 0):
        yield "genesis is the first entry, and only that"
    if record.one("prev") != _previous(state):
        yield "prev is not the digest of the entry before it"
    last_good = record.get("last_good")
    if record.kind == "key" and last_good is not None and int(last_good) >= seq:
        yield "last_good is not before it"
    if record.kind == "recovery" and int(str(last_good)) != seq - 1:
        yield "last_good of a recovery is the entry before it"


def _names(record: Record, held: Held) -> Iterator[str]:
    named = record.attachments
    if len(named) != len(record.all(ATTACHMENT)):
        yield "names an attachment twice"
    for name in sorted(named.keys() | held.files.keys()):
        if name not in held.files:
            yield f"lacks its attachment {name}"
        elif name not in named:
            yield f"holds {name}, which its record doesn't name"
        elif not held.files[name][0]:
            yield f"{name} is not a regular file"
    cited = (*_DIGESTS, "statement") if record.kind == "statement" else _DIGESTS
    for key in cited:
        if record.get(key) is not None and record.one(key) != named.get(f"{key}.json"):
            yield f"{key} is not the digest of {key}.json"
    if record.kind == "outcome":
        yield from (f"an outcome without {name}" for name in _OUTCOME_FILES if name not in named)


def _time(record: Record, state: State) -> Iterator[str]:
    newest = state.before(record).newest
    if newest is not None and record.one("time") < newest.one("time"):
        yield "is older than the entry before it"
    if record.one("clock") == "held" and (newest is None or record.one("time") != newest.one("time")):
        yield "its clock is said to be held, but its time is not that of the entry before it"


def _origin(record: Record, genesis: Record) -> Iterator[str]:
    if record.one("origin") != genesis.one("origin"):
        yield "belongs to another origin"
    if genesis.one("trust") == "rooted" and record.one("clock") == "injected":
        yield "an injected clock in a rooted log"


def _roots(record: Record, genesis: Record, held: Held, content: Callable[[str], bytes]) -> Iterator[str]:
    if record.kind not in KINDS:
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
    signatures = [content(name) for name in record.attachments if _is_root(name) and name in held.files]
    missing = missing_roots(record, signatures, roots)
    if missing:
        yield f"lacks {missing} root signatures"


def _is_root(name: str) -> bool:
    return name.startswith("root-") and name.endswith(".sig")


def _signature(held: Held, record: Record, state: State) -> Iterator[str]:
    expected = in_force(record, state)
    if held.signature is None:
        yield "is not signed"
        return
    try:
        signer = verify(held.signature, held.payload, "git")
    except SignatureInvalid as error:
        yield f"its signature is invalid: {error}"
        return
    if signer.line != expected:
        yield f"is signed by {signer.fingerprint}, not by the log key {_fingerprint(expected)}"


def _fingerprint(line: str | None) -> str:
    return PublicKey.parse(line).fingerprint if line else "(none)"


def _pairing(record: Record, state: State) -> Iterator[str]:
    standing = state.before(record)
    if record.kind == "intent" and standing.intent is not None:
        yield "an intent while another is open"
    if record.kind == "outcome":
        if standing.intent is None or record.one("intent") != standing.intent.sha256:
            yield "closes no open intent"
        else:
            yield from _repeats(record, standing.intent)
    if record.kind in ("intent", "outcome") and not set(record.all("statement")) <= standing.statements:
        yield "cites a statement that was not sealed before it"


def _repeats(outcome: Record, intent: Record) -> Iterator[str]:
    for key in REPEATED:
        if outcome.all(key) != intent.all(key):
            yield f"its {key} is not its intent's"
