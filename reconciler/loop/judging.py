"""Load both sides, verify who signed, ask the gate: everything that is decided before an engine is touched."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from reconciler.audit.log import Entry
from reconciler.errors import Denied, Stale
from reconciler.gate.change import Commit, judge_change
from reconciler.gate.engine import Engine
from reconciler.loop.inputs import Applied, Loaded, approvers_digest, at_commit
from reconciler.loop.planning import Compared, commits_of
from reconciler.source.history import history
from reconciler.system.git import Repository
from reconciler.trust.require import check_supported, demand
from reconciler.trust.signatures import verify_commits
from reconciler.version import check_pin
from renderer.render import render


@dataclass(frozen=True, slots=True)
class Trusted:
    """The commits since the last applied one as the gate may know them, and what is to be said about signatures."""

    commits: tuple[Commit, ...]
    remarks: tuple[str, ...]


def descends(repository: Repository, applied: Applied, head: str) -> None:
    """Raise Stale unless `head` follows from what was applied last."""
    if applied.commit is not None and not repository.is_ancestor(applied.commit, head):
        raise Stale(
            f"{head[:12]} does not descend from {applied.commit[:12]}, which is applied: history was rewritten, or the branch "
            "was moved back; revert by a new commit instead"
        )


def trusted(repository: Repository, base: Loaded | None, head: Loaded, genesis: Entry | None) -> Trusted:
    """Verify the commits against the approvers of the last applied commit, or of genesis. Raises Denied."""
    approvers = (base or head).site.approvers
    if (
        base is None
        and genesis is not None
        and genesis.record.one("approvers") != approvers_digest(head.snapshot)
    ):
        raise Denied(
            "policies/approvers.yaml is not the one that genesis names; apply the commit that the log was opened for first"
        )
    check_supported(head.site.approvers)
    facts = history(repository, base.commit if base else None, str(head.commit))
    signed = verify_commits(facts, approvers)
    remarks = demand(signed, approvers)
    return Trusted(commits_of(facts, signed), remarks)


def compare(
    engine: Engine,
    base: Loaded | None,
    head: Loaded,
    commits: tuple[Commit, ...] | None,
    now: datetime,
    *,
    opa: str,
    remarks: tuple[str, ...] = (),
) -> Compared:
    """Render the head and judge the change. `commits` None: an uncommitted tree. Raises Stale for the version pin."""
    check_pin(head.site.cluster.charter)
    rendering = render(head.site, now)
    verdict = judge_change(engine, base.site if base else None, head.site, commits, now, opa=opa)
    warnings = tuple(str(problem) for problem in head.warnings)
    return Compared(base, head, rendering, verdict, (*remarks, *rendering.remarks, *warnings))


def base_of(repository: Repository, applied: Applied) -> Loaded | None:
    """The site that was applied last, None before the first apply."""
    return None if applied.commit is None else at_commit(repository, applied.commit)
