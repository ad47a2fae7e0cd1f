"""`charter validate`: all problems of a site in one run."""

from __future__ import annotations

from reconciler.cli.common import HERE, SiteArgument, exits, say
from reconciler.loop.inputs import at_directory


@exits
def validate(site: SiteArgument = HERE) -> int:
    """Check a site's files: shape, references, capacity. Exit 0 valid, 1 not."""
    loaded = at_directory(site)
    for warning in loaded.warnings:
        say(f"warning: {warning}")
    count = len(loaded.warnings)
    say(f"{loaded.site.cluster.name}: valid, {count} warning{'' if count == 1 else 's'}")
    return 0
