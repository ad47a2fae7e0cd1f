"""What the rules look at: a site whose kinds they need could be read, and where each object's file is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from renderer.model.site import Site
from renderer.notation.hostlist import fold
from renderer.problem import Finding, Keys, Severity

_SHOWN = 200


def shown(names: Sequence[str]) -> str:
    """Some hosts or switches as a message names them: folded, and only so many that it stays readable and cheap."""
    more = len(names) - _SHOWN
    return fold(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


@dataclass(frozen=True, slots=True)
class Subject:
    """`paths` maps (kind, name) to a file, `unread` holds those whose file is there but could not be read. The name is empty for
    a kind of one file."""

    site: Site
    paths: Mapping[tuple[str, str], str]
    unread: frozenset[tuple[str, str]] = frozenset()

    def is_read(self, kind: str, name: str = "") -> bool:
        """False where nothing may be concluded from the absence of an object: its file is faulty, which is said elsewhere."""
        return (kind, name) not in self.unread

    def fault(
        self,
        kind: str,
        name: str,
        keys: Keys,
        rule: str,
        what: str,
        remedy: str,
        severity: Severity = "error",
    ) -> Finding:
        """A finding in the file of an object."""
        return Finding(self.paths[kind, name], keys, rule, what, remedy, severity)

    def unknown(
        self, kind: str, name: str, keys: Keys, what: str, given: str, known: Mapping[str, object]
    ) -> Finding:
        """A dangling reference, with what was probably meant."""
        near = get_close_matches(given, list(known)[:5000], 1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(sorted(known)[:10]) or 'none'}"
        return self.fault(kind, name, keys, "reference", f"there is no {what} {given}", hint)
