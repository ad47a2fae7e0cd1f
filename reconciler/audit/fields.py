"""Which keys a record of each kind has, in which order, and what their values look like (docs/record.md)."""

from __future__ import annotations

import re
from dataclasses import dataclass

FORMAT = "charter.record/v1"
ATTACHMENT = "attachment"
_SHA = r"[0-9a-f]{64}"
_NUMBER = r"(?:0|[1-9][0-9]{0,17})"
_TIME = r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z"
_COMMIT = r"(?:[0-9a-f]{40}|[0-9a-f]{64})"
_LOG_KEY = r"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI[A-P][A-Za-z0-9+/]{42}"
_ROOT_KINDS = (
    r"(?:ssh-ed25519|ecdsa-sha2-nistp256|ecdsa-sha2-nistp384|sk-ssh-ed25519@openssh\.com"
    r"|sk-ecdsa-sha2-nistp256@openssh\.com)"
)
_ROOT_KEY = (
    rf"{_ROOT_KINDS} (?:[A-Za-z0-9+/]{{4}})+"
    r"(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?"
)
_ORIGIN = r"[A-Za-z0-9][A-Za-z0-9._/-]{0,199}"
_NAME = r"[a-z][a-z0-9-]*"
_ANY = r".+"


@dataclass(frozen=True, slots=True)
class Field:
    """One key: the pattern of its whole value, whether it may repeat, whether it may be absent."""

    name: str
    pattern: str
    many: bool = False
    optional: bool = False

    def accepts(self, value: str) -> bool:
        """True where the encoded value has the right form."""
        return re.fullmatch(self.pattern, value) is not None


def _f(name: str, pattern: str, flags: str = "") -> Field:
    return Field(name, pattern, many="m" in flags, optional="o" in flags)


_HEAD = (
    _f("format", re.escape(FORMAT)),
    _f("kind", r"[a-z]+"),
    _f("origin", _ORIGIN),
    _f("seq", _NUMBER),
    _f("prev", _SHA),
    _f("time", _TIME),
    _f("clock", "system|held|injected"),
    _f("writer", _ANY),
)
_TAIL = (_f(ATTACHMENT, rf"{_SHA} (?!record\Z)[a-z0-9][a-z0-9.-]*", "mo"),)
_APPLIED = (
    _f("charter", _ANY),
    _f("policy", _SHA),
)
_RENDERING = _f("rendering", rf"{_NAME} {_SHA}", "m")
_BODY: dict[str, tuple[Field, ...]] = {
    "genesis": (
        _f("site", _ANY),
        _f("trust", "rooted|untrusted"),
        _f("root_threshold", _NUMBER),
        _f("root_key", _ROOT_KEY, "mo"),
        _f("log_key", _LOG_KEY),
        _f("approvers", _SHA),
    ),
    "intent": (
        _f("site_commit", _COMMIT),
        _f("site_digest", _SHA),
        _f("base_commit", _COMMIT, "o"),
        _f("base_digest", _SHA, "o"),
        *_APPLIED,
        _f("verdict", _SHA),
        _f("plan", _SHA),
        _f("change", _SHA),
        _f("live", _SHA),
        _RENDERING,
        _f("signed", rf"{_COMMIT} .+", "mo"),
        _f("statement", _SHA, "mo"),
        _f("remark", _ANY, "mo"),
        _f("deadline", _TIME),
    ),
    "outcome": (
        _f("intent", _SHA),
        _f("status", "complete|pending|failed|interrupted"),
        _f("site_commit", _COMMIT),
        _f("site_digest", _SHA),
        *_APPLIED,
        _RENDERING,
        _f("identity", _SHA),
        _f("result", rf"{_NAME} .+", "m"),
        _f("statement", _SHA, "mo"),
    ),
    "drift": (_f("site_commit", _COMMIT), _f("site_digest", _SHA), _f("drift", _SHA)),
    "statement": (_f("statement", _SHA), _f("principal", _ANY)),
    "key": (_f("log_key", _LOG_KEY), _f("last_good", _NUMBER, "o"), _f("reason", _ANY)),
    "events": (_f("log", _ANY), _f("size", _NUMBER), _f("root", _SHA)),
    "recovery": (_f("last_good", _NUMBER), _f("reason", _ANY)),
}
KINDS = tuple(_BODY)


def fields(kind: str) -> tuple[Field, ...]:
    """All fields of a kind, in order. Raises KeyError for an unknown kind."""
    return _HEAD + _BODY[kind] + _TAIL
