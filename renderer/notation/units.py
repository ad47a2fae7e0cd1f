"""Memory sizes as Slurm writes them."""

from __future__ import annotations

import re

from renderer.notation.error import NotationError

_SIZE = re.compile(r"([0-9]{1,15})(?:\.([0-9]{1,6}))?([KMGTP]?)\Z")
_KIBIBYTES = {"K": 1, "M": 1024, "": 1024, "G": 1024**2, "T": 1024**3, "P": 1024**4}


def mebibytes(text: str) -> int:
    """MiB of a Slurm size (`42G`, `512000M`, plain means M), rounded down. Raises NotationError."""
    match = _SIZE.match(text)
    if match is None:
        raise NotationError(f"{text[:20]!r} is not a memory size", "write a number with K, M, G or T")
    whole, fraction, unit = match[1], match[2] or "", match[3]
    thousandths = int(whole + fraction) * _KIBIBYTES[unit]
    return int(thousandths // 10 ** len(fraction) // 1024)
