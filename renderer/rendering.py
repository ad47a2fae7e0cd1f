"""The Rendering of one commit: everything that both engines should hold, and its digests."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass

from renderer.resource import Engine, Resource


@dataclass(frozen=True, slots=True)
class Rendering:
    """Desired resources in creation order, and remarks for the plan (an ended reservation, an unguarded one)."""

    resources: tuple[Resource, ...]
    remarks: tuple[str, ...] = ()

    def of(self, engine: Engine) -> tuple[Resource, ...]:
        """Resources of one engine, in creation order."""
        return tuple(resource for resource in self.resources if resource.key.engine == engine)

    def digest(self, engine: Engine) -> str:
        """SHA-256 (hex) of one engine's resources."""
        return resources_digest(self.of(engine))


def canonical_json(value: object) -> bytes:
    """JSON with sorted keys and no spaces, UTF-8."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def resources_digest(resources: Iterable[Resource]) -> str:
    """SHA-256 (hex) over the resources sorted by key, one canonical JSON line each."""
    lines = sorted(
        canonical_json([item.key.engine, item.key.kind, item.key.name, item.fields]) for item in resources
    )
    return hashlib.sha256(b"\n".join(lines)).hexdigest()
