"""slurm.d: raw lines for what the model doesn't cover, read far enough to merge them with Charter's own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from renderer.errors import RenderError
from renderer.rules.slurm_keys import LIST_KEYS, key_fault
from renderer.rules.slurm_lines import logical_lines as logical_lines

FOLDER = "inventory/slurm.d"
_KEY = re.compile(r"\s*([A-Za-z][A-Za-z0-9_]*)\s*=\s*(.*)\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class RawFile:
    """`lines` go into the file as written; `lists` are the parts of list-valued keys, by lower-case key, with the key as written."""

    lines: tuple[str, ...]
    lists: Mapping[str, tuple[str, tuple[str, ...]]]


def read_slurm_conf(text: str, release: tuple[int, int]) -> RawFile:
    """Split raw slurm.conf lines into plain ones and list-valued ones. Raises RenderError for a key the release doesn't know."""
    lines: list[str] = []
    lists: dict[str, tuple[str, tuple[str, ...]]] = {}
    for number, line in logical_lines(text):
        match = _KEY.match(line)
        key = match[1].lower() if match else ""
        fault = key_fault(release, key)
        if fault:
            raise RenderError(f"{FOLDER}/slurm.conf:{number}: {match[1] if match else key}: {fault}")
        if match is not None and key in LIST_KEYS:
            name, parts = lists.get(key, (match[1], ()))
            lists[key] = (name, parts + tuple(filter(None, match[2].strip().strip('"').split(","))))
        else:
            lines.append(line)
    return RawFile(tuple(lines), lists)


def merged(name: str, own: tuple[str, ...], raw: RawFile) -> str:
    """A list-valued key: Charter's parts first, then slurm.d's that aren't there yet. Raises RenderError on a contradiction."""
    _, added = raw.lists.get(name.lower(), (name, ()))
    named = {part.partition("=")[0].lower(): part for part in own}
    for part in added:
        ours = named.get(part.partition("=")[0].lower())
        if ours is not None and ours.lower() != part.lower():
            raise RenderError(
                f"{FOLDER}/slurm.conf: {name} says {part} where Charter writes {ours}; remove it there"
            )
    return ",".join(dict.fromkeys((*own, *(part for part in added if part.lower() not in _lower(own)))))


def _lower(parts: tuple[str, ...]) -> set[str]:
    return {part.lower() for part in parts}
