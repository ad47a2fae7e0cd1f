"""Live objects of the owned kinds, sorted into Charter's and others'. Reads only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from reconciler.targets.kubernetes.cluster import Cluster, Manifest
from reconciler.targets.kubernetes.kinds import NAMESPACE, NODE, RESOURCE_QUOTA, Kind
from reconciler.targets.kubernetes.live import is_going, is_labelled, is_ours, key_of, project
from renderer.kubernetes.namespace import STATE_NAMESPACE
from renderer.resource import Key, Resource

_SYSTEM = ("default", STATE_NAMESPACE)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What sorts live objects: the site's name, what is desired, what the last outcome owned."""

    site: str
    fields: dict[Key, Manifest]
    owned: frozenset[Key]
    namespaces: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        names = frozenset(key.name for key in self.fields if key.kind == NAMESPACE.name)
        object.__setattr__(self, "namespaces", names)


def observe(
    cluster: Cluster, site: str, desired: Sequence[Resource], owned: frozenset[Key]
) -> tuple[dict[Key, Resource], tuple[Key, ...]]:
    """Charter's live objects by key, and the keys of others that stand in its way or beside it.

    A desired object that is being deleted counts as absent: it will be, and has to be made again.
    """
    wanted = Wanted(site, {item.key: dict(item.fields) for item in desired}, owned)
    namespaces = tuple(cluster.list(NAMESPACE))
    going = frozenset(item["metadata"]["name"] for item in namespaces if is_going(item))
    found: dict[Key, Resource] = {}
    foreign: list[Key] = []
    for kind, live in _all(cluster, namespaces):
        key = key_of(kind, live)
        if _returning(key, live, wanted, going):
            continue
        if _counts(kind, live, key, wanted):
            found[key] = Resource(key, project(kind, live, wanted.fields.get(key)))
        elif _matters(kind, live, wanted):
            foreign.append(key)
    return found, tuple(sorted(foreign, key=lambda key: (key.kind, key.name)))


def _all(cluster: Cluster, namespaces: Iterable[Manifest]) -> Iterator[tuple[Kind, Manifest]]:
    yield from ((NAMESPACE, item) for item in namespaces)
    yield from ((RESOURCE_QUOTA, item) for item in cluster.list(RESOURCE_QUOTA))
    yield from ((NODE, item) for item in cluster.list(NODE))


def _returning(key: Key, live: Manifest, wanted: Wanted, going: frozenset[str]) -> bool:
    inside = live["metadata"].get("namespace") in going
    return key in wanted.fields and (inside or is_going(live)) and is_ours(live, wanted.site)


def _counts(kind: Kind, live: Manifest, key: Key, wanted: Wanted) -> bool:
    if kind is NODE:
        return key in wanted.fields or (key in wanted.owned and is_labelled(live))
    known = key in wanted.fields or key in wanted.owned
    return known and is_ours(live, wanted.site)


def _matters(kind: Kind, live: Manifest, wanted: Wanted) -> bool:
    """A namespace of somebody's, or a quota that also counts in a namespace of ours."""
    metadata = live["metadata"]
    if kind is NAMESPACE:
        return not (metadata["name"].startswith("kube-") or metadata["name"] in _SYSTEM)
    return kind is RESOURCE_QUOTA and metadata["namespace"] in wanted.namespaces
