"""The templates that a reviewer reads beside the golden files. A value is one line, always: a line break in one would
become a directive of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from renderer.errors import RenderError

HEADER = "# Written by Charter from the site's YAML; edits here are overwritten. Change the site instead.\n"

Options = tuple[tuple[str, str], ...]
"""Keys and values of one line, in the order in which they are written."""


def fill(name: str, **values: Any) -> str:
    """A file from its template. Raises RenderError when a value would break its line."""
    text: str = _environment().get_template(f"{name}.j2").render(header=HEADER, **values)
    return text


def options(pairs: Iterable[tuple[str, str]]) -> str:
    """`Key=value Key=value`, values checked. Raises RenderError."""
    return " ".join(f"{key}={_word(key, value)}" for key, value in pairs)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("renderer.slurm"),
        undefined=StrictUndefined,
        autoescape=select_autoescape(()),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["options"] = options
    environment.filters["one_line"] = _one_line
    return environment


def _word(key: str, value: str) -> str:
    if any(mark in " #" or not mark.isprintable() for mark in value):
        raise RenderError(
            f"{key}={value!r} holds a blank or '#', which Slurm ends a value at, or a control character; mend the site"
        )
    return value


def _one_line(value: object) -> str:
    text = str(value)
    if not text.isprintable():
        raise RenderError(f"{text[:60]!r} holds a line break or a control character; mend the site")
    return text
