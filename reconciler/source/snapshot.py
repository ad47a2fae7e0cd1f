"""The site's files at one moment, whether they came from a folder or from a commit."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field

from reconciler.errors import Terminal
from renderer.load import Refused
from renderer.load.limits import MAX_FILE, MAX_FILES, MAX_SITE

ROOTS = ("inventory", "policies", "rego/site")
"""The folders that make a site; nothing else of a repository is read."""

MAX_DEPTH = 12
"""Folders within one another. Sizes and numbers are the loader's, applied here before anything is read."""

SYMLINK = "is a symbolic link; a site holds plain files only, so put the file itself there"
REPOSITORY = "is a git repository of its own (a submodule); put its files into the site itself"
SPECIAL = "is no plain file (a device, pipe or socket); remove it"
NOT_FOLDER = "must be a folder; remove the file"
OVERSIZED = f"is larger than {MAX_FILE >> 20} MiB; split it into several files"
TOO_DEEP = f"lies more than {MAX_DEPTH} folders deep; move it up"
ODD_NAME = "has a name with control characters, backslashes or bytes that aren't UTF-8; rename it"
RESERVED_NAME = "has a name that git reserves; rename it"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`commit`: 40 hex digits, None for a folder. `files`: path within the site to content, sorted by path.

    A file that is not to be read is there as Refused, so that it is reported with all the site's other problems. A path
    with odd characters is written with backslash escapes and is always Refused.
    """

    commit: str | None
    files: Mapping[str, bytes | Refused]


@dataclass(slots=True)
class Gathering:
    """Files as a reader comes across them, counted against the bounds before their content is read."""

    files: dict[str, bytes | Refused] = field(default_factory=dict)
    entries: int = 0
    total: int = 0

    def count(self, more: int = 1) -> None:
        """More files or folders. Raises Terminal when there are too many."""
        self.entries += more
        if self.entries > MAX_FILES:
            raise Terminal(
                f"the site holds more than {MAX_FILES} files and folders; only what describes the site belongs"
                f" in {', '.join(ROOTS)}"
            )

    def reserve(self, size: int) -> None:
        """Room for a file's bytes. Raises Terminal when all files together are too large."""
        self.total += size
        if self.total > MAX_SITE:
            raise Terminal(
                f"the site's files are larger than {MAX_SITE >> 20} MiB together; only what describes the site"
                f" belongs in {', '.join(ROOTS)}"
            )

    def add(self, path: bytes, content: bytes | str) -> None:
        """A file: its content, or as text the reason why it is refused."""
        shown = display(path)
        if shown.encode() != path:
            content = ODD_NAME
        self.files[shown] = content if isinstance(content, bytes) else Refused(content)

    def snapshot(self, commit: str | None) -> Snapshot:
        """What was gathered, two names that some file systems take for one refused."""
        for twins in _twins(self.files):
            for path in twins:
                others = ", ".join(other for other in twins if other != path)
                self.files[path] = Refused(f"differs from {others} only in case or accents' form; rename one")
        return Snapshot(commit, {path: self.files[path] for path in sorted(self.files)})


def display(path: bytes) -> str:
    """A path as printable text; whatever could deceive a reader or a terminal is backslash-escaped, without loss."""
    return "".join(_shown(char) for char in path.decode("utf-8", "surrogateescape"))


def reserved(name: bytes) -> bool:
    """Names that no git tree may hold."""
    return name in (b"", b".", b"..") or name.lower() == b".git"


def _shown(char: str) -> str:
    if char.isprintable() and char != "\\":
        return char
    return "".join(f"\\x{byte:02x}" for byte in char.encode("utf-8", "surrogateescape"))


def _twins(paths: Mapping[str, object]) -> list[list[str]]:
    groups: dict[str, list[str]] = {}
    for path in paths:
        groups.setdefault(unicodedata.normalize("NFC", path).casefold(), []).append(path)
    return [sorted(group) for group in groups.values() if len(group) > 1]
