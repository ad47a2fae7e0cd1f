"""`charter explain priority`: a job's priority, part by part, and what the tier below can reach."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from reconciler.cli.common import HERE, ConfigOption, SiteArgument, exits, show
from reconciler.errors import UsageError
from reconciler.loop.inputs import at_directory
from reconciler.loop.world import slurm_client
from reconciler.system.configuration import load
from reconciler.targets.slurm.priorities import pending
from renderer.model.site import Site
from renderer.notation.durations import seconds
from renderer.slurm.arithmetic import Arithmetic, arithmetic, max_age


@exits
def priority(
    site: SiteArgument = HERE,
    job: Annotated[str | None, typer.Option("--job", metavar="ID", help="A pending job.")] = None,
    qos: Annotated[
        str | None, typer.Option("--qos", metavar="NAME", help="Tier of a hypothetical job.")
    ] = None,
    fairshare: Annotated[
        float, typer.Option("--fairshare", min=0, max=1, help="Its fair-share factor.")
    ] = 0.5,
    age: Annotated[
        str, typer.Option("--age", metavar="TIME", help="How long it has waited, such as 1d.")
    ] = "0",
    config: ConfigOption = None,
) -> int:
    """Show the arithmetic of a job's priority. Exit 0, 1 could not run."""
    declared = at_directory(site).site
    if (job is None) == (qos is None):
        raise UsageError("name one of --job ID and --qos NAME")
    if job is not None:
        lines = _of_job(declared, job, config, str(site))
    else:
        lines = _lines(arithmetic(declared, _tier(declared, str(qos)), fairshare, seconds(age) or 0))
    show("".join(f"{line}\n" for line in lines))
    return 0


def _of_job(site: Site, job: str, config: str | None, path: str) -> Iterator[str]:
    found = pending(slurm_client(load(config, path)), job)
    waited = int(found.age * max_age(site))
    yield f"job {found.id} of {found.owner} ({found.account}): slurmctld gives it {found.points}"
    yield from _lines(arithmetic(site, _tier(site, found.qos), found.fairshare, waited))


def _tier(site: Site, name: str) -> str:
    if name not in site.qos.tiers:
        raise UsageError(f"{name!r} is no tier of the site; there are {', '.join(sorted(site.qos.tiers))}")
    return name


def _lines(sum_of: Arithmetic) -> Iterator[str]:
    for part in sum_of.parts:
        yield f"  {part.name:<10} {part.factor:.4f} x {part.weight:>9} = {part.points:>9}  ({part.why})"
    yield f"  {'priority':<10} {sum_of.total:>30}"
    if sum_of.below is None:
        yield "  it is of the lowest tier"
    else:
        tier, most = sum_of.below
        yield f"  a job of {tier}, the tier below, has at most {most}: whatever its share and age, it comes after this one"
