"""JSON from outside."""

from __future__ import annotations

import json
from typing import Any


def json_mapping(content: bytes | str) -> dict[str, Any]:
    """A JSON object. Raises ValueError for anything else, nesting that Python can't follow among it."""
    try:
        document = json.loads(content)
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    if not isinstance(document, dict):
        raise ValueError("it is no JSON object")
    return document
