"""Which paths differ between two trees, by object ids alone; folders that are the same are never opened."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from reconciler.errors import Terminal
from reconciler.source.objects import Entry, Objects
from reconciler.source.snapshot import MAX_DEPTH, display
from renderer.load.limits import MAX_FILES

Roots = Mapping[bytes, Entry]


def changed_paths(store: Objects, before: Roots, after: Roots) -> tuple[str, ...]:
    """Paths added, removed or altered (a mode counts), sorted. A move is two paths: the old and the new.

    Raises Terminal where more paths differ than a site may hold.
    """
    paths: list[str] = []
    for path in before.keys() | after.keys():
        for found in _changed(store, path, before.get(path), after.get(path)):
            paths.append(display(found))
            if len(paths) > 2 * MAX_FILES:
                raise Terminal(f"one commit changes more than {2 * MAX_FILES} paths of the site; split it")
    return tuple(sorted(paths))


def _changed(store: Objects, path: bytes, before: Entry | None, after: Entry | None) -> Iterator[bytes]:
    if before == after:
        return
    if path.count(b"/") > MAX_DEPTH or _is_file(before) or _is_file(after):
        yield path
    if path.count(b"/") <= MAX_DEPTH:
        left, right = store.children(before), store.children(after)
        for name in left.keys() | right.keys():
            yield from _changed(store, path + b"/" + name, left.get(name), right.get(name))


def _is_file(entry: Entry | None) -> bool:
    return entry is not None and not entry.is_folder
