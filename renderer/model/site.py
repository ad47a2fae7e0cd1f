"""A whole site at one commit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from renderer.model.cluster import Cluster
from renderer.model.endpoints import Endpoint
from renderer.model.fabric import Fabric
from renderer.model.governance import Approvers, Failures, Freeze, Image, Waiver
from renderer.model.nodes import Nodes
from renderer.model.partitions import Partition, Planes
from renderer.model.qos import QosTiers
from renderer.model.reservations import Reservation
from renderer.model.tenants import Members, Program, Tenant


@dataclass(frozen=True, slots=True)
class Site:
    """Everything a commit declares. Mappings are keyed by name; `slurm_d` holds the raw files by base name; `digest` is the site digest."""

    cluster: Cluster
    nodes: Nodes
    fabric: Fabric
    slurm_d: Mapping[str, str]
    tenants: Mapping[str, Tenant]
    members: Mapping[str, Members]
    qos: QosTiers
    partitions: Mapping[str, Partition]
    planes: Planes
    reservations: Mapping[str, Reservation]
    endpoints: Mapping[str, Endpoint]
    images: Mapping[str, Image]
    approvers: Approvers
    waivers: tuple[Waiver, ...]
    freezes: tuple[Freeze, ...]
    failures: Failures | None
    rego: Mapping[str, bytes]
    """The site's own rules: path below rego/site/ to source."""
    digest: str

    def programs(self) -> tuple[Program, ...]:
        """All programmes, by tenant then name."""
        return tuple(
            self.tenants[tenant].programs[name]
            for tenant in sorted(self.tenants)
            for name in sorted(self.tenants[tenant].programs)
        )
