"""The API server judges each action without making it: server-side dry run, and nobody else's object in the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reconciler.errors import Conflict
from reconciler.plan.action import Action, Change
from reconciler.targets.kubernetes.boundary import Forbidden
from reconciler.targets.kubernetes.cluster import Cluster, Manifest
from reconciler.targets.kubernetes.kinds import BY_NAME, NAMESPACE, NODE, Kind
from reconciler.targets.kubernetes.live import is_going, is_ours, key_of
from renderer.kubernetes.labels import MANAGED_BY, MANAGER, SITE
from renderer.kubernetes.namespace import STATE_NAMESPACE
from renderer.resource import Key

_REHEARSAL_NAMESPACE = "default"


def check(cluster: Cluster, site: str, actions: Sequence[Action]) -> None:
    """Raise Conflict or ConfigurationRefused at the first action that the API server wouldn't accept.

    An object for a namespace that isn't there yet can't be tried in it. Its shape is tried as a new object in
    `default`; what that namespace alone forbids is no finding.
    """
    sight = _sight(cluster, actions)
    for change in (action.change for action in actions):
        kind = BY_NAME[change.key.kind]
        live = sight.get(change.key)
        if kind is NODE:
            _try_node(cluster, change, live)
        elif change.after is None:
            _try_removal(cluster, site, kind, live)
        else:
            _try_apply(cluster, site, change, sight)


def find(cluster: Cluster, kind: Kind, key: Key) -> Manifest | None:
    """The live object of a key."""
    namespace, _, name = key.name.rpartition("/")
    return cluster.get(kind, name, namespace or None)


def refuse_foreign(live: Manifest, site: str, kind: Kind) -> None:
    """Raise Conflict unless the live object carries this site's labels."""
    metadata = live["metadata"]
    if is_ours(live, site) and metadata["name"] != STATE_NAMESPACE:
        return
    where = f" -n {metadata['namespace']}" if kind.namespaced else ""
    raise Conflict(
        f"{kind.name} {metadata['name']}{where} exists and isn't managed for site {site}; rename what the site declares, "
        f"or hand it over: kubectl label {kind.name.lower()} {metadata['name']}{where} {MANAGED_BY}={MANAGER} {SITE}={site}"
    )


def bound(manifest: Mapping[str, Any], live: Manifest | None) -> dict[str, Any]:
    """The manifest tied to the object that was read: the server refuses it for any other, and creates nothing."""
    if live is None:
        return dict(manifest)
    return {**manifest, "metadata": {**manifest["metadata"], "uid": live["metadata"]["uid"]}}


def unlabelled(live: Manifest) -> dict[str, Any]:
    """A Node without labels of Charter's: applying it gives up those applied before."""
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": live["metadata"]["name"]}}


def _try_node(cluster: Cluster, change: Change, live: Manifest | None) -> None:
    if live is not None:
        cluster.apply(NODE, bound(change.after or unlabelled(live), live), dry_run=True)


def _try_removal(cluster: Cluster, site: str, kind: Kind, live: Manifest | None) -> None:
    if live is not None and not is_going(live):
        refuse_foreign(live, site, kind)
        cluster.delete(kind, live, dry_run=True)


def _try_apply(cluster: Cluster, site: str, change: Change, sight: Mapping[Key, Manifest]) -> None:
    kind, live, wanted = BY_NAME[change.key.kind], sight.get(change.key), change.after or {}
    if live is not None:
        refuse_foreign(live, site, kind)
    if live is not None and is_going(live):
        return
    if kind.namespaced and not _is_open(sight, wanted["metadata"]["namespace"]):
        _try_elsewhere(cluster, kind, wanted)
    else:
        cluster.apply(kind, bound(wanted, live), dry_run=True)


def _sight(cluster: Cluster, actions: Sequence[Action]) -> dict[Key, Manifest]:
    """What is live of the kinds concerned: a list costs less than thousands of single reads."""
    kinds = {BY_NAME[action.change.key.kind] for action in actions}
    needed = kinds | ({NAMESPACE} if any(kind.namespaced for kind in kinds) else set())
    return {key_of(kind, live): live for kind in needed for live in cluster.list(kind)}


def _is_open(sight: Mapping[Key, Manifest], namespace: str) -> bool:
    live = sight.get(Key("kubernetes", NAMESPACE.name, namespace))
    return live is not None and not is_going(live)


def _try_elsewhere(cluster: Cluster, kind: Kind, wanted: Mapping[str, Any]) -> None:
    metadata = {"generateName": "charter-check-", "namespace": _REHEARSAL_NAMESPACE}
    try:
        cluster.create(kind, {**wanted, "metadata": metadata}, dry_run=True)
    except Forbidden:
        return
