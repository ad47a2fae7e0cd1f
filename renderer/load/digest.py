"""The site digest: which bytes a site is, whatever commit or directory they came from."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping


def site_digest(files: Mapping[str, bytes]) -> str:
    """SHA-256 (hex) over the sorted lines `sha256  path`, each ended by a newline, as `sha256sum` prints them."""
    lines = sorted(f"{hashlib.sha256(data).hexdigest()}  {path}\n" for path, data in files.items())
    return hashlib.sha256("".join(lines).encode("utf-8", "surrogateescape")).hexdigest()
