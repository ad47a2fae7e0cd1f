"""`make bench`: validate and render a large site, each cold, beside CSafeLoader on the same files in the same run.

Processor time is compared: other work on the machine is no part of the answer. Exit 1 where either takes more than LIMIT
times libyaml's, or more than MEMORY_MB; the split says where time goes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.bench.generate import generate

LIMIT = 6.0
MEMORY_MB = 500
_REPOSITORY = Path(__file__).parents[2]
_LIBYAML = """
import pathlib, sys, yaml
for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.yaml")):
    yaml.load(path.read_bytes(), Loader=yaml.CSafeLoader)
"""


@dataclass(frozen=True, slots=True)
class Run:
    """A process from start to end: seconds of processor and of wall clock, peak resident MiB, exit code."""

    seconds: float
    wall: float
    memory_mb: float
    code: int


def main() -> int:
    """Generate, run, print, judge."""
    with tempfile.TemporaryDirectory() as scratch:
        site, out = Path(scratch, "site"), Path(scratch, "out")
        files = generate()
        _write(site, files)
        print(f"{len(files)} files, {sum(map(len, files.values())) / 1e6:.1f} MB of YAML")
        python = sys.executable
        libyaml = _run([python, "-c", _LIBYAML, str(site)], scratch)
        _judged("libyaml", libyaml, libyaml)
        charter = [python, "-c", "from reconciler.cli.main import main; main()"]
        good = [
            _judged("validate", _run([*charter, "validate", str(site)], scratch), libyaml),
            _judged("render", _run([*charter, "render", str(site), "--out", str(out)], scratch), libyaml),
        ]
        good.append(any(out.rglob("slurm.conf")))
        _split(site, scratch)
    return 0 if all(good) else 1


def _judged(name: str, run: Run, libyaml: Run) -> bool:
    factor = run.seconds / libyaml.seconds
    good = run.code == 0 and factor <= LIMIT and run.memory_mb <= MEMORY_MB
    verdict = "" if good else f"   beyond {LIMIT} x or {MEMORY_MB} MB, or exit {run.code}"
    took = f"{run.seconds:7.2f} s processor {run.wall:7.2f} s wall"
    print(f"{name:10}{took}{factor:6.1f} x{run.memory_mb:6.0f} MB{verdict}")
    return good


def _run(command: Sequence[str], scratch: str) -> Run:
    started = time.monotonic()
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, cwd=_REPOSITORY, env=_environment(scratch)
    ) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.monotonic() - started
    return Run(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024, process.returncode)


def _environment(scratch: str) -> dict[str, str]:
    return {**os.environ, "HOME": scratch, "PYTHONPATH": str(_REPOSITORY)}


def _split(site: Path, scratch: str) -> None:
    sys.stdout.flush()
    command = [sys.executable, "-m", "tests.bench.split", str(site)]
    subprocess.run(command, cwd=_REPOSITORY, env=_environment(scratch), check=True)


def _write(site: Path, files: dict[str, bytes]) -> None:
    for path, content in files.items():
        target = site / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


if __name__ == "__main__":
    sys.exit(main())
