"""The Kubernetes rig: server and controllers really work, and nothing outlives them."""

from __future__ import annotations

import json

import pytest

from tests.engines.kubernetes import KubernetesRig
from tests.engines.ports import is_free
from tests.engines.scratch import marked

pytestmark = pytest.mark.real


def test_server_is_ready_and_of_the_pinned_version(kubernetes_rig: KubernetesRig) -> None:
    assert kubernetes_rig.kubectl("get", "--raw=/readyz").stdout == "ok"
    version = json.loads(kubernetes_rig.kubectl("get", "--raw=/version").stdout)
    assert version["gitVersion"] == "v1.37.2"
    assert len(kubernetes_rig.kube_system_uid) == 36


def test_a_deleted_namespace_is_really_gone(kubernetes_rig: KubernetesRig) -> None:
    kubernetes_rig.kubectl("create", "namespace", "rig-short-lived")
    kubernetes_rig.kubectl("delete", "namespace", "rig-short-lived", timeout=60)
    assert "NotFound" in kubernetes_rig.kubectl("get", "namespace", "rig-short-lived", check=False).stderr


def test_a_quota_counts_and_refuses(kubernetes_rig: KubernetesRig) -> None:
    kubernetes_rig.kubectl("create", "namespace", "rig-quota")
    kubernetes_rig.kubectl("create", "quota", "one", "--hard=count/configmaps=2", "--namespace=rig-quota")
    status = (
        "--for=jsonpath={.status.used.count/configmaps}=1"  # kube-root-ca.crt, which a controller puts there
    )
    kubernetes_rig.kubectl("wait", "quota/one", "--namespace=rig-quota", status, "--timeout=60s")
    kubernetes_rig.kubectl("create", "configmap", "second", "--namespace=rig-quota")
    third = kubernetes_rig.kubectl("create", "configmap", "third", "--namespace=rig-quota", check=False)
    assert "exceeded quota" in third.stderr


def test_nodes_report_their_gpus(kubernetes_rig: KubernetesRig) -> None:
    kubernetes_rig.create_nodes(["rig-node-1", "rig-node-2"], labels={"rig": "yes"})
    items = json.loads(kubernetes_rig.kubectl("get", "nodes", "--selector=rig=yes", "-o", "json").stdout)[
        "items"
    ]
    assert [item["status"]["allocatable"]["nvidia.com/gpu"] for item in items] == ["8", "8"]
    kubernetes_rig.kubectl("delete", "nodes", "--selector=rig=yes")


def test_stopping_leaves_no_process_port_or_folder() -> None:
    with KubernetesRig() as rig:
        root, port = rig.scratch.path, int(rig.server.rpartition(":")[2])
        assert len(marked(root)) == 3
    assert marked(root) == ()
    assert is_free(port)
    assert not root.exists()
