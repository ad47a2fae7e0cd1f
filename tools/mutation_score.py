"""Draw mutants to run, and say how many mutants of each package the tests killed."""

from __future__ import annotations

import argparse
import json
import random
import sys
from pathlib import Path

WANTED = 0.80
WHOLE = ("plan",)
DRAWN = ("gate", "audit")
_SURVIVED = (0, 5, 33)
"""Exit codes of mutmut for a mutant that all tests passed, and for one that no test reaches."""
_NOT_RUN = (None, 2, 34)


def main() -> int:
    """Print names to run with `--draw`; else a line a package, and 1 where one is below the mark or wasn't run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draw", metavar="COUNT", help="names of this many mutants a package, or `all`")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    if asked.draw is not None:
        print("\n".join(name for package in DRAWN for name in _draw(package, asked.draw, asked.seed)))
        return 0
    return int(min(map(_score, (*WHOLE, *DRAWN))) < WANTED)


def _draw(package: str, count: str, seed: int) -> list[str]:
    names = sorted(_codes(package))
    if count == "all":
        return names
    return random.Random(seed).sample(names, min(int(count), len(names)))  # noqa: S311


def _score(package: str) -> float:
    codes = _codes(package)
    ran = {name: code for name, code in codes.items() if code not in _NOT_RUN}
    survived = sorted(name for name, code in ran.items() if code in _SURVIVED)
    killed = len(ran) - len(survived)
    share = killed / len(ran) if ran else 0.0
    print(f"{package}: {killed} of {len(ran)} mutants killed, {100 * share:.1f} %, of {len(codes)} there are")
    for name in survived:
        print(f"  survived: {name}")
    return share


def _codes(package: str) -> dict[str, int | None]:
    found: dict[str, int | None] = {}
    for meta in Path("mutants/reconciler", package).rglob("*.meta"):
        found |= json.loads(meta.read_text())["exit_code_by_key"]
    return found


if __name__ == "__main__":
    sys.exit(main())
