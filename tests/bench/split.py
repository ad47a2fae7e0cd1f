"""Where the time of loading and rendering a site goes, stage by stage, in processor time of one process."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import yaml

from renderer.load import load
from renderer.load.document import parse
from renderer.load.files import kind_of, read
from renderer.render import render

_NOW = datetime(2026, 6, 1, tzinfo=UTC)


def main(root: Path) -> None:
    """Print a line a stage. Reading includes parsing, and loading includes reading: stages are differences."""
    paths = [path for path in sorted(root.rglob("*")) if path.is_file()]
    files = {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}
    documents = {path: data for path, data in files.items() if path.endswith(".yaml")}
    libyaml = _timed(lambda: [yaml.load(data, Loader=yaml.CSafeLoader) for data in documents.values()])
    parsing = _timed(lambda: [parse(data) for data in documents.values()])
    reading = _timed(
        lambda: [read(path, kind, data) for path, data in documents.items() if (kind := kind_of(path))]
    )
    loading = _timed(lambda: load(files))
    site = load(files).site
    if site is None:
        raise SystemExit("the generated site has problems")
    rendering = _timed(lambda: render(site, _NOW))
    rows = {
        "libyaml": libyaml,
        "parse": parsing,
        "shape and build": reading - parsing,
        "rules": loading - reading,
        "render": rendering,
    }
    for name, seconds in rows.items():
        print(f"  {name:16}{seconds:7.2f} s{seconds / libyaml:6.2f} x")


def _timed(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


if __name__ == "__main__":
    main(Path(sys.argv[1]))
