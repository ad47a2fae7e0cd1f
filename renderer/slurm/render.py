"""Everything Slurm should hold for a site, in creation order: files, QOS, accounts, associations, coordinators, reservations."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from renderer.model.site import Site
from renderer.resource import Key, Resource
from renderer.slurm.accounts import accounts, associations, coordinators
from renderer.slurm.capability import capability
from renderer.slurm.files import files
from renderer.slurm.qos import qos_resources
from renderer.slurm.reservations import reservations


def render(site: Site, now: datetime) -> tuple[tuple[Resource, ...], tuple[str, ...]]:
    """(resources, remarks for the plan) at `now` (aware). A part that is managed `off` has no resources.

    Raises RenderError when the declared release can't hold the site.
    """
    able, remarks = capability(site.cluster.slurm.version)
    manage = site.cluster.manage
    written, file_remarks = files(site, able)
    found = [Resource(Key("slurm", "config", name), {"content": text}) for name, text in written.items()]
    if manage.qos != "off":
        found += qos_resources(site)
    if manage.accounts != "off":
        found += _accounting(site)
    if manage.reservations == "off":
        return tuple(found), remarks + file_remarks
    held, held_remarks = reservations(site, able, now)
    return (*found, *held), remarks + file_remarks + held_remarks


def _accounting(site: Site) -> Iterator[Resource]:
    yield from accounts(site)
    yield from associations(site)
    yield from coordinators(site)
