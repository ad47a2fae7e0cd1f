"""`charter explain reservation`: from when it is held, why so long before its start, and which jobs end last."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Annotated

import typer

from reconciler.cli.common import HERE, ConfigOption, SiteArgument, exits, show
from reconciler.errors import UsageError
from reconciler.loop.inputs import at_directory
from reconciler.loop.world import slurm_client
from reconciler.system.clock import clock
from reconciler.system.configuration import load
from reconciler.targets.slurm.client import Client
from reconciler.targets.slurm.running import Running, on_nodes, running, upcoming
from renderer.model.site import Site
from renderer.notation.times import iso
from renderer.rules.guard import guard
from renderer.rules.held import held

_SHOWN = 10


@exits
def reservation(
    name: Annotated[str, typer.Argument(metavar="NAME")],
    site: SiteArgument = HERE,
    config: ConfigOption = None,
) -> int:
    """Show the guard's sum and, on a live Slurm, the jobs that end last. Exit 0, 1 could not run."""
    declared = at_directory(site).site
    if name not in declared.reservations:
        known = ", ".join(sorted(declared.reservations)) or "none"
        raise UsageError(f"{name!r} is no reservation of the site; there are {known}")
    configuration = load(config, str(site))
    lines = [*_sum(declared, name)]
    if configuration.slurm is not None:
        now = clock(may_inject=configuration.only_files).now()
        lines += _last(declared, name, slurm_client(configuration), now)
    show("".join(f"{line}\n" for line in lines))
    return 0


def _sum(site: Site, name: str) -> Iterator[str]:
    item, total = site.reservations[name], guard(site)
    every = "" if item.recurrence == "none" else f", {item.recurrence}"
    yield f"reservation {name}: held from {iso(held(site)[name].start)}, starts {iso(item.start)}, ends {iso(item.end)}{every}"
    for term in total.terms:
        yield f"  {term.name:<14} {term.seconds:>6} s  {term.why}"
    yield f"  {'bound':<14} {total.bound:>6} s  the longest that a job holds its nodes after its time limit"
    yield f"  {'guard':<14} {total.seconds:>6} s  the bound and a minute, in whole minutes"


def _last(site: Site, name: str, client: Client, now: datetime) -> Iterator[str]:
    item = next((one for one in upcoming(client, site, now) if one.name == name), None)
    if item is None:
        yield "slurmctld has no occurrence of it that is still to come"
        return
    jobs = on_nodes(running(client), item, site)
    yield f"Next start {iso(item.start)}; {len(jobs)} jobs of others hold its nodes."
    bound = timedelta(seconds=guard(site).bound)
    yield from (_line(job, item.start - bound) for job in jobs[:_SHOWN])


def _line(job: Running, latest: datetime) -> str:
    who = f"  job {job.id} of {job.owner} ({job.account})"
    if job.ends is None:
        return f"{who} has no time limit: it may be there at the start"
    late = "" if job.ends <= latest else ": it may be there at the start"
    return f"{who} ends by {iso(job.ends)}{late}"
