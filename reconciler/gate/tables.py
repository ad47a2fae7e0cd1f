"""The one static form that `rules` may have. The aggregator asks for what stands there, so it must be known before anything runs."""

from __future__ import annotations

from typing import Any

_SEVERITIES = ("deny", "warn")
_BELOW = ("input.", "data.site.")
_KEYS = frozenset({"severity", "subjects", "waivable"})


def check_table(rule: dict[str, Any]) -> str | None:
    """What is wrong with the syntax tree of a `rules` definition, None if nothing is."""
    head = rule["head"]
    partial = len(head.get("ref", [None])) != 1 or head.get("key") is not None
    if (
        partial
        or head.get("args")
        or rule.get("default")
        or rule.get("else")
        or not _is_true(rule.get("body"))
    ):
        return "must be one plain definition"
    try:
        table = _literal(head.get("value", {}))
    except ValueError:
        return "must be literals only"
    if not isinstance(table, dict) or not table:
        return "must be an object with an entry for each rule"
    return next((fault for name, entry in table.items() if (fault := _fault(name, entry))), None)


def _fault(name: str, entry: object) -> str | None:
    if not isinstance(entry, dict) or not {"severity", "subjects"} <= set(entry) <= _KEYS:
        return f"{name!r} must have severity and subjects"
    if entry["severity"] not in _SEVERITIES:
        return f"{name!r} has a severity other than deny and warn"
    subjects = entry["subjects"]
    if not isinstance(subjects, str) or not (subjects == "input" or subjects.startswith(_BELOW)):
        return f"{name!r} must take its subjects from input or data.site"
    return (
        None
        if isinstance(entry.get("waivable", True), bool)
        else f"{name!r} has a waivable that is no boolean"
    )


def _is_true(body: Any) -> bool:
    if not body:
        return True
    terms = body[0].get("terms") if len(body) == 1 else None
    return isinstance(terms, dict) and terms.get("type") == "boolean" and terms.get("value") is True


def _literal(term: dict[str, Any]) -> Any:
    """The value of a literal term; ValueError for whatever has to be evaluated."""
    if term.get("type") in ("string", "boolean", "number", "null"):
        return term.get("value")
    if term.get("type") != "object":
        raise ValueError("not a literal")
    pairs = [(_literal(key), _literal(value)) for key, value in term["value"]]
    if not all(isinstance(key, str) for key, _ in pairs):
        raise ValueError("not a literal")
    return dict(pairs)
