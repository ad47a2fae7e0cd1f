"""The site straight from a commit's objects, so that what is applied is what was signed, whatever the working tree holds."""

from __future__ import annotations

from reconciler.source.commit import parse
from reconciler.source.objects import MAX_COMMIT, SUBMODULE, SYMBOLIC_LINK, Entry, Objects, objects
from reconciler.source.snapshot import (
    MAX_DEPTH,
    NOT_FOLDER,
    OVERSIZED,
    REPOSITORY,
    RESERVED_NAME,
    ROOTS,
    SPECIAL,
    SYMLINK,
    TOO_DEEP,
    Gathering,
    Snapshot,
    reserved,
)
from reconciler.system.git import Repository
from renderer.load.limits import MAX_FILE

_PLAIN = (0o100644, 0o100755, 0o100664)


def read_tree(repository: Repository, revision: str, folder: str = "") -> Snapshot:
    """The site of a revision. `folder`: where the site lies in the repository, "" for its root.

    Raises UsageError for a revision that names no commit, Terminal for damaged objects and a site beyond its bounds.
    """
    commit = repository.resolve(revision)
    gathering = Gathering()
    with objects(repository) as store:
        tree = parse(commit, store.read(commit, "commit", MAX_COMMIT)).tree
        roots = site_roots(store, tree, folder)
        gathering.count(len(roots))
        for path, entry in roots.items():
            _gather(store, gathering, path, entry, top=True)
    return gathering.snapshot(commit)


def site_roots(store: Objects, tree: str, folder: str = "") -> dict[bytes, Entry]:
    """The site's folders in a tree; where a file stands in a folder's place, that file under its own path."""
    top = Entry(0o040000, tree)
    for name in filter(None, folder.encode().split(b"/")):
        found = store.children(top).get(name)
        if found is None:
            return {}
        top = found
    roots = (_root(store, top, root.encode().split(b"/")) for root in ROOTS)
    return dict(root for root in roots if root is not None)


def _root(store: Objects, top: Entry, names: list[bytes]) -> tuple[bytes, Entry] | None:
    entry, path = top, b""
    for name in names:
        if not entry.is_folder:
            break
        children = store.children(entry)
        if path and b".git" in children:
            return path, Entry(SUBMODULE, entry.id)
        if name not in children:
            return None
        entry, path = children[name], path + b"/" + name if path else name
    return path, entry


def _gather(store: Objects, gathering: Gathering, path: bytes, entry: Entry, top: bool = False) -> None:
    if not entry.is_folder:
        gathering.add(path, _content(store, gathering, path, entry, top))
    elif path.count(b"/") >= MAX_DEPTH:
        gathering.add(path, TOO_DEEP)
    else:
        children = store.children(entry)
        if b".git" in children:
            gathering.add(path, REPOSITORY)
            return
        gathering.count(len(children))
        for name, child in children.items():
            _gather(store, gathering, path + b"/" + name, child)


def _content(store: Objects, gathering: Gathering, path: bytes, entry: Entry, top: bool) -> bytes | str:
    """Content of a file, or why it is refused; its size is looked at before its content is read."""
    if reserved(path.rpartition(b"/")[2]):
        return RESERVED_NAME
    if entry.mode in (SUBMODULE, SYMBOLIC_LINK):
        return REPOSITORY if entry.mode == SUBMODULE else SYMLINK
    if entry.mode not in _PLAIN:
        return SPECIAL
    if top:
        return NOT_FOLDER
    size = store.size(entry.id, "blob")
    if size > MAX_FILE:
        return OVERSIZED
    gathering.reserve(size)
    return store.read(entry.id, "blob", MAX_FILE)
