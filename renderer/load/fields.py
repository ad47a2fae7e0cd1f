"""Rules that many schemas share, so that a schema reads as a list of fields."""

from __future__ import annotations

from typing import Any

from renderer.load import checks

Rules = dict[str, Any]


def required(rules: Rules) -> Rules:
    """The same rules for a field that must be there."""
    return {**rules, "required": True}


def number(low: int, high: int = 2**31 - 1) -> Rules:
    """A whole number within bounds (Slurm's and Kubernetes' are 32 bits wide)."""
    return {"type": "integer", "min": low, "max": high}


def choice(*allowed: str) -> Rules:
    """One of a few words."""
    return {"type": "string", "allowed": list(allowed)}


def mapping(schema: Rules) -> Rules:
    """A mapping of known fields."""
    return {"type": "dict", "schema": schema}


def named(values: Rules) -> Rules:
    """A mapping from names (as checks.name) to values of one shape."""
    return {"type": "dict", "check_with": checks.keys_are_names, "valuesrules": values}


def many(schema: Rules) -> Rules:
    """A list of mappings of known fields."""
    return {"type": "list", "schema": mapping(schema)}


def listed(check: checks.Check) -> Rules:
    """A list of texts that each pass a check of the list."""
    return {"type": "list", "check_with": check}


def text(check: checks.Check = checks.text) -> Rules:
    """A text that passes a check."""
    return {"type": "string", "check_with": check}


BOOLEAN: Rules = {"type": "boolean"}
NAME = text(checks.name)
NAMES = listed(checks.names)
HOSTS = text(checks.hosts)
DURATION = text(checks.duration)
INSTANT = text(checks.instant)
NUMBER: Rules = {"type": "number", "min": 0, "max": 1_000_000}
