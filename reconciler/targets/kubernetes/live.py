"""What of a live object Charter answers for: pure, over manifests as the API server returns them.

A live object carries defaults, status and other managers' fields. Compared are the fields that manager `charter`
applied, so that one no longer desired shows, and those that are desired, so that one taken away shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubernetes.utils.quantity import parse_quantity

from reconciler.targets.kubernetes.cluster import MANAGER, Manifest
from reconciler.targets.kubernetes.kinds import Kind
from renderer.kubernetes.labels import MANAGED_BY, PREFIX, SITE
from renderer.resource import Key

Mask = dict[str, Any]
"""Field name to the mask of its children; an empty mask means the value as a whole."""


def key_of(kind: Kind, live: Manifest) -> Key:
    """The key under which the plan knows this object."""
    metadata = live["metadata"]
    name = f"{metadata['namespace']}/{metadata['name']}" if kind.namespaced else metadata["name"]
    return Key("kubernetes", kind.name, name)


def is_ours(live: Manifest, site: str) -> bool:
    """Does it carry Charter's labels for this site?"""
    labels = live["metadata"].get("labels") or {}
    return labels.get(MANAGED_BY) == MANAGER and labels.get(SITE) == site


def is_going(live: Manifest) -> bool:
    """Deleted, and waiting for finalizers."""
    return "deletionTimestamp" in live["metadata"]


def is_labelled(live: Manifest) -> bool:
    """Does a Node carry labels of Charter's?"""
    return any(label.startswith(PREFIX) for label in live["metadata"].get("labels") or {})


def project(kind: Kind, live: Manifest, wanted: Manifest | None) -> dict[str, Any]:
    """The live object cut down to the fields applied by Charter or desired now, quantities as the renderer writes them."""
    mask = _mask(wanted or {})
    for applied in _applied(live):
        mask = _union(mask, applied)
    mask = _union(mask, {"apiVersion": {}, "kind": {}, "metadata": {"name": {}}})
    if kind.namespaced:
        mask["metadata"]["namespace"] = {}
    found = _cut({**live, "apiVersion": kind.api_version, "kind": kind.name}, mask)
    hard = found.get("spec", {}).get("hard") if kind.name == "ResourceQuota" else None
    if hard is not None:
        found["spec"]["hard"] = {name: plain(amount) for name, amount in hard.items()}
    return found


def plain(quantity: Any) -> str:
    """A whole quantity as decimal digits: the server stores 2000 as `2k`."""
    value = parse_quantity(quantity)
    return str(int(value)) if value == int(value) else str(quantity)


def _applied(live: Manifest) -> list[Mask]:
    entries = live["metadata"].get("managedFields") or ()
    return [
        _of_fields(entry.get("fieldsV1") or {})
        for entry in entries
        if entry.get("manager") == MANAGER and entry.get("operation") == "Apply"
    ]


def _of_fields(fields: Mapping[str, Any]) -> Mask:
    children = {name: child for name, child in fields.items() if name != "."}
    if not all(name.startswith("f:") for name in children):
        return {}
    return {name.removeprefix("f:"): _of_fields(child) for name, child in children.items()}


def _mask(manifest: Mapping[str, Any]) -> Mask:
    return {name: _mask(value) if isinstance(value, Mapping) else {} for name, value in manifest.items()}


def _union(one: Mask, other: Mask) -> Mask:
    merged = dict(one)
    for name, child in other.items():
        merged[name] = _union(merged[name], child) if name in merged else child
    return merged


def _cut(value: Mapping[str, Any], mask: Mask) -> dict[str, Any]:
    return {
        name: _cut(value[name], child) if child and isinstance(value[name], Mapping) else value[name]
        for name, child in sorted(mask.items())
        if name in value
    }
