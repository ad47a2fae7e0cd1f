"""`python -m tests.engines.setup [--only GROUP]`: everything the real tests run against, installed or built once.

A second run only asks each program its version, and needs no network. What was found is printed and kept in
engines.json in the cache.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import sys
from collections.abc import Sequence

from tests.engines.chroots import releases, setup_chroots
from tests.engines.debian import setup_slurm
from tests.engines.errors import EngineError
from tests.engines.golang import remove_work, setup_modules
from tests.engines.progress import say
from tests.engines.versions import cache, read_pins

GROUPS = ("slurm", "kubernetes", "opa")


def main(arguments: Sequence[str] | None = None) -> int:
    """0: all there, of the pinned versions. 1: a sentence on stderr says what is not."""
    parser = argparse.ArgumentParser(
        description="Install and build the real engines that the tests run against."
    )
    parser.add_argument("--only", choices=GROUPS, action="append", help="only this engine; may be repeated")
    groups = parser.parse_args(arguments).only or GROUPS
    try:
        found = setup(groups)
    except EngineError as error:
        say(f"error: {error}")
        return 1
    for name, version in found.items():
        print(f"{name}: {version}")
    return 0


def setup(groups: Sequence[str]) -> dict[str, str]:
    """Set these groups up, one run at a time on this machine; returns name → version found."""
    pins = read_pins()
    cache().mkdir(parents=True, exist_ok=True)
    with (cache() / "setup.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        found = {**setup_slurm(pins), **setup_chroots(releases(pins).values())} if "slurm" in groups else {}
        found |= setup_modules(pins, [module for module in pins.modules if module.group in groups])
        if all(module.folder.exists() for module in pins.modules):
            remove_work()
        _record(found)
    say("engines ready")
    return found


def _record(found: dict[str, str]) -> None:
    path = cache() / "engines.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(dict(sorted((known | found).items())), indent=2) + "\n")
    fresh.replace(path)


if __name__ == "__main__":
    sys.exit(main())
