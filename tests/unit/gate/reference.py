"""The reference site, and copies of it with one thing changed."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from reconciler.source.directory import read_directory
from renderer.load import load
from renderer.model.site import Site

ROOT = Path(__file__).parents[3]


@cache
def reference_site() -> Site:
    """The site at the root of the repository."""
    site = load(read_directory(ROOT).files).site
    assert site is not None
    return site


def with_(digest: str = "1" * 64, **changes: Any) -> Site:
    """The reference site with fields of Site replaced, under another digest."""
    return replace(reference_site(), digest=digest, **changes)
