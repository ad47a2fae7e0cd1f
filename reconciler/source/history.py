"""Who changed what since a commit: the first-parent line, each commit against its first parent.

The differences along that line add up to the whole change from base to head, so whoever judges every one of them has
judged everything. That holds only where base itself is on the line; where it isn't, a merge could undo base's
work without any commit showing it, so such a head is refused.
"""

from __future__ import annotations

from dataclasses import dataclass

from reconciler.errors import Stale, Terminal
from reconciler.source.commit import Commit, parse
from reconciler.source.diff import changed_paths
from reconciler.source.objects import MAX_COMMIT, Objects, objects
from reconciler.source.tree import site_roots
from reconciler.system.git import Repository

MAX_COMMITS = 10_000


@dataclass(frozen=True, slots=True)
class CommitFacts:
    """A commit, the site's paths it changed against its first parent, and what is needed to verify who signed it.

    `signatures`: armoured; a commit has at most one that counts. `payload`: the bytes it covers. `author` and `time`
    (seconds since the epoch) are claims for display: authority comes from a verified signature alone.
    """

    id: str
    parents: tuple[str, ...]
    paths: tuple[str, ...]
    signatures: tuple[bytes, ...]
    payload: bytes
    author: str
    time: int


def history(repository: Repository, base: str | None, head: str, folder: str = "") -> tuple[CommitFacts, ...]:
    """First-parent commits after `base` up to `head`, oldest first; of base None the head alone with all the site's
    paths, as nothing before it was ever applied. `folder`: where the site lies in the repository.

    Raises UsageError for revisions that name no commit, Stale where base is not on the head's first-parent line,
    Terminal for damaged objects or more than MAX_COMMITS commits.
    """
    tip, start = repository.resolve(head), base and repository.resolve(base)
    with objects(repository) as store:
        if start is None:
            commit = _commit(store, tip)
            return (_facts(store, tip, commit, None, folder),)
        return _line(store, start, tip, folder)


def _line(store: Objects, start: str, tip: str, folder: str) -> tuple[CommitFacts, ...]:
    commits: dict[str, Commit] = {}
    current = tip
    while current != start:
        commits[current] = _commit(store, current)
        if not commits[current].parents:
            raise _not_on_line(start, tip)
        if len(commits) > MAX_COMMITS:
            raise Terminal(
                f"more than {MAX_COMMITS} commits lie between {start[:12]} and {tip[:12]}; squash them into fewer"
            )
        current = commits[current].parents[0]
    trees = [_commit(store, start).tree, *(commit.tree for commit in reversed(commits.values()))]
    return tuple(
        _facts(store, commit_id, commits[commit_id], before, folder)
        for commit_id, before in zip(reversed(commits), trees, strict=False)
    )


def _facts(store: Objects, commit_id: str, commit: Commit, before: str | None, folder: str) -> CommitFacts:
    earlier = site_roots(store, before, folder) if before else {}
    paths = changed_paths(store, earlier, site_roots(store, commit.tree, folder))
    return CommitFacts(
        commit_id, commit.parents, paths, commit.signatures, commit.payload, commit.author, commit.time
    )


def _commit(store: Objects, commit_id: str) -> Commit:
    return parse(commit_id, store.read(commit_id, "commit", MAX_COMMIT))


def _not_on_line(start: str, tip: str) -> Stale:
    return Stale(
        f"the last applied commit {start[:12]} is not on the first-parent line of {tip[:12]}: history was rewritten, or a"
        f" merge was made the wrong way round; bring the branch back to a descendant of {start[:12]} and merge into it"
    )
