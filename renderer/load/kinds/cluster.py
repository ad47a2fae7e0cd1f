"""inventory/site.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from renderer.load import checks
from renderer.load.fields import (
    NAME,
    NAMES,
    Rules,
    choice,
    listed,
    many,
    mapping,
    named,
    number,
    required,
    text,
)
from renderer.model.cluster import (
    Cluster,
    ControlHost,
    KubernetesSettings,
    Manage,
    SlurmAuth,
    SlurmDirectories,
    SlurmRestart,
    SlurmSettings,
    SlurmUsers,
)

API_VERSION = "charter/v1alpha1"
_PORT = number(1, 65535)
_HOST: Rules = {"host": required(text(checks.word)), "address": text(checks.word), "port": _PORT}
_PATH = required(text(checks.absolute_path))
_USER = required(text(checks.user))
_RESTART = required(choice("managed", "manual"))
_LEVEL = choice("off", "report", "enforce")
_PARTS = ("config", "topology", "partitions", "accounts", "qos", "reservations", "kubernetes")

_SLURM: Rules = {
    "cluster_name": required(NAME),
    "version": required(text(checks.word)),
    "slurmctld": required({**many(_HOST), "minlength": 1}),
    "slurmdbd": required(mapping(_HOST)),
    "slurmd_port": _PORT,
    "dirs": required(
        mapping(
            {**dict.fromkeys(("state", "spool", "log", "run"), _PATH), "config": text(checks.absolute_path)}
        )
    ),
    "users": required(mapping({"slurm": _USER, "slurmd": _USER})),
    "auth": required(
        mapping({"type": required(choice("munge", "slurm")), "socket": text(checks.absolute_path)})
    ),
    "distribution": required(choice("configless", "shared_dir", "managed")),
    "restart": required(mapping({"slurmctld": _RESTART, "slurmd": _RESTART})),
    "account_root": required(NAME),
    "owns_qos": required(NAMES),
}
SCHEMA: Rules = {
    "apiVersion": required(choice(API_VERSION)),
    "name": required(NAME),
    "jurisdiction": required(text(checks.word)),
    "zones": required({**NAMES, "minlength": 1}),
    "timezone": required(text(checks.word)),
    "charter": required(text(checks.word)),
    "slurm": required(mapping(_SLURM)),
    "kubernetes": required(
        mapping({"version": required(text(checks.word)), "cluster_uid": required(text(checks.word))})
    ),
    "power_budget_kw": number(1),
    "manage": mapping(dict.fromkeys(_PARTS, _LEVEL)),
    "data_classes": required(named(listed(checks.names))),
}


def build(document: Mapping[str, Any]) -> Cluster:
    """The cluster that a document of the right shape describes."""
    kubernetes = document["kubernetes"]
    return Cluster(
        name=document["name"],
        jurisdiction=document["jurisdiction"],
        zones=tuple(document["zones"]),
        timezone=document["timezone"],
        charter=document["charter"],
        slurm=_slurm(document["slurm"]),
        kubernetes=KubernetesSettings(kubernetes["version"], kubernetes["cluster_uid"]),
        power_budget_kw=document.get("power_budget_kw"),
        manage=Manage(**document.get("manage", {})),
        data_classes={name: tuple(zones) for name, zones in document["data_classes"].items()},
    )


def _slurm(part: Mapping[str, Any]) -> SlurmSettings:
    return SlurmSettings(
        cluster_name=part["cluster_name"],
        version=part["version"],
        slurmctld=tuple(ControlHost(**host) for host in part["slurmctld"]),
        slurmdbd=ControlHost(**part["slurmdbd"]),
        slurmd_port=part.get("slurmd_port", 6818),
        dirs=SlurmDirectories(**part["dirs"]),
        users=SlurmUsers(**part["users"]),
        auth=SlurmAuth(**part["auth"]),
        distribution=part["distribution"],
        restart=SlurmRestart(**part["restart"]),
        account_root=part["account_root"],
        owns_qos=tuple(part["owns_qos"]),
    )
