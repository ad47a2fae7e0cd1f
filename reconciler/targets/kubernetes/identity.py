"""Is this the cluster that the site names? Asked before anything else."""

from __future__ import annotations

from reconciler.errors import WrongCluster
from reconciler.targets.kubernetes.cluster import Cluster
from reconciler.targets.kubernetes.kinds import NAMESPACE

_ROOT = "kube-system"


def identify(cluster: Cluster, expected: str) -> None:
    """Raise WrongCluster unless the UID of namespace kube-system, which lives as long as a cluster does, is `expected`."""
    live = cluster.get(NAMESPACE, _ROOT)
    found = live["metadata"]["uid"] if live else None
    if found != expected:
        raise WrongCluster(
            f"this Kubernetes cluster is {found or 'without namespace kube-system'}, but inventory/site.yaml names "
            f"{expected} in kubernetes.cluster_uid; point the kubeconfig at the right cluster, or correct the site"
        )
