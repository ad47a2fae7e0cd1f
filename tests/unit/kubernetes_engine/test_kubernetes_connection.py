"""A kubeconfig is used only where the server is verified."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from reconciler.errors import Terminal
from reconciler.system.configuration import KubernetesTarget as Settings
from reconciler.targets.kubernetes.connection import connect


def kubeconfig(folder: Path, **cluster: Any) -> Path:
    path = folder / "kubeconfig"
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "c",
        "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:1", **cluster}}],
        "users": [{"name": "u", "user": {"token": "sesame"}}],
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
    }
    path.write_text(yaml.safe_dump(document))
    return path


def test_a_verified_server_is_connected_to_and_never_retried_behind_our_back(tmp_path: Path) -> None:
    configuration = connect(Settings(kubeconfig(tmp_path))).configuration
    assert configuration.verify_ssl
    assert configuration.retries is False


@pytest.mark.parametrize("cluster", [{"insecure-skip-tls-verify": True}, {"server": "http://127.0.0.1:1"}])
def test_an_unverified_server_is_refused(tmp_path: Path, cluster: dict[str, Any]) -> None:
    with pytest.raises(Terminal, match="doesn't verify"):
        connect(Settings(kubeconfig(tmp_path, **cluster)))


@pytest.mark.parametrize("content", ["", "[1, 2]", "{", "kind: Config"])
def test_what_is_no_kubeconfig_is_refused_by_its_path(tmp_path: Path, content: str) -> None:
    path = tmp_path / "broken"
    path.write_text(content)
    with pytest.raises(Terminal, match="broken"):
        connect(Settings(path))


def test_an_absent_kubeconfig_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Terminal, match="absent"):
        connect(Settings(tmp_path / "absent"))


def test_an_unknown_context_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Terminal, match="other"):
        connect(Settings(kubeconfig(tmp_path), context="other"))


def test_the_environment_names_the_kubeconfig_when_it_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(kubeconfig(tmp_path, server="https://127.0.0.1:2")))
    assert connect(Settings()).configuration.host == "https://127.0.0.1:2"


def test_outside_a_cluster_and_without_kubeconfig_the_remedy_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("KUBECONFIG", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(Terminal, match=r"targets\.kubernetes\.kubeconfig"):
        connect(Settings())
