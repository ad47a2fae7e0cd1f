"""A commit object taken apart: what it says of itself, its signatures, and the exact bytes that a signature covers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from reconciler.errors import Terminal
from renderer.printable import one_line

_ID = re.compile(rb"[0-9a-f]{40}\Z")
_LINE = re.compile(rb"[^\n]*\n|[^\n]+\Z")
_STAMP = re.compile(rb" (\d{1,12}) [+-]\d{4}\Z")


@dataclass(frozen=True, slots=True)
class Commit:
    """`signatures`: every header that git calls a signature, unfolded. `payload`: the object without them.

    `author` and `time` (the committer's, seconds since the epoch, 0 where unreadable) are claims without authority; the
    author is made printable.
    """

    tree: str
    parents: tuple[str, ...]
    author: str
    time: int
    signatures: tuple[bytes, ...]
    payload: bytes


def parse(commit_id: str, data: bytes) -> Commit:
    """Read as git reads it: the tree first, then the parents in one run; later headers of these names mean nothing.

    Raises Terminal where the object isn't of that form.
    """
    end = data.find(b"\n\n")
    head, rest = (data, b"") if end < 0 else (data[: end + 1], data[end + 1 :])
    headers = _headers(head)
    if not headers or not headers[0].startswith(b"tree "):
        raise _malformed(commit_id)
    ids = [headers[0][5:-1]]
    for header in headers[1:]:
        if not header.startswith(b"parent "):
            break
        ids.append(header[7:-1])
    if not all(map(_ID.match, ids)):
        raise _malformed(commit_id)
    tree, *parents = (found.decode() for found in ids)
    return Commit(
        tree=tree,
        parents=tuple(parents),
        author=_author(_first(headers, b"author ")),
        time=_time(_first(headers, b"committer ")),
        signatures=tuple(_unfolded(header) for header in headers if _signs(header)),
        payload=b"".join(header for header in headers if not _signs(header)) + rest,
    )


def _headers(head: bytes) -> list[bytes]:
    """Header lines, each with the lines that continue it (those that begin with a space)."""
    headers: list[list[bytes]] = []
    for line in _LINE.findall(head):
        if line.startswith(b" ") and headers:
            headers[-1].append(line)
        else:
            headers.append([line])
    return [b"".join(lines) for lines in headers]


def _signs(header: bytes) -> bool:
    """git leaves every header that begins so out of what a signature covers."""
    return header.startswith(b"gpgsig")


def _unfolded(header: bytes) -> bytes:
    """The armour; of a header that isn't plain `gpgsig` the whole, which no verifier takes for a signature."""
    name, _, value = header.partition(b" ")
    return value.replace(b"\n ", b"\n") if name == b"gpgsig" else header


def _first(headers: list[bytes], name: bytes) -> bytes:
    return next((header[len(name) :].rstrip(b"\n") for header in headers if header.startswith(name)), b"")


def _author(line: bytes) -> str:
    name = line.rpartition(b">")[0].decode("utf-8", "replace")
    return one_line(name + ">") if name else "unknown"


def _time(line: bytes) -> int:
    stamp = _STAMP.search(line)
    return int(stamp[1]) if stamp else 0


def _malformed(commit_id: str) -> Terminal:
    return Terminal(f"commit {commit_id} is malformed; run: git fsck --full")
