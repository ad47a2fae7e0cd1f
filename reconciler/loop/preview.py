"""A plan for looking at: of the working tree against the live engines, or of two commits without any engine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from reconciler.errors import UsageError
from reconciler.gate.change import Commit
from reconciler.loop.inputs import Loaded, applied, at_commit, at_directory
from reconciler.loop.judging import base_of, compare, descends, trusted
from reconciler.loop.planning import commits_of, live_plan, observe, offline_plan
from reconciler.loop.world import engine_of, open_world
from reconciler.plan.plan import Plan
from reconciler.source.history import history
from reconciler.source.uncommitted import uncommitted
from reconciler.system.clock import clock
from reconciler.system.configuration import Configuration
from reconciler.system.git import Repository
from reconciler.trust.signatures import verify_commits
from renderer.render import render


def preview(configuration: Configuration, site: Path, say: Callable[[str], None]) -> Plan:
    """Plan the working tree against the live engines; nothing is written. Raises CharterError, SiteInvalid."""
    world = open_world(configuration, site, say)
    before = applied(world.log)
    head = _working_tree(Repository.open(site), site, say)
    commits: tuple[Commit, ...] | None = None
    base = base_of(world.repository, before)
    remarks: tuple[str, ...] = ()
    if head.commit is not None:
        descends(world.repository, before, head.commit)
        signed = trusted(world.repository, base, head, world.log.last("genesis"))
        commits, remarks = signed.commits, signed.remarks
    compared = compare(
        world.engine, base, head, commits, world.clock.now(), opa=configuration.engine.opa, remarks=remarks
    )
    for target in world.targets:
        target.identify(head.site)
    observed = observe(world.targets, head.site, compared.rendering, before.before)
    return live_plan(compared, world.targets, observed, before.before, world.clock.now())


def preview_between(
    configuration: Configuration, site: Path, revision: str, say: Callable[[str], None]
) -> Plan:
    """Plan from a commit to the working tree, without an engine or a log. Raises CharterError, SiteInvalid."""
    repository = Repository.open(site)
    base = at_commit(repository, repository.resolve(revision))
    head = _working_tree(repository, site, say)
    moment = clock(may_inject=True).now()
    commits = None if head.commit is None else _commits(repository, base, head)
    compared = compare(
        engine_of(configuration.engine), base, head, commits, moment, opa=configuration.engine.opa
    )
    return offline_plan(compared, render(base.site, moment))


def _commits(repository: Repository, base: Loaded, head: Loaded) -> tuple[Commit, ...]:
    facts = history(repository, base.commit, str(head.commit))
    return commits_of(facts, verify_commits(facts, base.site.approvers))


def _working_tree(repository: Repository, site: Path, say: Callable[[str], None]) -> Loaded:
    changed = uncommitted(repository, site)
    commit = repository.head()
    if not changed and commit is not None:
        return at_commit(repository, commit)
    if commit is None and not changed:
        raise UsageError(f"{site}: holds no site; run: charter init {site}")
    say(f"note: {len(changed)} files are not committed; this plan includes them, apply would refuse them")
    return at_directory(site)
