"""Slurm's host lists. ClusterShell's NodeSet expands the outer axes; what it would do otherwise than Slurm is kept from it.

NodeSet resolves groups (`@`), set operators (`! & ^`) and wildcards (`*`): these characters are refused before it sees them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from math import prod

from ClusterShell.NodeSet import NodeSet, NodeSetException

from renderer.notation.error import NotationError
from renderer.notation.folding import fold, natural

__all__ = ["MAX_HOSTS", "count", "expand", "fold", "is_nodename", "natural"]

MAX_HOSTS = 262144
"""The most names that any release of Slurm takes in one range; 22.05 stops at 65,536."""
_MAX_TEXT = 1 << 20
_MAX_NAME = 253
"""A DNS name's length, which a Kubernetes node's is held to."""
_PATTERN = re.compile(r"[A-Za-z0-9._-]+")
_ALLOWED = re.compile(r"[A-Za-z0-9._,\[\]-]+\Z")
_RANGE = re.compile(r"([0-9]{1,18})(?:-([0-9]{1,18}))?\Z")
_SATURATED = re.compile(r"[0-9]{19}\Z")
"""Slurm keeps the number at a name's end in 64 bits: of a longer one it makes n18446744073709551615, another host."""
_RESERVED = frozenset({"all", "default", "none"})
_BRACKET = re.compile(r"\[([^\]]*)\]")


def is_nodename(name: str) -> bool:
    """True for a single name that slurm.conf(5) takes as NodeName: no brackets, no reserved word, no number beyond 18 digits."""
    return (
        len(name) <= _MAX_NAME
        and bool(_PATTERN.fullmatch(name))
        and name.lower() not in _RESERVED
        and name[0] not in "-."
        and not _SATURATED.search(name)
    )


@lru_cache(maxsize=4096)
def expand(text: str) -> tuple[str, ...]:
    """Names of a host list, duplicates dropped, in its own order; of several axes all but the last are sorted.

    Raises NotationError.
    """
    if count(text) > MAX_HOSTS:
        raise NotationError(f"{text[:60]!r} names more than {MAX_HOSTS} hosts", "split it or mend the range")
    return tuple(dict.fromkeys(name for part in _split(text) for name in _names(part)))


def count(text: str) -> int:
    """How many names a host list expands to, without expanding it; duplicates count. Raises NotationError."""
    _refuse_foreign(text)
    return sum(map(_size, _split(text)))


def _refuse_foreign(text: str) -> None:
    if not text:
        raise NotationError("the host list is empty", "name at least one host")
    if len(text) > _MAX_TEXT:
        raise NotationError("the host list is longer than 1 MiB", "fold it into ranges")
    if not _ALLOWED.match(text):
        bad = next(mark for mark in text if not _ALLOWED.match(mark))
        raise NotationError(
            f"{bad!r} is not allowed in a host list", "use names and ranges such as node[01-16]"
        )


def _split(text: str) -> Iterator[str]:
    depth, start = 0, 0
    for index, mark in enumerate(text):
        depth += (mark == "[") - (mark == "]")
        if depth not in (0, 1):
            raise NotationError(
                f"brackets don't match in {text[:60]!r}", "write one [..] around each list of numbers"
            )
        if mark == "," and depth == 0:
            yield text[start:index]
            start = index + 1
    if depth:
        raise NotationError(f"a bracket is not closed in {text[:60]!r}", "close it with ]")
    yield text[start:]


def _brackets(part: str) -> list[str]:
    return _BRACKET.findall(part)


def _size(part: str) -> int:
    return prod((_bracket_size(inside) for inside in _brackets(part)), start=1)


def _bracket_size(inside: str) -> int:
    return sum(_range_size(piece) for piece in inside.split(","))


def _range_size(piece: str) -> int:
    match = _RANGE.match(piece)
    if match is None:
        raise NotationError(
            f"{piece[:40]!r} is not a number or a range", "write numbers of at most 18 digits, as in 01-08"
        )
    low, high = match[1], match[2] or match[1]
    if int(high) < int(low):
        raise NotationError(f"the range {piece} runs backwards", f"write {high}-{low}")
    if len(low) > len(high):
        raise NotationError(
            f"the range {piece} mixes digit widths", "pad both ends with the same number of zeros"
        )
    return int(high) - int(low) + 1


def _names(part: str) -> Iterator[str]:
    if not is_nodename(_BRACKET.sub(_widest, part)):
        raise NotationError(
            f"{part[:60]!r} is not a host name",
            f"use letters, digits, '-', '_' and '.', at most {_MAX_NAME} of them and 18 digits at the end; ALL is reserved",
        )
    brackets = _brackets(part)
    if not brackets:
        yield part
    elif not part.endswith("]"):
        raise NotationError(
            f"{part[:60]!r} has text behind a range", "Slurm takes a range only at the end of a name"
        )
    else:
        yield from _expanded(part)


def _widest(bracket: re.Match[str]) -> str:
    """Stands for the longest of a bracket's numbers."""
    return "0" * max(map(len, re.split("[,-]", bracket[1])))


def _expanded(part: str) -> Iterator[str]:
    head, _, last = part[:-1].rpartition("[")
    prefixes = _node_set(head) if "[" in head else (head,)
    for prefix in prefixes:
        for piece in last.split(","):
            yield from _numbers(prefix, piece)


def _numbers(prefix: str, piece: str) -> Iterator[str]:
    low, _, high = piece.partition("-")
    width = len(low)
    for number in range(int(low), int(high or low) + 1):
        yield f"{prefix}{number:0{width}d}"


def _node_set(text: str) -> tuple[str, ...]:
    try:
        return tuple(NodeSet(text))
    except NodeSetException as error:
        raise NotationError(f"{text[:60]!r} is not a host list ({error})", "mend its ranges") from None
