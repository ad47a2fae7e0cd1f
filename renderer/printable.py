"""Text that can't redraw the terminal or the page it is shown on."""

from __future__ import annotations

import json


def one_line(value: str) -> str:
    """`value` with line breaks, control and direction characters written out as JSON writes them; a tab stays."""
    return "".join(
        letter if letter.isprintable() or letter == "\t" else json.dumps(letter)[1:-1] for letter in value
    )


def shown(text: str) -> str:
    """The same for a text of several lines. JSON stays JSON."""
    return "\n".join(map(one_line, text.split("\n")))
