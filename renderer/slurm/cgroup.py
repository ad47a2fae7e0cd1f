"""cgroup.conf: jobs are held to the cores and memory they were given, since both are handed out."""

from __future__ import annotations

from renderer.model.site import Site
from renderer.slurm.raw import logical_lines
from renderer.slurm.template import fill


def cgroup_conf(site: Site) -> str:
    """The file's text."""
    raw = tuple(line for _, line in logical_lines(site.slurm_d.get("cgroup.conf", "")))
    return fill("cgroup.conf", raw_lines=raw)
