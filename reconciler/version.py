"""Charter's own version, and whether a site's pin allows it."""

from __future__ import annotations

from reconciler.errors import Stale

VERSION = "0.1.0"
WRITER = f"charter {VERSION}"


def check_pin(pin: str) -> None:
    """Raise Stale unless the installed version begins with the pin: an upgrade is a pull request that moves it."""
    parts, wanted = VERSION.split("."), pin.split(".")
    if parts[: len(wanted)] != wanted:
        raise Stale(
            f"inventory/site.yaml pins charter {pin}, this is {VERSION}; install {pin}, or move the pin in a commit and review its plan"
        )
