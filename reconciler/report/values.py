"""What two versions of a resource differ in, as the lines a reviewer reads."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from reconciler.plan.action import Change

SYMBOL = {"create": "+", "update": "~", "delete": "-"}


def differing(change: Change) -> Iterator[str]:
    """One line a field: `+ name = value`, `- name = value`, `~ name = before -> after`; files as a unified diff."""
    before, after = _flat(change.before or {}), _flat(change.after or {})
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name):
            yield from _line(name, before.get(name), after.get(name))


def _line(name: str, before: str | None, after: str | None) -> Iterator[str]:
    if "\n" in (before or "") or "\n" in (after or ""):
        yield from _text(before or "", after or "")
    elif before is None:
        yield f"+ {name} = {after}"
    elif after is None:
        yield f"- {name} = {before}"
    else:
        yield f"~ {name} = {before} -> {after}"


def _text(before: str, after: str) -> Iterator[str]:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0)
    for line in list(lines)[2:]:
        if not line.startswith("@@"):
            yield f"{line[:1]} {line[1:]}"


def _flat(fields: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in fields.items():
        if isinstance(value, Mapping):
            found |= _flat(value, f"{prefix}{name}.")
        elif value != "":
            found[prefix + name] = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return found
