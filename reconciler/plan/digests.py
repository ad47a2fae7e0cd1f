"""The two digests of a plan.

`change` is over content only, so that an approval outlives a rebase and needs no live engine; `live` adds what was
observed, so that `apply --plan DIGEST` refuses when anything moved in between.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from renderer.rendering import canonical_json, resources_digest
from renderer.resource import Resource


def change_digest(base: str | None, head: str, version: str, policy: str) -> str:
    """SHA-256 (hex) over base and head site digests, Charter's version and the policy digest."""
    content = {"base": base, "charter": version, "head": head, "policy": policy}
    return hashlib.sha256(canonical_json(content)).hexdigest()


def live_digest(change: str, observed: Iterable[Resource]) -> str:
    """SHA-256 (hex) over the change digest and everything observed."""
    content = {"change": change, "observed": resources_digest(observed)}
    return hashlib.sha256(canonical_json(content)).hexdigest()
