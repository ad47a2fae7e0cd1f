"""The site in a folder: nothing is followed out of it, nothing is waited for, nothing is read beyond its bound."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from reconciler.errors import UsageError
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
from renderer.load.limits import MAX_FILE

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_NOCTTY | os.O_CLOEXEC


def read_directory(path: Path) -> Snapshot:
    """The site in a folder as it stands, committed or not. Raises UsageError where there is no such folder, Terminal
    where the site is beyond its bounds."""
    gathering = Gathering()
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise UsageError(
            f"{path}: is not a folder that can be read ({error.strerror}); name a site"
        ) from None
    try:
        for root in ROOTS:
            _root(gathering, descriptor, b"", root.encode().split(b"/"))
    finally:
        os.close(descriptor)
    return gathering.snapshot(None)


def _root(gathering: Gathering, parent: int, above: bytes, names: list[bytes]) -> None:
    name, path = names[0], above + names[0]
    mode = _mode(gathering, parent, name, path)
    if mode is None:
        return
    if not stat.S_ISDIR(mode):
        gathering.add(path, SYMLINK if stat.S_ISLNK(mode) else NOT_FOLDER)
    elif len(names) == 1:
        _folder(gathering, parent, name, path)
    else:
        with _opened(gathering, parent, name, path) as descriptor:
            if descriptor is not None:
                _root(gathering, descriptor, path + b"/", names[1:])


def _folder(gathering: Gathering, parent: int, name: bytes, path: bytes) -> None:
    gathering.count()
    if path.count(b"/") >= MAX_DEPTH:
        gathering.add(path, TOO_DEEP)
        return
    with _opened(gathering, parent, name, path) as descriptor:
        if descriptor is None:
            return
        with os.scandir(descriptor) as found:
            for entry in found:
                child = os.fsencode(entry.name)
                _entry(gathering, descriptor, child, path + b"/" + child)


def _entry(gathering: Gathering, parent: int, name: bytes, path: bytes) -> None:
    mode = _mode(gathering, parent, name, path)
    if mode is None:
        return
    if stat.S_ISDIR(mode):
        _folder(gathering, parent, name, path)
        return
    gathering.count()
    if reserved(name):
        gathering.add(path, RESERVED_NAME)
    elif stat.S_ISLNK(mode):
        gathering.add(path, SYMLINK)
    elif stat.S_ISREG(mode):
        gathering.add(path, _content(gathering, parent, name))
    else:
        gathering.add(path, SPECIAL)


@contextmanager
def _opened(gathering: Gathering, parent: int, name: bytes, path: bytes) -> Iterator[int | None]:
    """A folder's descriptor, None for one that is refused."""
    try:
        descriptor = os.open(name, _FOLDER, dir_fd=parent)
    except OSError as error:
        gathering.add(path, _unreadable(error))
        yield None
        return
    try:
        nested = _mode(gathering, descriptor, b".git", path) is not None
        if nested:
            gathering.add(path, REPOSITORY)
        yield None if nested else descriptor
    finally:
        os.close(descriptor)


def _content(gathering: Gathering, parent: int, name: bytes) -> bytes | str:
    """Content of a plain file, or why it is refused; what it was a moment ago is not relied on."""
    try:
        descriptor = os.open(name, _FILE, dir_fd=parent)
        with os.fdopen(descriptor, "rb") as stream:
            facts = os.fstat(descriptor)
            if not stat.S_ISREG(facts.st_mode):
                return SPECIAL
            if facts.st_size > MAX_FILE:
                return OVERSIZED
            gathering.reserve(facts.st_size)
            content = stream.read(MAX_FILE + 1)
    except OSError as error:
        return _unreadable(error)
    return OVERSIZED if len(content) > MAX_FILE else content


def _mode(gathering: Gathering, parent: int, name: bytes, path: bytes) -> int | None:
    """What a name stands for, None where it is gone or (then `path` is refused) cannot be looked at."""
    try:
        return os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return None
    except OSError as error:
        gathering.add(path, _unreadable(error))
        return None


def _unreadable(error: OSError) -> str:
    return f"cannot be read ({error.strerror}); mend its permissions"
