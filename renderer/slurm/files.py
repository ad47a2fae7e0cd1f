"""Which files there are: Charter's own, then whatever else slurm.d brings."""

from __future__ import annotations

from renderer.model.site import Site
from renderer.slurm.capability import Capability
from renderer.slurm.cgroup import cgroup_conf
from renderer.slurm.gres import gres_conf
from renderer.slurm.health import health_script
from renderer.slurm.slurmconf import slurm_conf
from renderer.slurm.topology import topology_conf

_OWN = ("slurm.conf", "gres.conf", "cgroup.conf")
TOPOLOGY = "topology.conf"


def files(site: Site, able: Capability) -> tuple[dict[str, str], tuple[str, ...]]:
    """Content by file name, and remarks. Raises RenderError."""
    manage = site.cluster.manage
    written: dict[str, str] = {}
    remarks: tuple[str, ...] = ()
    if manage.config != "off":
        written |= {
            "slurm.conf": slurm_conf(site, able),
            "gres.conf": gres_conf(site),
            "cgroup.conf": cgroup_conf(site),
            **health_script(site),
        }
    if manage.topology != "off":
        written[TOPOLOGY], remarks = topology_conf(site)
    if manage.config != "off":
        written |= {
            name: text for name, text in sorted(site.slurm_d.items()) if name not in (*_OWN, *written)
        }
    return written, remarks
