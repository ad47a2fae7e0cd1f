"""Lines of Slurm's files as Slurm reads them. Rules and renderer must see the same ones: a key split over two physical lines
would otherwise pass the rules."""

from __future__ import annotations

import re
from collections.abc import Iterator

_PAIR = re.compile(r"""\s*([A-Za-z][A-Za-z0-9_]*)\s*=\s*(?:"[^"]*"|[^\s"]\S*)(?=\s|\Z)""")


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


def line_keys(line: str) -> list[str] | None:
    """The keys of a line of `Key=Value` pairs; None where it is anything else.

    Slurm also takes `Key+=Value`, `-=`, `*=` and `/=`, and dots in keys: none of its own files needs them, and they would
    be a second way to set what Charter writes (s_p_parse_line, Slurm's parse_config.c; tried on 22.05.8).
    """
    keys, rest = [], line
    while rest.strip():
        pair = _PAIR.match(rest)
        if pair is None:
            return None
        keys.append(pair[1])
        rest = rest[pair.end() :]
    return keys or None


def _without_comment(line: str) -> str:
    """Slurm ends a line at an unescaped `#`."""
    return re.split(r"(?<!\\)#", line, maxsplit=1)[0]
