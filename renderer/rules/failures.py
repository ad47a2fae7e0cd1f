"""What drains a node: a check has its program, and what is excluded exists."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.problem import Finding
from renderer.rules.subject import Subject


def failures(subject: Subject) -> Iterator[Finding]:
    """A site's own check and its program stand together; excluded hosts are hosts."""
    site = subject.site.failures
    if site is None:
        return
    if "health_check" in site.drain_on and site.site_check is None:
        what, remedy = "health_check names no program", "add site_check: /path/on/every/node"
        yield subject.fault("failures", "", ("drain_on",), "site-check", what, remedy)
    if site.site_check is not None and "health_check" not in site.drain_on:
        what, remedy = "nothing would run it", "add health_check to drain_on, or remove site_check"
        yield subject.fault("failures", "", ("site_check",), "site-check", what, remedy)
    slurm = subject.site.cluster.slurm
    if site.checked and slurm.distribution == "configless":
        what = "configless brings no scripts to the nodes"
        remedy = f"lay the rendered health.sh into {slurm.dirs.config} of their image"
        yield subject.fault("failures", "", ("drain_on",), "health-check", what, remedy, "warning")
    for host in site.excluded:
        if host not in subject.site.nodes.by_name:
            yield subject.unknown("failures", "", ("excluded",), "host", host, subject.site.nodes.by_name)
