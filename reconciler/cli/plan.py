"""`charter plan`: what a commit, or the working tree, would change."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from reconciler.cli.common import HERE, ConfigOption, SiteArgument, exits, say, show
from reconciler.loop.preview import preview, preview_between
from reconciler.plan.plan import Plan
from reconciler.report import json, markdown, text
from reconciler.system.configuration import load


class Format(StrEnum):
    """How the plan is shown."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"


_REPORTS = {Format.TEXT: text.text, Format.JSON: json.text, Format.MARKDOWN: markdown.text}


@exits
def plan(
    site: SiteArgument = HERE,
    base: Annotated[
        str | None,
        typer.Option("--base", metavar="REV", help="Compare with this commit instead of the live engines."),
    ] = None,
    output: Annotated[Format, typer.Option("--format", help="Format of the plan.")] = Format.TEXT,
    config: ConfigOption = None,
) -> int:
    """Show what would change. Exit 0 in sync, 1 could not run, 2 changes or drift, 3 denied."""
    made = _plan(site, base, config)
    show(_REPORTS[output](made))
    return made.exit_code


def _plan(site: Path, base: str | None, config: str | None) -> Plan:
    configuration = load(config, str(site))
    if base is not None:
        return preview_between(configuration, site, base, say)
    return preview(configuration, site, say)
