"""The newest entry that was seen here, kept in state_dir, outside the repository that others may write to."""

from __future__ import annotations

import re
from pathlib import Path

from reconciler.audit.entry import Entry
from reconciler.errors import Terminal
from reconciler.system.files import atomic_write, read_regular

_LINE = re.compile(r"(0|[1-9][0-9]{0,17}) ([0-9a-f]{64})\n\Z")


class Memory:
    """File `tip` of state_dir: sequence number and SHA-256 of a record."""

    def __init__(self, state_dir: Path) -> None:
        self._path = state_dir / "tip"

    def read(self) -> tuple[int, str] | None:
        """(seq, sha256), None where nothing was seen yet. Raises Terminal for a damaged file."""
        if not self._path.exists():
            return None
        match = _LINE.match(read_regular(self._path, 200).decode("ascii", errors="replace"))
        if match is None:
            raise Terminal(
                f"{self._path}: is damaged; restore it, or remove it after: charter audit verify --trust FILE"
            )
        return int(match[1]), match[2]

    def write(self, entry: Entry) -> None:
        """Note an entry as seen."""
        content = f"{entry.record.seq} {entry.record.sha256}\n"
        atomic_write(self._path, content.encode(), 0o600)
