"""Comparison with files that a reviewer reads. `CHARTER_GOLDEN=write` rewrites them; the diff is then the review."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

from renderer.resource import Resource

FOLDER = Path(__file__).parents[2] / "golden" / "slurm"


def compare(site: str, resources: Iterable[Resource]) -> None:
    """Assert that the rendering is what tests/golden/slurm/<site>/ holds, no file more and none less."""
    folder = FOLDER / site
    produced = _files(resources)
    if os.environ.get("CHARTER_GOLDEN") == "write":
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in produced.items():
            (folder / name).write_text(text)
    expected = {path.name: path.read_text() for path in folder.iterdir()}
    assert produced.keys() == expected.keys()
    for name, text in produced.items():
        assert text == expected[name], f"{folder / name} differs; CHARTER_GOLDEN=write rewrites it"


def _files(resources: Iterable[Resource]) -> dict[str, str]:
    files: dict[str, str] = {}
    state: dict[str, dict[str, object]] = {}
    for resource in resources:
        if resource.key.kind == "config":
            files[resource.key.name] = resource.fields["content"]
        else:
            state.setdefault(resource.key.kind, {})[resource.key.name] = resource.fields
    return files | {f"{kind}.json": json.dumps(found, indent=1) + "\n" for kind, found in state.items()}
