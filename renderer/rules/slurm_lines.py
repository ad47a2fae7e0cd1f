"""Lines of Slurm's files as Slurm reads them. Rules and renderer must see the same ones: a key split over two physical lines
would otherwise pass the rules."""

from __future__ import annotations

import re
from collections.abc import Iterator


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


def _without_comment(line: str) -> str:
    """Slurm ends a line at an unescaped `#`."""
    return re.split(r"(?<!\\)#", line, maxsplit=1)[0]
