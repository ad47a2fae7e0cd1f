"""The sequence number of the last writer, in ConfigMap charter-system/charter.

Written by compare-and-swap on resourceVersion, so that of two writers that read the same mark one is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reconciler.errors import Conflict, Stale, Terminal
from reconciler.targets.contract import Mark
from reconciler.targets.kubernetes.cluster import Cluster, Manifest
from reconciler.targets.kubernetes.kinds import CONFIG_MAP, NAMESPACE
from renderer.kubernetes.labels import MANAGED_BY, MANAGER
from renderer.kubernetes.namespace import STATE_NAMESPACE

_NAME = "charter"
_FORMAT = "charter.mark/v1"
_WHERE = f"ConfigMap {STATE_NAMESPACE}/{_NAME}"


def read(cluster: Cluster) -> Mark:
    """The mark; Mark(0, None) where none was ever written. Raises Terminal for one that can't be understood."""
    live = cluster.get(CONFIG_MAP, _NAME, STATE_NAMESPACE)
    return Mark(0, None) if live is None else _parse(live.get("data") or {})


def stamp(cluster: Cluster, mark: Mark) -> None:
    """Write the mark unless it stands already. Raises Stale where a higher number is there or another writer came between."""
    live = cluster.get(CONFIG_MAP, _NAME, STATE_NAMESPACE)
    before = Mark(0, None) if live is None else _parse(live.get("data") or {})
    if before.sequence > mark.sequence:
        raise Stale(
            f"{_WHERE}: was last written under sequence {before.sequence}, this is {mark.sequence}; "
            "another reconciler with a longer audit log is at work"
        )
    if live is None or before != mark:
        _write(cluster, live, mark)


def _write(cluster: Cluster, live: Manifest | None, mark: Mark) -> None:
    try:
        if live is None:
            _ensure_namespace(cluster)
            cluster.create(CONFIG_MAP, _manifest(mark, {}))
        else:
            cluster.replace(
                CONFIG_MAP, _manifest(mark, {"resourceVersion": live["metadata"]["resourceVersion"]})
            )
    except Conflict:
        raise Stale(
            f"{_WHERE}: another writer changed it just now; look who else reconciles this cluster"
        ) from None


def _ensure_namespace(cluster: Cluster) -> None:
    if cluster.get(NAMESPACE, STATE_NAMESPACE) is None:
        metadata = {"name": STATE_NAMESPACE, "labels": {MANAGED_BY: MANAGER}}
        cluster.create(NAMESPACE, {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})


def _manifest(mark: Mark, version: Mapping[str, str]) -> dict[str, Any]:
    data = {"format": _FORMAT, "sequence": str(mark.sequence)}
    if mark.identity is not None:
        data["identity"] = mark.identity
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": _NAME,
            "namespace": STATE_NAMESPACE,
            "labels": {MANAGED_BY: MANAGER},
            **version,
        },
        "data": data,
    }


def _parse(data: Mapping[str, str]) -> Mark:
    sequence = data.get("sequence", "")
    if data.get("format") != _FORMAT or not (sequence.isascii() and sequence.isdigit()):
        raise Terminal(
            f"{_WHERE}: is not a mark of Charter's ({_FORMAT}); restore it from the audit log's last outcome"
        )
    return Mark(int(sequence), data.get("identity"))
