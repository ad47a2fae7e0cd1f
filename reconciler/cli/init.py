"""`charter init`: a new site, copied from the reference site, to be made one's own."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated

import typer

from reconciler.cli.common import exits, say
from reconciler.errors import UsageError
from reconciler.system.files import atomic_write
from reconciler.system.git import Repository

_IGNORED = b"# what the embedded file target keeps; never commit it\n.charter/\n"


@exits
def init(directory: Annotated[Path, typer.Argument(metavar="DIR", help="A new or empty folder.")]) -> int:
    """Create a site in DIR: the reference site's files in a new git repository, not yet committed."""
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise UsageError(f"{directory}: is not an empty folder; name a new one")
    Repository.init(directory)
    for path, content in _reference():
        atomic_write(directory / path, content)
    atomic_write(directory / ".gitignore", _IGNORED)
    say(
        f"{directory}: a site, not committed yet. Make it yours, then: git add . && git commit, charter plan, charter apply"
    )
    return 0


def _reference() -> Iterator[tuple[str, bytes]]:
    for top in ("inventory", "policies"):
        yield from _walk(files("reconciler.cli") / "reference" / top, top)


def _walk(folder: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    for item in sorted(folder.iterdir(), key=lambda item: item.name):
        if item.is_dir():
            yield from _walk(item, f"{path}/{item.name}")
        else:
            yield f"{path}/{item.name}", item.read_bytes()
