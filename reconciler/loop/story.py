"""One reconciliation from beginning to end, as a story: fetch, verify, load, gate, plan, check, seal, apply, verify, seal.

Called by `apply`, `reconcile --once` and the loop alike. It may stop anywhere; the next run closes the open intent and
carries on from what is live.
"""

from __future__ import annotations

from dataclasses import dataclass

from reconciler.errors import Incomplete, Stale
from reconciler.loop import fencing
from reconciler.loop.executing import read_back, run_phases
from reconciler.loop.fetching import head_commit
from reconciler.loop.inputs import Applied, applied, at_commit
from reconciler.loop.judging import base_of, compare, descends, trusted
from reconciler.loop.opening import ensure_log
from reconciler.loop.planning import Compared, desired_of, identity, live_plan, observe, offline_plan
from reconciler.loop.sealing import Result, seal_drift, seal_intent, seal_outcome
from reconciler.loop.waiting import only_waiting
from reconciler.loop.world import World
from reconciler.plan.guards import unconfirmed
from reconciler.plan.plan import Plan
from reconciler.system.lock import Deadline, exclusive
from reconciler.targets.contract import Mark, Observation


@dataclass(frozen=True, slots=True)
class Told:
    """How a reconciliation ended: the exit code, the plan it worked on, and a sentence a target where it applied."""

    exit_code: int
    plan: Plan
    result: Result | None = None


def reconcile(world: World, confirmed: frozenset[str] = frozenset(), expected: str | None = None) -> Told:
    """Bring the live engines to the newest commit. `expected` is the live digest that a plan promised. Raises CharterError."""
    with exclusive(world.configuration.state_dir):
        # 1. Fetch, and see what was applied last.
        world.push_unsent()
        commit = head_commit(world)
        before = applied(world.log)
        descends(world.repository, before, commit)

        # 2. Load both sides; verify who signed; render; ask the gate.
        head, base = at_commit(world.repository, commit), base_of(world.repository, before)
        signed = trusted(world.repository, base, head, world.log.last("genesis"))
        opa = world.configuration.engine.opa
        compared = compare(
            world.engine, base, head, signed.commits, world.clock.now(), opa=opa, remarks=signed.remarks
        )
        if not compared.verdict.allow:
            return Told(3, offline_plan(compared, None))

        # 3. Look at the live engines: the right ones, and only then what they hold.
        for target in world.targets:
            target.identify(head.site)
        ensure_log(world, head)
        if fencing.close_open(world, before):
            before = applied(world.log)
        plan, observed = _look(world, compared, before)
        _expect(plan, expected)

        # 4. Nothing to do is nothing written.
        if not plan.actions and before.settled(identity(commit, compared)):
            return _in_sync(world, plan, compared)
        if only_waiting(world, plan, before, identity(commit, compared), confirmed):
            return Told(5, plan)

        # 5. Confirmations, then let each engine judge the change without making it.
        _confirm(plan, observed, before, confirmed)
        for target in world.targets:
            target.check(head.site, plan.of_target(target.name), desired_of(target, compared.rendering))

        # 6. Say it, do it, read it back, say how it went.
        fence = Deadline(world.clock, world.clock.monotonic() + world.configuration.deadline_seconds)
        intent = seal_intent(world, plan, compared, signed)
        for target in world.targets:
            target.stamp(Mark(intent.record.seq, identity(commit, compared)))
        progress = run_phases(world.targets, head.site, plan, compared.rendering, confirmed, fence)
        seen, result = read_back(world.targets, head.site, plan, compared.rendering, before.before, progress)
        seal_outcome(world, intent, compared, seen, before, result)
        if isinstance(progress.failure, Stale):
            raise progress.failure
        return Told(0 if result.status == "complete" and not plan.drift else _code(result), plan, result)


def _look(world: World, compared: Compared, before: Applied) -> tuple[Plan, dict[str, Observation]]:
    observed = observe(world.targets, compared.head.site, compared.rendering, before.before)
    return live_plan(compared, world.targets, observed, before.before, world.clock.now()), observed


def _expect(plan: Plan, expected: str | None) -> None:
    if expected is not None and plan.live_digest != expected:
        raise Stale(
            f"the plan's digest was {expected[:12]}…, now it is {str(plan.live_digest)[:12]}…: the commit or live state moved; "
            "look at the new plan"
        )


def _in_sync(world: World, plan: Plan, compared: Compared) -> Told:
    if plan.drift:
        seal_drift(world, plan, compared)
    world.log.remember()
    return Told(2 if plan.drift else 0, plan)


def _confirm(
    plan: Plan, observed: dict[str, Observation], before: Applied, confirmed: frozenset[str]
) -> None:
    live = [key for seen in observed.values() for key in seen.resources]
    missing = unconfirmed(plan.actions, live, before.before.owned, confirmed)
    if missing:
        raise Incomplete("; ".join(item.sentence for item in missing))


def _code(result: Result) -> int:
    return 2 if result.status == "complete" else 5
