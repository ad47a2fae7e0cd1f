"""Change or drift? A difference that a commit asks for is change; one that appeared by itself is drift.

Known by the digests of what the last outcome desired: a resource whose desired state is still the same as then, and
that nevertheless differs live, drifted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

from reconciler.plan.action import Change
from renderer.model.cluster import Manage, ManageLevel
from renderer.rendering import canonical_json
from renderer.resource import Key, Resource

_PART = {
    "config": "config",
    "qos": "qos",
    "account": "accounts",
    "association": "accounts",
    "coordinator": "accounts",
    "reservation": "reservations",
}


def fingerprint(resource: Resource) -> str:
    """SHA-256 (hex) of a resource's fields, as kept in desired.json."""
    return hashlib.sha256(canonical_json(resource.fields)).hexdigest()


def fingerprints(resources: Iterable[Resource]) -> dict[Key, str]:
    """Fingerprint of each resource by key."""
    return {resource.key: fingerprint(resource) for resource in resources}


def level(key: Key, manage: Manage) -> ManageLevel:
    """How far the site lets Charter manage this resource."""
    if key.engine == "kubernetes":
        return manage.kubernetes
    if key.name == "topology.conf":
        return manage.topology
    chosen: ManageLevel = getattr(manage, _PART[key.kind])
    return chosen


def is_drift(change: Change, before: Mapping[Key, str]) -> bool:
    """True where the last outcome already desired exactly what is desired now."""
    if change.after is None:
        return False
    return before.get(change.key) == fingerprint(Resource(change.key, change.after))
