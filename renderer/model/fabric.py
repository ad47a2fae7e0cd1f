"""inventory/fabric.yaml: switches and cables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class SwitchGroup:
    """Switches of one tier; tier 1 are leaves. `rail` and `rack` are None where they don't apply."""

    names: tuple[str, ...]
    tier: int
    rail: int | None
    rack: str | None


@dataclass(frozen=True, slots=True)
class Link:
    """Cables: every one of `ends` (hosts or switches) to every switch of `to`, `count` parallel cables a pair, `gbps` each."""

    ends: tuple[str, ...]
    ends_are_hosts: bool
    to: tuple[str, ...]
    rail: int | None
    gbps: int
    count: int


@dataclass(frozen=True, slots=True)
class NvlinkDomain:
    """Hosts of one NVLink domain."""

    hosts: tuple[str, ...]
    cluster_uuid: str | None
    clique_id: int | None


@dataclass(frozen=True, slots=True)
class Fabric:
    """The declared wiring."""

    kind: Literal["infiniband", "roce"]
    rails: int
    planes: int
    switches: tuple[SwitchGroup, ...]
    links: tuple[Link, ...]
    nvlink_domains: tuple[NvlinkDomain, ...]
