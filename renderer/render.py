"""A Site becomes a Rendering: both engines' resources, and the remarks a plan should show."""

from __future__ import annotations

from datetime import datetime

from renderer import kubernetes, slurm
from renderer.model.site import Site
from renderer.rendering import Rendering


def render(site: Site, now: datetime) -> Rendering:
    """Everything that the engines should hold at `now` (aware). Raises RenderError when the declared release can't hold it."""
    resources, remarks = slurm.render(site, now)
    objects = kubernetes.render(site) if site.cluster.manage.kubernetes != "off" else ()
    return Rendering(resources + objects, remarks)
