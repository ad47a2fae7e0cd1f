"""Files: written whole or not at all, read bounded and never through a link."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path

from reconciler.errors import Terminal

TEMPORARY = ".tmp-"


def atomic_write(path: Path, content: bytes, mode: int | None = None) -> None:
    """Write through a temporary file in the same folder and rename; file and folder are synced. Everybody may read it, and
    run it if it is a script, unless `mode` says otherwise. Raises Terminal."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=TEMPORARY, dir=path.parent)
    except OSError as error:
        raise _unwritable(path, error) from None
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            os.fchmod(stream.fileno(), _mode(content) if mode is None else mode)
            stream.flush()
            os.fsync(stream.fileno())
        Path(name).replace(path)
        _sync(path.parent)
    except OSError as error:
        Path(name).unlink(missing_ok=True)
        raise _unwritable(path, error) from None


def write_tree(folder: Path, files: Mapping[str, bytes]) -> None:
    """A new folder that holds these files, there at once or not at all; an empty one of that name is replaced. Raises Terminal."""
    partial = folder.with_name(f"{TEMPORARY}{folder.name}-{os.getpid()}")
    try:
        made: set[Path] = set()
        for path, content in files.items():
            target = partial / path
            if target.parent not in made:
                target.parent.mkdir(parents=True, exist_ok=True)
                made.add(target.parent)
            target.write_bytes(content)
            target.chmod(_mode(content))
        partial.replace(folder)
        _sync(folder.parent)
    except OSError as error:
        shutil.rmtree(partial, ignore_errors=True)
        raise _unwritable(folder, error) from None


def _mode(content: bytes) -> int:
    return 0o755 if content.startswith(b"#!") else 0o644


def switch_link(link: Path, target: str) -> None:
    """Point a symlink elsewhere in one step. Raises Terminal."""
    temporary = link.with_name(f"{TEMPORARY}{link.name}-{os.getpid()}")
    try:
        temporary.unlink(missing_ok=True)
        temporary.symlink_to(target)
        temporary.replace(link)
        _sync(link.parent)
    except OSError as error:
        raise _unwritable(link, error) from None


def read_regular(path: Path, limit: int, *, private: bool = False) -> bytes:
    """Content of a regular file of at most `limit` bytes; never follows a link or waits on a pipe. Raises Terminal.

    `private` refuses one that anyone but its owner may read or write.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        what = "is a symlink" if error.errno == errno.ELOOP else f"cannot be read ({error.strerror})"
        raise Terminal(f"{path}: {what}; name a readable regular file") from None
    mode = os.fstat(handle).st_mode
    if not stat.S_ISREG(mode):
        os.close(handle)
        raise Terminal(f"{path}: is not a regular file; name one")
    with os.fdopen(handle, "rb") as stream:
        if private and stat.S_IMODE(mode) & 0o077:
            raise Terminal(
                f"{path}: mode {stat.S_IMODE(mode):04o} lets others read a secret; run: chmod 600 {path}"
            )
        content = stream.read(limit + 1)
    if len(content) > limit:
        raise Terminal(f"{path}: is larger than {limit} bytes; name the right file")
    return content


def secret(path: Path, limit: int = 1 << 16) -> bytes:
    """Content of a file that only its owner may read. Raises Terminal naming the mode and the remedy.

    The configuration may name it through a link: a mounted Kubernetes Secret consists of links.
    """
    return read_regular(path.resolve(), limit, private=True)


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _unwritable(path: Path, error: OSError) -> Terminal:
    return Terminal(f"{path}: cannot be written ({error.strerror}); check its folder, owner and free space")
