"""A finding in a site: where it is, which rule found it, what is wrong and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from renderer.printable import one_line

Severity = Literal["error", "warning"]
Keys = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem before its position is known: `keys` is the path of mapping keys and list indexes in the file."""

    path: str
    keys: Keys
    rule: str
    what: str
    remedy: str
    severity: Severity = "error"
    on_key: bool = False
    """Point at the key itself rather than at its value."""


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """A located finding; line and column count from 1 (0 when the file as a whole is meant)."""

    path: str
    line: int
    column: int
    rule: str
    what: str
    remedy: str
    severity: Severity = "error"

    def __str__(self) -> str:
        return one_line(f"{self.path}:{self.line}:{self.column}: [{self.rule}] {self.what}; {self.remedy}")
