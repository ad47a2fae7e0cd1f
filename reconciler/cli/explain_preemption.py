"""`charter explain preemption`: the jobs that slurmctld would preempt for a hypothetical one, and their tiers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from reconciler.cli.common import HERE, ConfigOption, SiteArgument, exits, show
from reconciler.errors import UsageError
from reconciler.loop.inputs import at_directory
from reconciler.loop.world import slurm_client
from reconciler.system.configuration import load
from reconciler.targets.slurm.victims import Answer, Wanted, victims
from renderer.model.site import Site
from renderer.notation.durations import seconds

_GUARANTEE = "No job of a higher tier is preempted where jobs of lower tiers together would do."


@exits
def preemption(
    program: Annotated[
        str, typer.Option("--program", metavar="TENANT/PROGRAMME", help="Whose job it would be.")
    ],
    nodes: Annotated[int, typer.Option("--nodes", min=1)],
    site: SiteArgument = HERE,
    qos: Annotated[str | None, typer.Option("--qos", help="Its tier; else the programme's default.")] = None,
    gpus: Annotated[int, typer.Option("--gpus-per-node", min=0)] = 0,
    time: Annotated[str, typer.Option("--time", help="Its limit.")] = "1h",
    partition: Annotated[str | None, typer.Option("--partition")] = None,
    user: Annotated[str | None, typer.Option("--user", help="Else the programme's first member.")] = None,
    config: ConfigOption = None,
) -> int:
    """Ask slurmctld whom a job would preempt; nothing is submitted. Exit 0, 1 could not run."""
    declared = at_directory(site).site
    found = {item.reference: item for item in declared.programs()}.get(program)
    if found is None:
        raise UsageError(f"{program!r} is no programme of the site; write tenant/programme")
    members = declared.members.get(found.tenant)
    people = members.programs[found.name].users if members and found.name in members.programs else ()
    if not (user or people):
        raise UsageError(f"{program} has no members, and only a member may submit; name one with --user")
    minutes = -(-(seconds(time) or 0) // 60) or 1
    wanted = Wanted(
        user or people[0], found.account, qos or found.default_qos, nodes, gpus, minutes, partition
    )
    answer = victims(slurm_client(load(config, str(site))), wanted)
    show("".join(f"{line}\n" for line in _lines(declared, wanted, answer)))
    return 0


def _lines(site: Site, wanted: Wanted, answer: Answer) -> Iterator[str]:
    yield f"A job of {wanted.account} in {wanted.qos} on {wanted.nodes} nodes would start at {answer.start}Z on {answer.nodes or 'nodes'}."
    if not answer.victims:
        yield "It preempts nobody."
    for record in sorted(answer.victims, key=lambda item: (_priority(site, item.qos), item.job.id)):
        job = record.job
        yield (
            f"  preempts job {job.id} of {job.owner} ({job.account}), tier {record.qos} ({_priority(site, record.qos)}), "
            f"{job.gpus} GPUs, runs for {job.elapsed_seconds} s"
        )
    yield _GUARANTEE


def _priority(site: Site, qos: str) -> int:
    return site.qos.tiers[qos].priority if qos in site.qos.tiers else -1
