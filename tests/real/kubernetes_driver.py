"""Drives the Kubernetes target through a whole apply, and looks at the cluster by another way than the target's own."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import yaml
from kubernetes import client, config

from reconciler.errors import Stale
from reconciler.plan.action import Action, Change
from reconciler.plan.diff import differences
from reconciler.plan.phases import PHASES, in_order, of_phase
from reconciler.system.configuration import KubernetesTarget as Settings
from reconciler.targets.contract import Applied, Observation
from reconciler.targets.kubernetes import KubernetesTarget
from renderer import kubernetes
from renderer.model.nodes import Gpu
from renderer.model.partitions import Planes
from renderer.model.site import Site
from renderer.resource import Key
from tests.unit.kubernetes_engine.small_site import ONE_MODEL, Quotas, small_site

_WRITES = re.compile(
    r'apiserver_request_total\{(?=[^}]*dry_run="")(?=[^}]*subresource="")'
    r'(?:(?=[^}]*resource="nodes")(?=[^}]*verb="APPLY")'  # controllers patch nodes, nobody else applies to them
    r'|(?=[^}]*resource="(?:namespaces|resourcequotas|configmaps)")(?=[^}]*verb="(?:APPLY|PATCH|POST|PUT|DELETE)"))'
    r"[^}]*\} (\S+)"
)


class Deadline:
    """A fence that stands `seconds` from now."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def check(self) -> None:
        """Raise Stale when it has passed."""
        if self.remaining() <= 0:
            raise Stale("the deadline has passed")

    def remaining(self) -> float:
        """Seconds left."""
        return self._end - time.monotonic()


