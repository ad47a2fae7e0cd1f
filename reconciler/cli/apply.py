"""`charter apply`: bring the live engines to HEAD, once. `reconcile --once` is the same path."""

from __future__ import annotations

from typing import Annotated

import typer

from reconciler.cli.common import HERE, ConfigOption, SiteArgument, exits, say
from reconciler.cli.telling import confirmations, tell
from reconciler.loop.story import reconcile
from reconciler.loop.world import open_world
from reconciler.system.configuration import load


@exits
def apply(
    site: SiteArgument = HERE,
    plan: Annotated[
        str | None,
        typer.Option("--plan", metavar="DIGEST", help="Refuse unless the live digest still is this one."),
    ] = None,
    confirm: Annotated[
        list[str] | None,
        typer.Option("--confirm", metavar="KIND", help="Confirm what the plan asks to be confirmed."),
    ] = None,
    config: ConfigOption = None,
) -> int:
    """Apply HEAD and seal a record. Exit 0 done, 1 could not run, 2 drift left, 3 denied, 4 stale, 5 partly, 6 audit."""
    world = open_world(load(config, str(site)), site, say)
    told = reconcile(world, confirmations(confirm or []), plan)
    tell(told)
    return told.exit_code
