"""The health check: which keys of slurm.conf it needs, and the script that slurmd runs on every node."""

from __future__ import annotations

import shlex
from collections import defaultdict
from dataclasses import dataclass

from renderer.model.nodes import NodeType
from renderer.model.site import Site
from renderer.notation.devices import device_files
from renderer.slurm.capability import Capability
from renderer.slurm.template import fill

SCRIPT = "health.sh"


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """What slurmd runs, how often and for how long in seconds; `timeout_seconds` None where the release has no such key."""

    program: str
    interval_seconds: int
    timeout_seconds: int | None


@dataclass(frozen=True, slots=True)
class Expected:
    """What a node must have: device files, GPUs that nvidia-smi lists (0: not asked), ports. As words of a shell."""

    files: tuple[str, ...]
    gpus: int
    nics: tuple[str, ...]


def return_to_service(site: Site) -> int:
    """A lost node comes back by itself (1) unless losing one is a reason to drain (0). Source: slurm.conf(5), ReturnToService."""
    return 0 if site.failures is not None and "node_lost" in site.failures.drain_on else 1


def health_check(site: Site, able: Capability) -> HealthCheck | None:
    """None where no node is looked at from within."""
    if site.failures is None or not site.failures.checked:
        return None
    folder = site.cluster.slurm.dirs.config.rstrip("/")
    limit = site.failures.limit_seconds if able.health_check_timeout else None
    return HealthCheck(f"{folder}/{SCRIPT}", site.failures.interval_seconds, limit)


def health_script(site: Site) -> dict[str, str]:
    """File name to text, or nothing. Hosts that must have the same share a case. Raises RenderError."""
    if site.failures is None or not site.failures.checked:
        return {}
    hosts_of: dict[Expected, list[str]] = defaultdict(list)
    for group in site.nodes.groups:
        expected = _expected(site.nodes.types[group.type], site.failures.drain_on)
        hosts_of[expected].extend(host for host in group.hosts if host not in site.failures.excluded)
    cases = sorted((tuple(sorted(hosts)), expected) for expected, hosts in hosts_of.items() if hosts)
    check = site.failures.site_check
    text = fill(
        SCRIPT,
        cases=cases,
        gpu_seconds=max(1, site.failures.limit_seconds // 3),
        site_seconds=max(1, site.failures.limit_seconds // 2),
        site_check=None if check is None else shlex.quote(check),
        requeue=site.failures.requeue,
        max_retries=site.failures.max_retries,
    )
    return {SCRIPT: text}


def _expected(hardware: NodeType, causes: tuple[str, ...]) -> Expected:
    watched = hardware.gpus if "gpu_lost" in causes else ()
    whole = [gpu for gpu in watched if gpu.mig_profile is None]
    return Expected(
        files=tuple(shlex.quote(name) for gpu in whole if gpu.file for name in device_files(gpu.file)),
        gpus=sum(gpu.count for gpu in whole) if len(whole) == len(watched) else 0,
        nics=tuple(shlex.quote(nic.name) for nic in hardware.nics) if "rail_down" in causes else (),
    )
