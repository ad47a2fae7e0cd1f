"""slurm.conf: daemons, scheduling, accounting, nodes and partitions, then slurm.d's lines."""

from __future__ import annotations

from typing import Any

from renderer.errors import RenderError
from renderer.model.site import Site
from renderer.slurm.capability import Capability
from renderer.slurm.health import health_check, return_to_service
from renderer.slurm.nodes import gpu_types, node_lines
from renderer.slurm.partitions import partition_lines
from renderer.slurm.priority import weights
from renderer.slurm.raw import RawFile, merged, read_slurm_conf
from renderer.slurm.template import fill

DEFAULT_SLURMCTLD_PORT = 6817
DEFAULT_SLURMDBD_PORT = 6819
CREDENTIAL_SECONDS = 15


def slurm_conf(site: Site, able: Capability) -> str:
    """The file's text. Raises RenderError where the release or slurm.d stands against it."""
    slurm = site.cluster.slurm
    if slurm.auth.type == "slurm" and not able.auth_slurm:
        raise RenderError(
            f"slurm.auth.type is slurm, which {slurm.version} doesn't have; use munge or upgrade to 24.11"
        )
    raw = read_slurm_conf(site.slurm_d.get("slurm.conf", ""), able.release)
    manage = site.cluster.manage
    lists = _lists(site, raw)
    return fill(
        "slurm.conf",
        slurm=slurm,
        slurmctld_port=_controller_port(site),
        slurmdbd_port=slurm.slurmdbd.port or DEFAULT_SLURMDBD_PORT,
        spool=slurm.dirs.spool if "%n" in slurm.dirs.spool else f"{slurm.dirs.spool}/%n",
        tree=manage.topology != "off",
        return_to_service=return_to_service(site),
        health=health_check(site, able),
        grace_seconds=site.qos.grace_seconds,
        weights=weights(site.qos),
        lists={name: text for name, text in lists.items() if text},
        nodes=node_lines(site.nodes),
        partitions=partition_lines(site, able) if manage.partitions != "off" else (),
        raw_lists=_other_lists(raw, lists),
        raw_lines=raw.lines,
    )


def _lists(site: Site, raw: RawFile) -> dict[str, str]:
    slurm = site.cluster.slurm
    types = gpu_types(site.nodes)
    tracked = ("gres/gpu", *(f"gres/gpu:{name}" for name in types)) if types else ()
    munge = slurm.auth.type == "munge" and slurm.auth.socket is not None
    own: dict[str, tuple[str, ...]] = {
        "AuthInfo": (*((f"socket={slurm.auth.socket}",) if munge else ()), *_credentials(raw)),
        "ReconfigFlags": ("KeepPartState",),
        "SlurmctldParameters": ("enable_configless",) if slurm.distribution == "configless" else (),
        "GresTypes": ("gpu",) if types else (),
        "AccountingStorageTRES": tracked,
        "AccountingStorageEnforce": ("associations", "limits", "qos", "safe"),
    }
    return {name: merged(name, parts, raw) for name, parts in own.items()}


def _credentials(raw: RawFile) -> tuple[str, ...]:
    """A requeued job may start again once its old credential has run out: Slurm's default of two minutes is left to nobody."""
    _, parts = raw.lists.get("authinfo", ("", ()))
    theirs = any(part.lower().startswith("cred_expire=") for part in parts)
    return () if theirs else (f"cred_expire={CREDENTIAL_SECONDS}",)


def _other_lists(raw: RawFile, rendered: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    ours = {name.lower() for name in rendered}
    return tuple(
        (name, ",".join(dict.fromkeys(parts)))
        for key, (name, parts) in sorted(raw.lists.items())
        if key not in ours
    )


def _controller_port(site: Site) -> int:
    ports = {host.port or DEFAULT_SLURMCTLD_PORT for host in site.cluster.slurm.slurmctld}
    if len(ports) != 1:
        raise RenderError(
            f"slurm.slurmctld names ports {sorted(ports)}, but slurm.conf holds one for all controllers; agree on one"
        )
    return ports.pop()
