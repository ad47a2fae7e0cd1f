"""`charter reconcile`: the loop, or one round of it."""

from __future__ import annotations

from typing import Annotated

import typer

from reconciler.cli.common import HERE, ConfigOption, SiteArgument, exits, say
from reconciler.cli.telling import tell
from reconciler.loop import loop
from reconciler.loop.story import Told
from reconciler.loop.story import reconcile as reconcile_once
from reconciler.loop.world import open_world
from reconciler.system.configuration import Configuration, load, with_repository


@exits
def reconcile(
    site: SiteArgument = HERE,
    once: Annotated[bool, typer.Option("--once", help="One round, then exit.")] = False,
    repo: Annotated[
        str | None,
        typer.Option("--repo", metavar="URL", help="Follow this repository instead of the configured one."),
    ] = None,
    config: ConfigOption = None,
) -> int:
    """Keep the live engines at the newest commit. Exit codes as apply; the loop ends on SIGTERM or SIGINT."""
    configuration = load(config, str(site))
    if repo is not None:
        configuration = with_repository(configuration, repo)
    if once:
        told = reconcile_once(open_world(configuration, site, say))
        tell(told)
        return told.exit_code
    return _forever(configuration, site)


def _forever(configuration: Configuration, site: SiteArgument) -> int:
    say(f"reconciling every {configuration.poll_seconds} s; stop with SIGTERM")

    def round_() -> Told:
        return reconcile_once(open_world(configuration, site, say))

    return loop.run(configuration, site, round_, tell, say)
