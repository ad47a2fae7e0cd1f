"""Cerberus's error codes as sentences: which rule, what is wrong, what to do."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import Any

from cerberus import errors

_TYPES = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "list": "a list",
    "dict": "a mapping",
}
_KINDS = {
    str: "text",
    int: "a number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "a mapping",
    type(None): "nothing",
}


def quoted(value: object) -> str:
    """A value as it can stand in a message: short, on one line."""
    if isinstance(value, (dict, list)):
        return _KINDS[type(value)]
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:56]}…'"


def closest(name: object, known: Collection[str]) -> str | None:
    """The known name that `name` is probably meant to be."""
    text = str(name)[:80]
    near = get_close_matches(text, known, 1, 0.7) if len(known) <= 5000 else []
    return near[0] if near else None


def unknown(field: object, known: Collection[str]) -> tuple[str, str]:
    """What and remedy for a field that the schema does not have."""
    near = closest(field, known)
    remedy = f"did you mean {near}?" if near else f"remove it; fields here are {', '.join(sorted(known))}"
    return f"{quoted(field)} is no field here", remedy


def missing(field: str) -> tuple[str, str]:
    """What and remedy for a required field."""
    return f"{field} is missing", f"add {field}"


def wording(error: Any, field: object, value: object, rules: Mapping[str, Any]) -> tuple[str, str, str]:
    """Rule, what and remedy of an error other than unknown and missing fields."""
    if error is errors.BAD_TYPE or error is errors.NOT_NULLABLE:
        return "shape-type", *_type(field, value, rules)
    if error is errors.UNALLOWED_VALUE:
        near = closest(value, [str(item) for item in rules["allowed"]])
        choices = ", ".join(map(str, rules["allowed"]))
        remedy = f"did you mean {near}? It is one of {choices}" if near else f"write one of {choices}"
        return "shape-choice", f"{field}: {quoted(value)} is not possible", remedy
    if error is errors.MIN_VALUE:
        return "shape-range", f"{field}: {quoted(value)} is too small", f"write {rules['min']} or more"
    if error is errors.MAX_VALUE:
        return "shape-range", f"{field}: {quoted(value)} is too large", f"write {rules['max']} or less"
    if error is errors.MIN_LENGTH:
        return "shape-empty", f"{field} is empty", "write at least one"
    if error is errors.EXCLUDES_FIELD:
        return "shape-both", f"{field} and {rules['excludes']} are both given", "keep one of them"
    return (
        "shape-value",
        f"{field}: {quoted(value)} is not possible ({error.rule})",
        "see docs/site-format.md",
    )


def _type(field: object, value: object, rules: Mapping[str, Any]) -> tuple[str, str]:
    wanted = _TYPES[rules["type"]]
    kind = _KINDS.get(type(value), "something else")
    plain = value is None or isinstance(value, (dict, list))
    what = (
        f"{field} is {kind}, not {wanted}" if plain else f"{field}: {quoted(value)} is {kind}, not {wanted}"
    )
    if rules["type"] == "string" and isinstance(value, (int, float)):
        return what, f'quote it: "{str(value).lower()}"'
    if rules["type"] == "integer" and isinstance(value, str) and value.isdecimal() and len(value) < 19:
        return what, f"write {int(value)}, without quotes or leading zeros"
    if rules["type"] == "boolean":
        return what, "write true or false"
    return what, f"write {wanted}"
