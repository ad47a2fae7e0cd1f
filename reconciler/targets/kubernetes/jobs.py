"""Pods that a change would hit: all of a namespace that goes; those holding a GPU resource cut below what is in use.

A lowered quota evicts nothing. Its pods are named because none of them comes back once it ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from kubernetes.utils.quantity import parse_quantity

from reconciler.plan.action import Change, Job
from reconciler.targets.kubernetes.cluster import Cluster, Manifest
from reconciler.targets.kubernetes.kinds import NAMESPACE, POD, RESOURCE_QUOTA
from renderer.resource import Key

_REQUESTS = "requests."
_OVER = ("Succeeded", "Failed")


def jobs(cluster: Cluster, changes: Sequence[Change], now: datetime) -> dict[Key, tuple[Job, ...]]:
    """Pods by the key of the change that hits them. Elapsed seconds count to `now`."""
    hit = ((change.key, _hit(cluster, change)) for change in changes)
    return {key: tuple(_job(pod, now) for pod in pods) for key, pods in hit if pods}


def active_pods(cluster: Cluster, namespace: str) -> tuple[Manifest, ...]:
    """Pods of a namespace that run or wait to run."""
    return tuple(
        pod for pod in cluster.list(POD, namespace) if (pod.get("status") or {}).get("phase") not in _OVER
    )


def _hit(cluster: Cluster, change: Change) -> tuple[Manifest, ...]:
    if change.key.kind == NAMESPACE.name and change.verb == "delete":
        return active_pods(cluster, change.key.name)
    if change.key.kind == RESOURCE_QUOTA.name and change.verb == "update":
        return _over_quota(cluster, change)
    return ()


def _over_quota(cluster: Cluster, change: Change) -> tuple[Manifest, ...]:
    namespace, _, name = change.key.name.partition("/")
    live = cluster.get(RESOURCE_QUOTA, name, namespace) or {}
    used = (live.get("status") or {}).get("used") or {}
    hard: Mapping[str, str] = (change.after or {})["spec"]["hard"]
    cut = {
        item.removeprefix(_REQUESTS)
        for item, amount in hard.items()
        if parse_quantity(used.get(item, "0")) > parse_quantity(amount)
    }
    if not cut:
        return ()
    return tuple(pod for pod in active_pods(cluster, namespace) if cut & requested(pod).keys())


def requested(pod: Manifest) -> dict[str, int]:
    """Whole devices a pod requests by resource name: its containers together, or the largest of its init containers."""
    together: dict[str, int] = {}
    for name, amount in _requests(pod["spec"].get("containers") or ()):
        together[name] = together.get(name, 0) + amount
    for name, amount in _requests(pod["spec"].get("initContainers") or ()):
        together[name] = max(together.get(name, 0), amount)
    return together


def _requests(containers: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, int]]:
    for container in containers:
        wanted = (container.get("resources") or {}).get("requests") or {}
        yield from ((name, int(parse_quantity(amount))) for name, amount in wanted.items() if "/" in name)


def _job(pod: Manifest, now: datetime) -> Job:
    metadata, status = pod["metadata"], pod.get("status") or {}
    controllers = [item for item in metadata.get("ownerReferences") or () if item.get("controller")]
    owner = f"{controllers[0]['kind']}/{controllers[0]['name']}" if controllers else "Pod"
    gpus = sum(amount for name, amount in requested(pod).items() if _is_gpu(name))
    return Job(
        id=f"{metadata['namespace']}/{metadata['name']}",
        owner=owner,
        account=metadata["namespace"],
        gpus=gpus,
        state=str(status.get("phase", "Unknown")),
        elapsed_seconds=_elapsed(status, now),
    )


def _is_gpu(resource: str) -> bool:
    return "gpu" in resource or "/mig-" in resource


def _elapsed(status: Mapping[str, Any], now: datetime) -> int:
    start = status.get("startTime")
    if start is None or status.get("phase") == "Pending":
        return 0
    return max(0, int((now - datetime.fromisoformat(start)).total_seconds()))
