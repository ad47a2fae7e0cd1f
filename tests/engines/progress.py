"""Lines on stderr that tell what is being done and since when: long work must not look hung."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.engines.errors import EngineError

_START = time.monotonic()
EVERY = 15.0


def say(text: str) -> None:
    """One line with the elapsed time before it."""
    print(f"[{time.monotonic() - _START:6.1f} s] {text}", file=sys.stderr, flush=True)


def call(
    what: str,
    argv: Sequence[str | Path],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    limit: float,
) -> None:
    """Run a long command, saying every 15 s that it goes on. EngineError with the end of its output: it failed."""
    say(what)
    process = subprocess.Popen(
        [str(word) for word in argv],
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    begun = time.monotonic()
    while True:
        try:
            output, _ = process.communicate(timeout=EVERY)
            break
        except subprocess.TimeoutExpired:
            if time.monotonic() - begun > limit:
                process.kill()
                process.communicate()
                raise EngineError(f"{what}: not done after {limit:g} s") from None
            say(f"  … {what}, for {time.monotonic() - begun:.0f} s")
    if process.returncode != 0:
        end = "\n".join(output.splitlines()[-15:])
        raise EngineError(f"{what}: exit {process.returncode}\n{end}")
