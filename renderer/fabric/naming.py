"""Names of logical leaves, taken from what people already call their scalable units."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

_SEPARATOR = re.compile(r"[-_.]")
_GENERIC = re.compile(r"(?:leaf|leaves|rail|switch|sw|tor|ib|r|l|n|node|gpu|host)\d*\Z")

Members = tuple[tuple[str, ...], tuple[str, ...]]
"""Hosts and leaves of a unit."""


def distinct(groups: Sequence[Members], taken: frozenset[str]) -> list[str]:
    """One name a group: what its leaves share, else what its hosts share, else `unit01`, `unit02`…; never one in `taken`."""
    by_leaves = [_shared(leaves) for _, leaves in groups]
    by_hosts = [_shared(hosts) for hosts, _ in groups]
    for names in (by_leaves, by_hosts):
        if _usable(names, taken):
            return names
    width = max(2, len(str(len(groups))))
    return [f"unit{number:0{width}d}" for number in range(1, len(groups) + 1)]


def _usable(names: list[str], taken: frozenset[str]) -> bool:
    return all(names) and max(Counter(names).values(), default=1) == 1 and taken.isdisjoint(names)


def _shared(names: Iterable[str]) -> str:
    """Leading words common to all names, without a generic tail: `su01` of su01-leaf-r1, su01-leaf-r2. A single name is itself."""
    words = [_SEPARATOR.split(name) for name in names]
    if len(words) == 1:
        return "-".join(words[0])
    common: list[str] = []
    for column in zip(*words, strict=False):
        if len(set(column)) != 1:
            break
        common.append(column[0])
    while common and _GENERIC.match(common[-1]):
        common.pop()
    return "-".join(common)