class Driver:
    """One target on one cluster, and the keys that its applies came to own. Leaving it removes all it made."""

    ApiException = client.ApiException

    def __init__(self, kubeconfig: Path) -> None:
        self._kubeconfig = kubeconfig
        self._seconds = 10
        self.api: Any = client.CoreV1Api(config.new_client_from_config(str(kubeconfig), persist_config=False))  # type: ignore[no-untyped-call]
        self.target = KubernetesTarget(Settings(kubeconfig, timeout_seconds=self._seconds))
        self.owned: frozenset[Key] = frozenset()

    def __enter__(self) -> Self:
        self._clean()
        return self

    def __exit__(self, *_: object) -> None:
        self._clean()

    def _clean(self) -> None:
        for node in self.api.list_node().items:
            self.api.delete_node(node.metadata.name)
        for item in self._namespaces():
            for held in self.api.list_namespaced_config_map(item).items:
                if held.metadata.finalizers:
                    self.release(item, held.metadata.name)
            if self.api.read_namespace(item).status.phase == "Active":
                self.api.delete_namespace(item)
        deadline = time.monotonic() + 60
        while self._namespaces():
            assert time.monotonic() < deadline, f"{self._namespaces()} don't go"
            time.sleep(0.2)

    def _namespaces(self) -> list[str]:
        names = [item.metadata.name for item in self.api.list_namespace().items]
        return [name for name in names if name != "default" and not name.startswith("kube-")]

    def site(
        self, quotas: Quotas, gpus: Mapping[str, tuple[Gpu, ...]] = ONE_MODEL, planes: Planes | None = None
    ) -> Site:
        """A site that names this cluster."""
        return small_site(quotas, gpus, planes, self.api.read_namespace("kube-system").metadata.uid)

    def plane(self, *hosts: str) -> Planes:
        """Planes with only these hosts, all inference."""
        return Planes((), hosts, (), None)

    def observe(self, site: Site) -> Observation:
        """What the target sees."""
        return self.target.observe(site, kubernetes.render(site), self.owned)

    def changes(self, site: Site) -> tuple[Change, ...]:
        """What an apply would do, absent nodes left out."""
        every = differences(kubernetes.render(site), self.observe(site).resources, self.owned)
        return tuple(item for item in every if not (item.key.kind == "Node" and item.verb == "create"))

    def creations(self, site: Site) -> tuple[Action, ...]:
        """Every desired object but nodes, as if none was there."""
        wanted = (item for item in kubernetes.render(site) if item.key.kind != "Node")
        return _actions([Change(item.key, "create", None, item.fields) for item in wanted])

    def check(self, site: Site) -> None:
        """The target's check of everything that differs."""
        desired = kubernetes.render(site)
        self.target.check(site, self._plan(site), desired)

    def sync(
        self,
        site: Site,
        confirmed: frozenset[str] = frozenset(),
        only: str | tuple[str, ...] = (),
        seconds: float = 60,
    ) -> tuple[Applied, ...]:
        """Check and apply in all phases. `only` picks the kinds whose results are given back."""
        actions = self._plan(site)
        self.target.check(site, actions, kubernetes.render(site))
        results = self.apply(site, actions, confirmed, seconds)
        desired = {item.key for item in kubernetes.render(site)}
        self.owned = frozenset(desired | {item.action.change.key for item in results if item.pending})
        return tuple(item for item in results if not only or item.action.change.key.kind in only)

    def apply(
        self,
        site: Site,
        actions: Sequence[Action],
        confirmed: frozenset[str] = frozenset(),
        seconds: float = 60,
    ) -> tuple[Applied, ...]:
        """Run actions without a check."""
        desired, fence = kubernetes.render(site), Deadline(seconds)
        return tuple(
            item
            for phase in PHASES
            for item in self.target.apply(site, phase, of_phase(actions, phase), desired, confirmed, fence)
        )

    def _plan(self, site: Site) -> tuple[Action, ...]:
        desired = kubernetes.render(site)
        return in_order(_actions(differences(desired, self.observe(site).resources, self.owned)), desired)

    def at(self, server: str) -> KubernetesTarget:
        """A target with this kubeconfig, pointed elsewhere."""
        return self._altered(lambda cluster: cluster | {"server": server})

    def untrusting(self) -> KubernetesTarget:
        """A target that holds no certificate of this cluster's."""
        return self._altered(lambda cluster: {"server": cluster["server"]})

    def with_only(self, rules: Sequence[Mapping[str, Any]]) -> KubernetesTarget:
        """A target whose account may do just this, cluster-wide."""
        name, group = "charter-test", "rbac.authorization.k8s.io"
        rbac: Any = client.RbacAuthorizationV1Api(self.api.api_client)
        self.api.create_namespaced_service_account("default", {"metadata": {"name": name}})
        rbac.create_cluster_role({"metadata": {"name": name}, "rules": list(rules)})
        rbac.create_cluster_role_binding(
            {
                "metadata": {"name": name},
                "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": name},
                "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": "default"}],
            }
        )
        token = self.api.create_namespaced_service_account_token(name, "default", {"spec": {}}).status.token
        return self._altered(lambda cluster: cluster, token)

    def forget_account(self) -> None:
        """Undo with_only."""
        rbac, name = client.RbacAuthorizationV1Api(self.api.api_client), "charter-test"
        rbac.delete_cluster_role_binding(name)
        rbac.delete_cluster_role(name)
        self.api.delete_namespaced_service_account(name, "default")

    def _altered(self, change: Any, token: str | None = None) -> KubernetesTarget:
        document = yaml.safe_load(self._kubeconfig.read_text())
        for item in document["clusters"]:
            item["cluster"] = change(item["cluster"])
        for item in document["users"] if token else ():
            item["user"] = {"token": token}
        path = self._kubeconfig.with_name("altered.kubeconfig")
        path.write_text(yaml.safe_dump(document))
        path.chmod(0o600)
        return KubernetesTarget(Settings(path, timeout_seconds=5))

    def writes(self) -> float:
        """Writes to kinds of Charter's since the API server started, as it counts them itself."""
        configuration = self.api.api_client.configuration
        header = {"Authorization": configuration.auth_settings()["BearerToken"]["value"]}
        answer = self.api.api_client.call_api("GET", f"{configuration.host}/metrics", header)
        assert answer.status == 200, answer.reason
        found = [float(value) for value in _WRITES.findall(answer.response.data.decode())]
        assert found, "the API server counts no writes at all: did its metrics change their name?"
        return sum(found)

    def quiet(self) -> tuple[dict[str, str], float]:
        """Versions and writes once the cluster's own controllers are done with what was made."""
        deadline, before = time.monotonic() + 30, None
        while (now := (self.versions(), self.writes())) != before:
            assert time.monotonic() < deadline, "the cluster doesn't come to rest"
            before = now
            time.sleep(1)
        return now

    def versions(self) -> dict[str, str]:
        """resourceVersion of every object of the kinds that Charter writes; of a Node, which controllers write
        to as well, what Charter applied and when."""
        lists = (
            self.api.list_namespace(),
            self.api.list_resource_quota_for_all_namespaces(),
            self.api.list_namespaced_config_map("charter-system"),
        )
        versions = {
            item.metadata.uid: item.metadata.resource_version for found in lists for item in found.items
        }
        return versions | {item.metadata.uid: _applied(item) for item in self.api.list_node().items}

    def quota(self, namespace: str) -> dict[str, str]:
        """spec.hard of the programme's quota."""
        found: dict[str, str] = self.api.read_namespaced_resource_quota("gpu", namespace).spec.hard
        return found

    def exists(self, namespace: str) -> bool:
        """Is the namespace there, in whatever state?"""
        return namespace in self._namespaces()

    def namespace(self, name: str) -> None:
        """A namespace of somebody else's."""
        self.api.create_namespace({"metadata": {"name": name}})

    def label(self, namespace: str, labels: Mapping[str, str | None]) -> None:
        """Set or remove labels as another manager."""
        self.api.patch_namespace(namespace, {"metadata": {"labels": labels}}, field_manager="somebody")

    def node(self, name: str) -> None:
        """A node as a kubelet would register it."""
        self.api.create_node({"metadata": {"name": name, "labels": {"mine": "1"}}})

    def configmap(self, namespace: str, name: str, finalizers: list[str]) -> None:
        """An object that doesn't go until it is released."""
        self.api.create_namespaced_config_map(
            namespace, {"metadata": {"name": name, "finalizers": finalizers}}
        )

    def release(self, namespace: str, name: str) -> None:
        """Take the finalizers away."""
        body = [{"op": "remove", "path": "/metadata/finalizers"}]
        self.api.patch_namespaced_config_map(name, namespace, body)

    def claim(self, namespace: str, name: str) -> None:
        """A claim on a volume."""
        spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
        self.api.create_namespaced_persistent_volume_claim(
            namespace, {"metadata": {"name": name}, "spec": spec}
        )

    def used(self, namespace: str, amount: str) -> None:
        """Wait until the quota controller counts this much in use."""
        deadline = time.monotonic() + 30
        while (self.api.read_namespaced_resource_quota("gpu", namespace).status.used or {}).get(
            "requests.nvidia.com/gpu"
        ) != amount:
            assert time.monotonic() < deadline, "the quota controller doesn't count"
            time.sleep(0.2)

    def pod(self, namespace: str, name: str, gpus: int, security: bool = True) -> None:
        """A pod that asks for GPUs; without `security` it might run as root."""
        context = {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "runAsNonRoot": True,
            "seccompProfile": {"type": "RuntimeDefault"},
        }
        container = {
            "name": "main",
            "image": "example.com/serve:1",
            "resources": {"limits": {"nvidia.com/gpu": str(gpus)}},
            "securityContext": context if security else {},
        }
        spec = {"containers": [container], "automountServiceAccountToken": False}
        deadline = time.monotonic() + 20
        while not self.api.list_namespaced_service_account(namespace).items:
            assert time.monotonic() < deadline, "no service account: is kube-controller-manager running?"
            time.sleep(0.1)
        self.api.create_namespaced_pod(namespace, {"metadata": {"name": name}, "spec": spec})


def _actions(changes: Sequence[Change]) -> tuple[Action, ...]:
    return tuple(Action("kubernetes", item, "test", "none", item.verb != "delete") for item in changes)


def _applied(node: Any) -> str:
    return str([entry for entry in node.metadata.managed_fields or () if entry.manager == "charter"])
