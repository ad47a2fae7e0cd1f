"""The labels by which Charter knows its own objects, and the shape every manifest starts from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from renderer.model.site import Site
from renderer.model.tenants import Program
from renderer.resource import Key, Resource

MANAGED_BY = "app.kubernetes.io/managed-by"
MANAGER = "charter"
PREFIX = "charter.dev/"
SITE = f"{PREFIX}site"


def ownership(site: Site) -> dict[str, str]:
    """Labels of every object but a Node: who manages it, and for which site."""
    return {MANAGED_BY: MANAGER, SITE: site.cluster.name}


def of_program(site: Site, program: Program) -> dict[str, str]:
    """Ownership, and whose object it is."""
    return {
        **ownership(site),
        f"{PREFIX}program": program.name,
        f"{PREFIX}tenant": program.tenant,
    }


def resource(
    kind: str, name: str, labels: Mapping[str, str], namespace: str | None = None, **body: Any
) -> Resource:
    """A core/v1 object as a resource; `body` holds the top-level fields beside metadata."""
    metadata: dict[str, Any] = {"name": name, "labels": dict(sorted(labels.items()))}
    if namespace is not None:
        metadata["namespace"] = namespace
    key = Key("kubernetes", kind, name if namespace is None else f"{namespace}/{name}")
    return Resource(key, {"apiVersion": "v1", "kind": kind, "metadata": metadata, **body})
