"""What the policy says, frozen. An engine's answer is believed only as far as it is well formed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

FORMAT = "charter.verdict/v1"
ENGINE = "engine"
Severity = Literal["deny", "warn"]
_KEYS = frozenset({"id", "subject", "message", "where", "remedy", "severity"})


@dataclass(frozen=True, slots=True)
class Violation:
    """One rule that doesn't hold for one subject. `where` is the site's file, or empty; `waived_by` the waiver's reason and end."""

    id: str
    subject: str
    message: str
    where: str
    remedy: str
    severity: Severity
    waived_by: str | None = None

    @property
    def denies(self) -> bool:
        """True where this one alone forbids the change."""
        return self.severity == "deny" and self.waived_by is None

    def to_json(self) -> dict[str, str]:
        """The object of schemas/verdict.v1.json; `waived_by` only where there is a waiver."""
        content = {key: getattr(self, key) for key in sorted(_KEYS)}
        return content if self.waived_by is None else {**content, "waived_by": self.waived_by}


@dataclass(frozen=True, slots=True)
class Verdict:
    """`violations` are sorted; `revision` names the policy and data that judged."""

    allow: bool
    violations: tuple[Violation, ...]
    revision: str

    def to_json(self) -> dict[str, Any]:
        """The object of schemas/verdict.v1.json."""
        return {
            "format": FORMAT,
            "allow": self.allow,
            "violations": [violation.to_json() for violation in self.violations],
            "revision": self.revision,
        }

    @staticmethod
    def from_json(value: object) -> Verdict:
        """Read a verdict. ValueError for anything but the exact shape, and for an `allow` that its violations contradict."""
        content = _exact(value, {"format", "allow", "violations", "revision"})
        allow, listed, revision = content["allow"], content["violations"], content["revision"]
        if content["format"] != FORMAT or not isinstance(allow, bool) or not isinstance(revision, str):
            raise ValueError(f"not a verdict of format {FORMAT}")
        if not isinstance(listed, list):
            raise ValueError("'violations' is not a list")
        verdict = conclude(map(_violation, listed), revision)
        if verdict.allow != allow:
            raise ValueError("'allow' contradicts the violations listed")
        return verdict


def conclude(violations: Iterable[Violation], revision: str) -> Verdict:
    """The verdict that follows from violations: each once, sorted; any that denies, denies."""
    ordered = tuple(sorted(set(violations), key=_order))
    return Verdict(not any(violation.denies for violation in ordered), ordered, revision)


def denied(what: str, remedy: str, revision: str) -> Verdict:
    """The denial given when no engine could judge."""
    return conclude([Violation(ENGINE, ENGINE, what, "", remedy, "deny")], revision)


def _order(violation: Violation) -> tuple[str, ...]:
    return (violation.severity, violation.id, violation.subject, violation.message, violation.remedy)


def _violation(value: object) -> Violation:
    content = _exact(value, _KEYS, {"waived_by"})
    if not all(isinstance(part, str) for part in content.values()):
        raise ValueError("a violation holds something other than text")
    if content["severity"] not in ("deny", "warn"):
        raise ValueError("a violation's severity is neither deny nor warn")
    return Violation(**content)


def _exact(value: object, keys: Iterable[str], optional: Iterable[str] = ()) -> Mapping[str, Any]:
    required = set(keys)
    if not isinstance(value, dict) or not required <= set(value) <= required | set(optional):
        raise ValueError(f"not an object of exactly {', '.join(sorted(required))}")
    return value
