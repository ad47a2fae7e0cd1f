"""A Site becomes a Rendering: both engines' resources, and the remarks a plan should show."""

from __future__ import annotations

from datetime import datetime

from renderer import kubernetes, slurm
from renderer.model.site import Site
from renderer.rendering import Rendering


def render(site: Site, now: datetime) -> Rendering:
    """Everything that the engines should hold at `now` (aware). Raises RenderError when the declared release can't hold it."""
    resources, remarks = slurm.render(site, now)
    if site.cluster.manage.kubernetes == "off":
        return Rendering(resources, remarks)
    return Rendering(resources + kubernetes.render(site), remarks + kubernetes.remarks(site))
