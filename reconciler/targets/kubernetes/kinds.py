"""The kinds this target speaks of, and where the API server keeps them.

A fixed table rather than discovery: discovery costs requests without a time-out, and its cache is a file in a folder
that everybody may write to.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """`plural` is the name in the URL."""

    name: str
    plural: str
    namespaced: bool
    group: str = ""
    version: str = "v1"

    @property
    def api_version(self) -> str:
        """As manifests write it."""
        return f"{self.group}/{self.version}" if self.group else self.version


NAMESPACE = Kind("Namespace", "namespaces", namespaced=False)
RESOURCE_QUOTA = Kind("ResourceQuota", "resourcequotas", namespaced=True)
NODE = Kind("Node", "nodes", namespaced=False)
CONFIG_MAP = Kind("ConfigMap", "configmaps", namespaced=True)
POD = Kind("Pod", "pods", namespaced=True)
CLAIM = Kind("PersistentVolumeClaim", "persistentvolumeclaims", namespaced=True)

OWNED = (NAMESPACE, RESOURCE_QUOTA, NODE)
"""Kinds that are rendered, observed and written."""
BY_NAME = {kind.name: kind for kind in OWNED}
