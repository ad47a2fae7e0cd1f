"""Where a resource lies in the directory, and what its file holds.

A configuration file is itself. Accounting and reservations lie in one JSON document a kind, a resource a line (a site has a
hundred thousand associations). Kubernetes objects are YAML manifests: one file a namespace, one for all nodes.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Any

import yaml

from renderer.resource import Key, Resource

MARK = "charter.json"
_CONFIG = "slurm/etc"
_STATE = "slurm/state"
_OBJECTS = "kubernetes"
_NAMESPACES = f"{_OBJECTS}/namespaces"
_DEPTH = 50


def path_of(key: Key) -> str:
    """Relative path of the file that holds a resource."""
    if key.engine == "kubernetes":
        return _object_path(key)
    if key.kind == "config":
        return f"{_CONFIG}/{key.name}"
    return f"{_STATE}/{key.kind}.json"


def documents(resources: Iterable[Resource]) -> dict[str, bytes]:
    """Content of every file for these resources, by relative path."""
    by_path: dict[str, list[Resource]] = defaultdict(list)
    for resource in resources:
        by_path[path_of(resource.key)].append(resource)
    return {path: content(found) for path, found in by_path.items()}


def content(resources: Iterable[Resource]) -> bytes:
    """Content of the one file that holds these resources, at least one."""
    found = list(resources)
    key = found[0].key
    if key.engine == "kubernetes":
        return _manifests(found)
    if key.kind == "config":
        return str(found[0].fields["content"]).encode()
    return _json({item.key.name: item.fields for item in found})


def parse(path: str, data: bytes) -> tuple[Resource, ...]:
    """Resources that a file holds. Raises ValueError when it isn't what this target writes."""
    parts = path.split("/")
    if path.startswith(f"{_CONFIG}/") and len(parts) == 3:
        return (Resource(Key("slurm", "config", parts[2]), {"content": data.decode()}),)
    if path.startswith(f"{_STATE}/") and len(parts) == 3:
        kind = parts[2].removesuffix(".json")
        state = _mapping(_plain(json.loads(data)))
        return tuple(Resource(Key("slurm", kind, name), _mapping(fields)) for name, fields in state.items())
    if parts[0] == _OBJECTS and path.endswith(".yaml"):
        return tuple(_object(_mapping(_plain(item))) for item in yaml.load_all(data, yaml.CSafeLoader))
    raise ValueError("not a file that Charter writes")


def _plain(value: object, depth: int = 0) -> object:
    """`value`, which holds nothing but what JSON can say. Raises ValueError: whoever else wrote the file may have used more."""
    if depth > _DEPTH:
        raise ValueError(f"it is nested deeper than {_DEPTH} levels")
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise ValueError("a key is not text")
        return {_text(key): _plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item, depth + 1) for item in value]
    if isinstance(value, str):
        return _text(value)
    if value is None or isinstance(value, (bool, int)) or (isinstance(value, float) and isfinite(value)):
        return value
    raise ValueError(f"it holds a {type(value).__name__}, which JSON can't say")


def _text(value: str) -> str:
    value.encode()  # a lone surrogate raises UnicodeEncodeError, a ValueError
    return value


def _object_path(key: Key) -> str:
    namespace = key.name if key.kind == "Namespace" else key.name.rpartition("/")[0]
    if namespace:
        return f"{_NAMESPACES}/{namespace}.yaml"
    return f"{_OBJECTS}/nodes.yaml" if key.kind == "Node" else f"{_OBJECTS}/cluster.yaml"


def _object(manifest: Mapping[str, Any]) -> Resource:
    about = _mapping(manifest.get("metadata"))
    name, namespace = about.get("name"), about.get("namespace")
    kind = manifest.get("kind")
    if not isinstance(name, str) or not isinstance(kind, str):
        raise ValueError("a manifest without kind and name")
    return Resource(Key("kubernetes", kind, f"{namespace}/{name}" if namespace else name), manifest)


def _mapping(document: object) -> Mapping[str, Any]:
    if not isinstance(document, dict):
        raise ValueError("a mapping was expected")
    return document


def _manifests(objects: Iterable[Resource]) -> bytes:
    documents = (dict(item.fields) for item in objects)
    text: str = yaml.dump_all(documents, Dumper=yaml.CSafeDumper, sort_keys=True, allow_unicode=True)
    return text.encode()


def _json(state: Mapping[str, Any]) -> bytes:
    encode = json.JSONEncoder(sort_keys=True, ensure_ascii=False).encode
    lines = ",\n".join(f"{encode(name)}: {encode(state[name])}" for name in sorted(state))
    return f"{{\n{lines}\n}}\n".encode()
