"""Slurm's TRES strings: `cpu=4,gres/gpu:h200=2,mem=42G`."""

from __future__ import annotations

import re
from collections.abc import Mapping

from renderer.notation.error import NotationError
from renderer.notation.units import mebibytes

GPU = "gres/gpu"
_NAME = re.compile(r"[a-z]+(?:/[A-Za-z0-9_.@-]+(?::[A-Za-z0-9_.-]+)?)?\Z")
"""A licence of a remote server carries its name: `license/matlab@flexlm`."""


def parse(text: str) -> dict[str, int]:
    """TRES name to amount, memory in MiB. Raises NotationError."""
    found: dict[str, int] = {}
    for part in filter(None, text.split(",")):
        name, equals, amount = part.partition("=")
        if not equals or not _NAME.match(name):
            raise NotationError(f"{part[:40]!r} is not a TRES", "write name=amount, such as gres/gpu=8")
        if name in found:
            raise NotationError(f"{name} is given twice", "keep one of them")
        found[name] = _amount(name, amount)
    return found


def is_tres(name: str) -> bool:
    """True for the name of a TRES in lower case, typed or not."""
    return _NAME.match(name) is not None


def text(tres: Mapping[str, int]) -> str:
    """The canonical string: sorted by name, memory with M."""
    return ",".join(f"{name}={tres[name]}{'M' if name == 'mem' else ''}" for name in sorted(tres))


def gpus(tres: str) -> int:
    """GPUs in a TRES string: the untyped count if there is one, else the sum of the typed; never both.

    Raises NotationError when typed ones exceed the untyped count, which Slurm cannot produce.
    """
    found = parse(tres)
    typed = sum(amount for name, amount in found.items() if name.startswith(f"{GPU}:"))
    total = found.get(GPU, typed)
    if typed > total:
        raise NotationError(
            f"{tres!r} holds {typed} typed GPUs but {total} in all", "mend the record's source"
        )
    return total


def _amount(name: str, amount: str) -> int:
    if name == "mem":
        return mebibytes(amount)
    if not amount.isascii() or not amount.isdigit() or len(amount) > 18:
        raise NotationError(f"{name}={amount[:20]} is not a count", "write a whole number")
    return int(amount)
