"""What each Slurm release can be told: measured on 22.05.8, 24.11.5 and 26.05.5, arrivals in between from the
release notes. A release between two known ones works like the older of them; a newer one like the newest, with a
remark; an older one is refused, because its files would have to be guessed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from renderer.errors import RenderError

_VERSION = re.compile(r"(\d{2})\.(\d{2})(?:\.\d+)?\Z")


@dataclass(frozen=True, slots=True)
class Capability:
    """A release's abilities. `release` is (year, month)."""

    release: tuple[int, int]
    auth_slurm: bool
    """auth/slurm exists: no munge needed."""
    reservation_tres: bool
    """A reservation may ask for GPUs without naming nodes."""
    node_changes_by_reconfigure: bool
    """Nodes come and go by reconfigure; before, slurmctld dies of it and must be restarted instead."""
    select_changes_by_reconfigure: bool
    """SelectType* and GresTypes take effect by reconfigure."""
    partition_topology: bool
    """A partition may name its topology."""
    health_check_timeout: bool
    """HealthCheckTimeout exists, and must be below the interval; before, a check has 60 s."""


_KNOWN: tuple[Capability, ...] = (
    Capability((22, 5), False, False, False, False, False, False),
    Capability((23, 11), False, True, True, False, False, False),
    Capability((24, 11), True, True, True, True, False, False),
    Capability((26, 5), True, True, True, True, True, True),
)


def capability(version: str) -> tuple[Capability, tuple[str, ...]]:
    """The capability of a release such as 24.11, and remarks. Raises RenderError for one that isn't known to work."""
    release = _release(version)
    fitting = [known for known in _KNOWN if known.release <= release]
    if not fitting:
        raise RenderError(
            f"slurm.version {version} is older than {_text(_KNOWN[0])}, the oldest release Charter can write for; "
            "upgrade Slurm"
        )
    newest = _KNOWN[-1]
    if release <= newest.release:
        return fitting[-1], ()
    remark = f"Slurm {version} is newer than {_text(newest)}, the newest release measured; treated like it"
    return newest, (remark,)


def _release(version: str) -> tuple[int, int]:
    match = _VERSION.match(version)
    if match is None:
        raise RenderError(f"slurm.version {version!r} is not a release; write it as 24.11")
    return int(match[1]), int(match[2])


def _text(known: Capability) -> str:
    return f"{known.release[0]}.{known.release[1]:02d}"
