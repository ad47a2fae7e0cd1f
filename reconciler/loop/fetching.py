"""Which commit is to be applied."""

from __future__ import annotations

from reconciler.errors import DirtyTree, Terminal
from reconciler.loop.world import World
from reconciler.source.uncommitted import uncommitted


def head_commit(world: World) -> str:
    """The commit to apply: the followed branch's, or HEAD of a clean work tree. Raises DirtyTree, Terminal."""
    if world.follows is not None:
        return world.repository.fetch(world.configuration.branch, world.follows)
    commit = world.repository.head()
    if commit is None:
        raise Terminal(
            f"{world.repository.path}: HEAD names no commit; commit the site, or switch to its branch"
        )
    changed = uncommitted(world.repository, world.repository.path)
    if changed:
        raise DirtyTree(
            f"{len(changed)} files are not committed ({', '.join(changed[:5])}); commit or discard them"
        )
    return commit
