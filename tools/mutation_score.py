"""Read mutmut's results and say how many mutants of each package the tests killed."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

WANTED = 0.80
PACKAGES = ("gate", "plan", "audit")
_SURVIVED = frozenset({0})


def main() -> int:
    """Print a line a package; 1 where one is below the mark."""
    low = False
    for package in PACKAGES:
        codes = _codes(package)
        judged = sum(count for code, count in codes.items() if code is not None and code != 34)
        survived = sum(codes[code] for code in _SURVIVED) + codes[33]
        share = (judged - survived) / judged if judged else 0.0
        low = low or share < WANTED
        missed = f"{codes[33]} reached by no test, {codes[None]} not run"
        print(f"{package}: {judged - survived} of {judged} mutants killed, {100 * share:.1f} % ({missed})")
    return int(low)


def _codes(package: str) -> Counter[int | None]:
    found: Counter[int | None] = Counter()
    for meta in Path("mutants/reconciler", package).rglob("*.meta"):
        found.update(json.loads(meta.read_text())["exit_code_by_key"].values())
    return found


if __name__ == "__main__":
    sys.exit(main())
