"""Lines of Slurm's files as Slurm reads them. Rules and renderer must see the same ones: a key split over two physical lines
would otherwise pass the rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_PAIR = re.compile(r"""\s*([A-Za-z][A-Za-z0-9_]*)\s*=\s*("[^"]*"|[^\s"]\S*)(?=\s|\Z)""")


def logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """(number of its first line, content) of each line that says something: comments gone, continuations joined."""
    held, first = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        content = _without_comment(line).rstrip()
        first = first if held else number
        if content.endswith("\\"):
            held += content[:-1]
            continue
        joined = (held + content).strip()
        held = ""
        if joined:
            yield first, joined
    if held.strip():
        yield first, held.strip()


@dataclass(frozen=True, slots=True)
class Setting:
    """A `Key=Value` of a file, the key as written, the value without its quotes, and the line it stands on."""

    line: int
    key: str
    value: str


@lru_cache(maxsize=4)
def settings(text: str) -> tuple[tuple[Setting, ...], ...]:
    """The pairs of each line; lines of another form, which a rule refuses, are left out."""
    found = ((number, line_pairs(line)) for number, line in logical_lines(text))
    return tuple(
        tuple(Setting(number, key, value) for key, value in pairs) for number, pairs in found if pairs
    )


def line_pairs(line: str) -> list[tuple[str, str]] | None:
    """The pairs of a line of `Key=Value`; None where it is anything else.

    Slurm also takes `Key+=Value`, `-=`, `*=` and `/=`, and dots in keys: none of its own files needs them, and they would
    be a second way to set what Charter writes (s_p_parse_line, Slurm's parse_config.c; tried on 22.05.8).
    """
    pairs, place, end = [], 0, len(line.rstrip())
    while place < end:
        pair = _PAIR.match(line, place)
        if pair is None:
            return None
        pairs.append((pair[1], pair[2].strip('"')))
        place = pair.end()
    return pairs or None


def _without_comment(line: str) -> str:
    """Slurm ends a line at an unescaped `#`."""
    return re.split(r"(?<!\\)#", line, maxsplit=1)[0]
