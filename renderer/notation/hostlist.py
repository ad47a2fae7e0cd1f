"""Slurm's host lists. ClusterShell's NodeSet expands; what it would do otherwise than Slurm is kept from it.

NodeSet resolves groups (`@`), set operators (`! & ^`) and wildcards (`*`), folds several axes at once and mixes digit
widths. Slurm folds the last axis only, and treats `n1` and `n01` as different families. Hence the characters are
refused before NodeSet sees them, and folding groups names by prefix and width first.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from math import prod

from ClusterShell.NodeSet import NodeSet, NodeSetException

from renderer.notation.error import NotationError

MAX_HOSTS = 262144
"""slurmctld refuses a range of more than 256 Ki names (MAX_RANGE in src/common/hostlist.c)."""
_MAX_TEXT = 1 << 20
_PATTERN = re.compile(r"[A-Za-z0-9._-]+")
_ALLOWED = re.compile(r"[A-Za-z0-9._,\[\]-]+\Z")
_RANGE = re.compile(r"(\d+)(?:-(\d+))?\Z")
_NUMBERED = re.compile(r"(.*?)(\d+)\Z", re.DOTALL)
_IPV4 = re.compile(r"\d{1,3}(\.\d{1,3}){3}\Z")
_RESERVED = frozenset({"all", "default", "none"})
_PARTS = re.compile(r"(\d+)")


def is_nodename(name: str) -> bool:
    """True for a single name that slurm.conf(5) takes as NodeName: no brackets, none of the reserved words."""
    return bool(_PATTERN.fullmatch(name)) and name.lower() not in _RESERVED and name[0] not in "-."


@lru_cache(maxsize=4096)
def expand(text: str) -> tuple[str, ...]:
    """Names of a host list in its own order, duplicates dropped. Raises NotationError."""
    if count(text) > MAX_HOSTS:
        raise NotationError(f"{text[:60]!r} names more than {MAX_HOSTS} hosts", "split it or mend the range")
    return tuple(dict.fromkeys(name for part in _split(text) for name in _names(part)))


def count(text: str) -> int:
    """How many names a host list expands to, without expanding it; duplicates count. Raises NotationError."""
    _refuse_foreign(text)
    return sum(map(_size, _split(text)))


def fold(names: Iterable[str]) -> str:
    """The shortest Slurm host list for these names, naturally sorted; equal names once."""
    numbered = [(name, None if _IPV4.match(name) else _NUMBERED.match(name)) for name in set(names)]
    singles = [name for name, match in numbered if match is None]
    found = [(match[1], match[2]) for _, match in numbered if match is not None]
    padded = {(prefix, len(digits)) for prefix, digits in found if _is_padded(digits)}
    families: dict[tuple[str, int], list[int]] = defaultdict(list)
    for prefix, digits in found:
        width = len(digits) if (prefix, len(digits)) in padded else 0
        families[prefix, width].append(int(digits))
    folded = [_family(prefix, width, numbers) for (prefix, width), numbers in families.items()]
    return ",".join(sorted(folded + singles, key=_fold_order))


def natural(name: str) -> tuple[tuple[int, int | str, str], ...]:
    """Sort key: digits by value, then by their text."""
    return tuple(
        (0, int(part), part) if part.isdigit() else (1, part, "") for part in _PARTS.split(name) if part
    )


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
    return re.findall(r"\[([^\]]*)\]", part)


def _size(part: str) -> int:
    return prod((_bracket_size(inside) for inside in _brackets(part)), start=1)


def _bracket_size(inside: str) -> int:
    return sum(_range_size(piece) for piece in inside.split(","))


def _range_size(piece: str) -> int:
    match = _RANGE.match(piece)
    if match is None or len(piece) > 40:
        raise NotationError(
            f"{piece[:40]!r} is not a number or a range", "write numbers such as 1-8 or 01-08"
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
    bare = re.sub(r"\[[^\]]*\]", "0", part)
    if not is_nodename(bare) or not part:
        raise NotationError(
            f"{part[:60]!r} is not a host name", "use letters, digits, '-', '_' and '.'; ALL is reserved"
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


def _is_padded(digits: str) -> bool:
    return digits.startswith("0") and len(digits) > 1


def _family(prefix: str, width: int, numbers: list[int]) -> str:
    ranges = list(_ranges(sorted(numbers)))
    text = ",".join(
        f"{low:0{width}d}" if low == high else f"{low:0{width}d}-{high:0{width}d}" for low, high in ranges
    )
    single = len(ranges) == 1 and ranges[0][0] == ranges[0][1]
    return prefix + text if single else f"{prefix}[{text}]"


def _ranges(numbers: list[int]) -> Iterator[tuple[int, int]]:
    low = high = numbers[0]
    for number in numbers[1:]:
        if number != high + 1:
            yield low, high
            low = number
        high = number
    yield low, high


def _fold_order(text: str) -> tuple[tuple[int, int | str, str], ...]:
    return natural(text.replace("[", ""))
