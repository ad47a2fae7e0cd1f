"""What is refused before a parser sees it, so that hostile bytes cost neither time nor memory.

The parser makes about a kilobyte of nodes for each value, however short its text, so values are bounded by the bytes that
can separate them, and files by size. What only *may* be a forbidden construct is counted here by regular expression and
settled event by event; the fast path never pays for it.
"""

from __future__ import annotations

import re

MAX_FILE = 4 << 20
MAX_SITE = 32 << 20
MAX_FILE_VALUES = 250_000
MAX_SITE_VALUES = 3_000_000
MAX_DEPTH = 32
MAX_LIST_HOSTS = 65_536
"""A host list; Slurm itself takes 65,533 nodes (MAX_SLURM_NODES)."""
MAX_SITE_HOSTS = 2_000_000
"""All host lists of a site together, counted before they are expanded."""
MAX_FILES = 20_000
MAX_RESERVATIONS = 2_000
"""Each is compared with every other."""
MAX_FAULTS = 200
"""Reported of one file: nobody reads more, and a hostile one could have millions."""

_SEPARATORS = (b"\n", b"\r", b",", b":", b"[", b"{", b"\xc2\x85", b"\xe2\x80\xa8", b"\xe2\x80\xa9")
_CONTROLS = bytes([*range(9), 11, 12, *range(14, 32), 127])
_CONTROL = re.compile(rb"[" + re.escape(_CONTROLS) + rb"]")
_ANCHOR = re.compile(rb"[&*][A-Za-z0-9_-]")
_MANY_BRACKETS = 512
_LONG_LINE = 2000

Fault = tuple[int, int, str, str, str]
"""Line, column (from 1, 0 for the whole file), rule, what, remedy."""


def values(data: bytes) -> int:
    """An upper bound of the values a YAML file can hold."""
    return 1 + sum(map(data.count, _SEPARATORS))


def refusal(data: bytes) -> Fault | None:
    """Why these bytes are not parsed at all."""
    refused = text_refusal(data)
    if refused is None and values(data) > MAX_FILE_VALUES:
        return 0, 0, "file-size", f"more than {MAX_FILE_VALUES} values in one file", "split it"
    return refused


def suspicious(data: bytes) -> bool:
    """True when an anchor, a tag or nesting that could exhaust the C stack is possible; never false when there is one.

    Each level of flow nesting needs a bracket, each level of block nesting a further column.
    """
    if b"!" in data or data.count(b"[") + data.count(b"{") > _MANY_BRACKETS:
        return True
    if (b"&" in data or b"*" in data) and _ANCHOR.search(data):
        return True
    return max(map(len, data.split(b"\n"))) > _LONG_LINE


def text_refusal(data: bytes) -> Fault | None:
    """Why these bytes are no text that is read."""
    if len(data) > MAX_FILE:
        return 0, 0, "file-size", f"{len(data)} bytes; a file may have {MAX_FILE}", "split it"
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line, column = _place(data[: error.start])
        byte = f"byte 0x{data[error.start]:02x} is not UTF-8"
        return line, column, "file-encoding", byte, "save the file as UTF-8"
    match = _CONTROL.search(data) if len(data.translate(None, _CONTROLS)) != len(data) else None
    if match is None:
        return None
    line, column = _place(data[: match.start()])
    return line, column, "file-encoding", f"control character U+{match[0][0]:04X}", "remove it"


def _place(before: bytes) -> tuple[int, int]:
    text = before.decode("utf-8")
    return text.count("\n") + 1, len(text) - (text.rfind("\n") + 1) + 1
