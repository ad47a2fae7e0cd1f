"""Git objects by id: size before content, and every id recomputed from what was read.

The second check is why a signature over a commit holds for the files below it: a replaced object, a tampered store or a
damaged disk is found here and not believed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from git import Repo
from git.db import GitCmdObjectDB

from reconciler.errors import Terminal
from reconciler.source.snapshot import display
from reconciler.system.git import Repository

Kind = Literal["commit", "tree", "blob"]
MAX_COMMIT = 1 << 20
MAX_TREE = 16 << 20

_MODE = re.compile(rb"[0-7]+\Z")
_WIDTH = 0xFFFFFFFF
"""Git reads a mode into 32 bits and drops what is above (get_mode, git's tree-walk.c)."""
FOLDER, SYMBOLIC_LINK, SUBMODULE = 0o040000, 0o120000, 0o160000


@dataclass(frozen=True, slots=True)
class Entry:
    """What a name in a tree stands for: git's mode and the object's id."""

    mode: int
    id: str

    @property
    def is_folder(self) -> bool:
        """True for a tree."""
        return self.mode == FOLDER


class Objects:
    """The object store of one repository."""

    def __init__(self, repo: Repo, name: str) -> None:
        self._odb = repo.odb
        self._name = name

    def size(self, object_id: str, kind: Kind) -> int:
        """Bytes of an object whose content is not read. Raises Terminal where it is missing or of another kind."""
        try:
            facts = self._odb.info(bytes.fromhex(object_id))
            found, size = facts.type, int(facts.size)
        except Exception as error:  # noqa: BLE001 - a damaged object surfaces as any of many types
            raise self._damaged(object_id, kind, type(error).__name__) from None
        if _text(found) != kind:
            raise self._damaged(object_id, kind, f"it is a {_text(found)}")
        return size

    def read(self, object_id: str, kind: Kind, limit: int) -> bytes:
        """Content of an object of at most `limit` bytes. Raises Terminal where it is larger, missing or damaged."""
        if self.size(object_id, kind) > limit:
            raise Terminal(f"{self._name}: {kind} {object_id} is larger than {limit} bytes and is not read")
        try:
            content: bytes = self._odb.stream(bytes.fromhex(object_id)).read()
        except Exception as error:  # noqa: BLE001 - a damaged object surfaces as any of many types
            raise self._damaged(object_id, kind, type(error).__name__) from None
        header = f"{kind} {len(content)}\0".encode()
        if hashlib.sha1(header + content, usedforsecurity=False).hexdigest() != object_id:
            raise self._damaged(object_id, kind, "its content is not what its id says")
        return content

    def folder(self, object_id: str) -> dict[bytes, Entry]:
        """The entries of a tree by name. Raises Terminal for a tree that git would not have written."""
        found: dict[bytes, Entry] = {}
        for name, entry in _entries(self.read(object_id, "tree", MAX_TREE)):
            if name in found or not name or b"/" in name:
                raise self._damaged(object_id, "tree", f"the name {display(name)!r} cannot stand there")
            found[name] = entry
        return found

    def children(self, entry: Entry | None) -> dict[bytes, Entry]:
        """The entries of a folder; nothing for a file, or for None."""
        return self.folder(entry.id) if entry and entry.is_folder else {}

    def _damaged(self, object_id: str, kind: Kind, why: str) -> Terminal:
        return Terminal(
            f"{self._name}: {kind} {object_id} is missing or damaged ({why}); run `git fsck --full` there, then fetch it"
            " again (in a shallow clone: git fetch --unshallow)"
        )


@contextmanager
def objects(repository: Repository) -> Iterator[Objects]:
    """The store of a repository, its helper processes ended afterwards."""
    repo = Repo(repository.path, odbt=GitCmdObjectDB, search_parent_directories=False)
    try:
        repo.git.update_environment(GIT_NO_REPLACE_OBJECTS="1", GIT_NO_LAZY_FETCH="1", LC_ALL="C")
        yield Objects(repo, str(repository.path))
    finally:
        repo.close()


def _entries(data: bytes) -> Iterator[tuple[bytes, Entry]]:
    """`mode SP name NUL id` repeated, the id being 20 bytes."""
    position = 0
    while position < len(data):
        space, end = data.find(b" ", position), data.find(b"\0", position)
        object_id = data[end + 1 : end + 21]
        if not position < space < end or len(object_id) != 20 or not _MODE.match(data[position:space]):
            raise Terminal("a tree object of the site's repository is malformed; run: git fsck --full")
        yield data[space + 1 : end], Entry(int(data[position:space], 8) & _WIDTH, object_id.hex())
        position = end + 21


def _text(kind: str | bytes) -> str:
    return kind.decode() if isinstance(kind, bytes) else kind
