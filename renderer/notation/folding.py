"""Names to a host list as Slurm folds it, and the order that people expect of numbered names.

Slurm folds the last axis only, and treats `n1` and `n01` as different families; ClusterShell would fold several axes at
once and mix digit widths. Hence names are grouped by prefix and width first.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

_NUMBERED = re.compile(r"(.*?)([0-9]{1,18})\Z", re.DOTALL)
_IPV4 = re.compile(r"[0-9]{1,3}(\.[0-9]{1,3}){3}\Z")
_PARTS = re.compile(r"([0-9]+)")
_DIGITS = frozenset("0123456789")

NaturalKey = tuple[tuple[int, int, str, str], ...]


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


def natural(name: str) -> NaturalKey:
    """Sort key: digits by value, then by their text; text of any length."""
    return tuple(map(_part_key, filter(None, _PARTS.split(name))))


def _part_key(part: str) -> tuple[int, int, str, str]:
    """Of two numbers without leading zeros the longer one is the greater: no conversion, which Python bounds."""
    if part[0] not in _DIGITS:
        return 1, 0, part, ""
    value = part.lstrip("0")
    return 0, len(value), value, part


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


def _fold_order(text: str) -> NaturalKey:
    return natural(text.replace("[", ""))
