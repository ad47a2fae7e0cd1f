"""Where a resource lies in the directory, and what its file holds.

A configuration file is itself. Accounting and reservations lie in one JSON document a kind (a site has a hundred
thousand associations). A Kubernetes object is one YAML manifest.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import yaml

from renderer.resource import Key, Resource

MARK = "charter.json"
_CONFIG = "slurm/etc"
_STATE = "slurm/state"
_OBJECTS = "kubernetes"
_CLUSTER_WIDE = "_cluster"


def path_of(key: Key) -> str:
    """Relative path of the file that holds a resource."""
    if key.engine == "kubernetes":
        namespace, _, name = key.name.rpartition("/")
        return f"{_OBJECTS}/{namespace or _CLUSTER_WIDE}/{key.kind}/{name}.yaml"
    if key.kind == "config":
        return f"{_CONFIG}/{key.name}"
    return f"{_STATE}/{key.kind}.json"


def documents(resources: Iterable[Resource]) -> dict[str, bytes]:
    """Content of every file for these resources, by relative path."""
    found: dict[str, bytes] = {}
    states: dict[str, dict[str, Mapping[str, Any]]] = {}
    for resource in resources:
        path = path_of(resource.key)
        if resource.key.engine == "slurm" and resource.key.kind != "config":
            states.setdefault(path, {})[resource.key.name] = resource.fields
        else:
            found[path] = _content(resource)
    return found | {path: _json(state) for path, state in states.items()}


def parse(path: str, content: bytes) -> tuple[Resource, ...]:
    """Resources that a file holds. Raises ValueError when it isn't what this target writes."""
    parts = path.split("/")
    if path.startswith(f"{_CONFIG}/") and len(parts) == 3:
        return (Resource(Key("slurm", "config", parts[2]), {"content": content.decode()}),)
    if path.startswith(f"{_STATE}/") and len(parts) == 3:
        kind = parts[2].removesuffix(".json")
        return tuple(
            Resource(Key("slurm", kind, name), fields) for name, fields in _mapping(json.loads(content))
        )
    if parts[0] == _OBJECTS and len(parts) == 4:
        return (Resource(_object_key(parts), dict(_mapping(yaml.safe_load(content)))),)
    raise ValueError("not a file that Charter writes")


def _object_key(parts: list[str]) -> Key:
    name = parts[3].removesuffix(".yaml")
    return Key("kubernetes", parts[2], name if parts[1] == _CLUSTER_WIDE else f"{parts[1]}/{name}")


def _mapping(document: object) -> Iterable[tuple[str, Any]]:
    if not isinstance(document, dict):
        raise ValueError("a mapping was expected")
    return document.items()


def _content(resource: Resource) -> bytes:
    if resource.key.kind == "config":
        return str(resource.fields["content"]).encode()
    text: str = yaml.dump(dict(resource.fields), Dumper=yaml.CSafeDumper, sort_keys=True, allow_unicode=True)
    return text.encode()


def _json(state: Mapping[str, Any]) -> bytes:
    return (json.dumps(state, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode()
