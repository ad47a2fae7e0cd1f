"""What the working tree holds that HEAD doesn't: applying is refused then, since nobody signed it.

Contents are compared, not git's index: an index can be told to overlook a file, and filters or file monitors of the
repository's configuration would run commands.
"""

from __future__ import annotations

from pathlib import Path

from reconciler.source.directory import read_directory
from reconciler.source.tree import read_tree
from reconciler.system.git import Repository


def uncommitted(repository: Repository, site: Path, folder: str = "") -> tuple[str, ...]:
    """Site paths whose content in the folder `site` differs from HEAD, those not tracked included, sorted; () is clean.

    Before the first commit everything differs. Raises what `read_tree` and `read_directory` raise.
    """
    committed = {} if repository.head() is None else read_tree(repository, "HEAD", folder).files
    present = read_directory(site).files
    return tuple(
        sorted(path for path in committed.keys() | present.keys() if committed.get(path) != present.get(path))
    )
