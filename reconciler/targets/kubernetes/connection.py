"""From run-time settings to a verified connection. Called once, at the first request."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import yaml
from kubernetes import config
from kubernetes.client import ApiClient, Configuration
from kubernetes.config.config_exception import ConfigException
from kubernetes.dynamic import DynamicClient

from reconciler.errors import Terminal
from reconciler.system.configuration import KubernetesTarget

_REMEDY = "set targets.kubernetes.kubeconfig in the run-time configuration, or $KUBECONFIG"


def connect(settings: KubernetesTarget) -> DynamicClient:
    """A client that verifies the server and never retries by itself. Raises Terminal for a kubeconfig that can't be used."""
    configuration = Configuration()
    source = _source(settings)
    try:
        _load(configuration, settings, source)
    except (ConfigException, OSError, yaml.YAMLError, TypeError, KeyError) as error:
        raise Terminal(f"{source}: can't be used as a kubeconfig ({error}); {_REMEDY}") from None
    if not configuration.verify_ssl or not configuration.host.startswith("https://"):
        raise Terminal(
            f"{source}: doesn't verify the API server; use an https:// address with certificate-authority, "
            "and no insecure-skip-tls-verify"
        )
    configuration.retries = False
    return DynamicClient(ApiClient(configuration), discoverer=_no_discovery)


def _source(settings: KubernetesTarget) -> str:
    if settings.kubeconfig is not None:
        return str(settings.kubeconfig)
    named = os.environ.get("KUBECONFIG")
    default = Path("~/.kube/config").expanduser()
    return named or (str(default) if default.exists() else "service account")


def _load(configuration: Configuration, settings: KubernetesTarget, source: str) -> None:
    if source == "service account":
        config.load_incluster_config(client_configuration=configuration)
        return
    config.load_kube_config(source, settings.context, configuration, persist_config=False)


def _no_discovery(_client: DynamicClient, _cache_file: Any) -> None:
    """The table of kinds stands for it."""
