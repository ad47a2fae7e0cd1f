"""The trust file: what a verifier knows from outside the repository (docs/record.md)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from reconciler.errors import Terminal
from reconciler.system.files import read_regular

FORMAT = "charter.trust/v1"
_LINES = re.compile(
    rf"format {re.escape(FORMAT)}\ngenesis (?P<genesis>[0-9a-f]{{64}})\n"
    r"(?:tip (?P<seq>0|[1-9][0-9]{0,17}) (?P<digest>[0-9a-f]{64})\n)?\Z"
)


@dataclass(frozen=True, slots=True)
class Anchor:
    """SHA-256 of genesis, and the newest entry seen as (seq, sha256)."""

    genesis: str
    tip: tuple[int, str] | None

    @property
    def entries(self) -> tuple[tuple[int, str], ...]:
        """Every entry that it names, as (seq, sha256)."""
        return ((0, self.genesis), *((self.tip,) if self.tip else ()))

    @property
    def text(self) -> str:
        """The file's content."""
        tip = f"tip {self.tip[0]} {self.tip[1]}\n" if self.tip else ""
        return f"format {FORMAT}\ngenesis {self.genesis}\n{tip}"


def read(path: Path) -> Anchor:
    """Parse a trust file. Raises Terminal."""
    match = _LINES.match(read_regular(path.resolve(), 4096).decode("ascii", errors="replace"))
    if match is None:
        raise Terminal(
            f"{path}: is not a trust file; it holds: format {FORMAT}, genesis SHA256, and maybe: tip SEQ SHA256"
        )
    tip = (int(match["seq"]), match["digest"]) if match["seq"] else None
    return Anchor(match["genesis"], tip)
