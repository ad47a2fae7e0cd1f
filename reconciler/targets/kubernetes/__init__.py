"""A live Kubernetes cluster under the target contract: server-side apply as field manager `charter`, and only of what it owns."""

from reconciler.targets.kubernetes.target import KubernetesTarget

__all__ = ["KubernetesTarget"]
