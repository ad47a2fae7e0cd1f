"""`charter render`: write what both engines should hold into a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reconciler.cli.common import HERE, SiteArgument, exits, say
from reconciler.errors import UsageError
from reconciler.loop.inputs import at_directory
from reconciler.system.clock import clock
from reconciler.system.files import write_tree
from reconciler.targets.files.layout import documents
from renderer.render import render as render_site


@exits
def render(
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder to write into: new or empty.")],
    site: SiteArgument = HERE,
) -> int:
    """Write slurm.conf, topology.conf, accounting state and manifests to DIR. Exit 0, or 1 for an invalid site."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(
            f"{out}: is not an empty folder; name a new one, so that no stale file stays beside the new"
        )
    rendering = render_site(at_directory(site).site, clock(may_inject=True).now())
    write_tree(out, documents(rendering.resources))
    for remark in rendering.remarks:
        say(f"note: {remark}")
    say(f"{out}: {len(rendering.resources)} resources written")
    return 0
