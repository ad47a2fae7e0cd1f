"""From two sides and the live engines to a Plan: the same for `plan`, `apply` and the loop."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from reconciler.gate.change import Commit
from reconciler.gate.policy import policy_digest
from reconciler.gate.verdict import Verdict
from reconciler.loop.inputs import Loaded
from reconciler.plan.action import Action
from reconciler.plan.build import Before, Sight, actions_of
from reconciler.plan.capacity import rows
from reconciler.plan.digests import change_digest, live_digest
from reconciler.plan.plan import Plan, Revision
from reconciler.source.history import CommitFacts
from reconciler.targets.contract import Observation, Target
from reconciler.trust.signatures import Signed
from reconciler.version import VERSION
from renderer.model.site import Site
from renderer.rendering import Rendering
from renderer.resource import Key, Resource


@dataclass(frozen=True, slots=True)
class Compared:
    """The content of a plan that needs no engine."""

    base: Loaded | None
    head: Loaded
    rendering: Rendering
    verdict: Verdict
    remarks: tuple[str, ...]

    @property
    def policy(self) -> str:
        """Digest of the Rego sources in force at the head."""
        return policy_digest(self.head.site.rego)

    @property
    def change(self) -> str:
        """The change digest."""
        base = self.base.site.digest if self.base else None
        return change_digest(base, self.head.site.digest, VERSION, self.policy)


def desired_of(target: Target, rendering: Rendering) -> tuple[Resource, ...]:
    """What a target should hold."""
    return tuple(item for engine in target.engines for item in rendering.of(engine))


def observe(
    targets: Sequence[Target], site: Site, rendering: Rendering, before: Before
) -> dict[str, Observation]:
    """Live state of every target, by its name."""
    return {
        target.name: target.observe(site, desired_of(target, rendering), before.owned) for target in targets
    }


def live_plan(
    compared: Compared,
    targets: Sequence[Target],
    observed: Mapping[str, Observation],
    before: Before,
    now: datetime,
) -> Plan:
    """The plan against live targets, as they were at `now`."""
    site = compared.head.site
    parts = [
        actions_of(
            _sight(target, site, compared.rendering, observed[target.name], now), before, site.cluster.manage
        )
        for target in targets
    ]
    live = [item for seen in observed.values() for item in seen.resources.values()]
    return _plan(
        compared,
        actions=tuple(action for actions, _ in parts for action in actions),
        drift=tuple(action for _, drift in parts for action in drift),
        foreign={name: seen.foreign for name, seen in observed.items()},
        live=live_digest(compared.change, live),
        warnings=tuple(sentence for seen in observed.values() for sentence in seen.warnings),
    )


def offline_plan(compared: Compared, earlier: Rendering | None) -> Plan:
    """The plan between two commits, as if what the base renders were live."""
    observed = {item.key: item for item in (earlier.resources if earlier else ())}
    sights = [_offline(engine, compared.rendering, observed) for engine in ("slurm", "kubernetes")]
    before = Before(frozenset(observed), {})
    manage = compared.head.site.cluster.manage
    actions = tuple(action for sight in sights for action in actions_of(sight, before, manage)[0])
    return _plan(compared, actions=actions, drift=(), foreign={}, live=None)


def commits_of(facts: Sequence[CommitFacts], signed: Sequence[Signed]) -> tuple[Commit, ...]:
    """What the gate is told of the commits: only verified principals have a name there."""
    known = {item.id: item.principal for item in signed}
    return tuple(Commit(item.id, item.paths, known.get(item.id)) for item in facts)


def identity(commit: str, compared: Compared) -> str:
    """SHA-256 (hex) of the applied identity: commit, Charter version, policy and renderings."""
    lines = [commit, VERSION, compared.policy, *renderings(compared.rendering)]
    return hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()


def renderings(rendering: Rendering) -> list[str]:
    """`engine sha256` of each engine."""
    return [f"kubernetes {rendering.digest('kubernetes')}", f"slurm {rendering.digest('slurm')}"]


def _sight(target: Target, site: Site, rendering: Rendering, seen: Observation, now: datetime) -> Sight:
    return Sight(
        name=target.name,
        desired=desired_of(target, rendering),
        observed=seen.resources,
        foreign=seen.foreign,
        restart_class=lambda change: target.restart_class(change, site),
        jobs=target.jobs,
        now=now,
    )


def _offline(engine: str, rendering: Rendering, observed: Mapping[Key, Resource]) -> Sight:
    return Sight(
        name=engine,
        desired=tuple(item for item in rendering.resources if item.key.engine == engine),
        observed={key: item for key, item in observed.items() if key.engine == engine},
        foreign=(),
        restart_class=lambda _change: "none",
        jobs=lambda _changes: {},
    )


def _plan(
    compared: Compared,
    *,
    actions: tuple[Action, ...],
    drift: tuple[Action, ...],
    foreign: Mapping[str, tuple[Key, ...]],
    live: str | None,
    warnings: tuple[str, ...] = (),
) -> Plan:
    base, head = compared.base, compared.head
    return Plan(
        base=Revision(base.commit, base.site.digest) if base else None,
        head=Revision(head.commit, head.site.digest),
        actions=actions,
        drift=drift,
        foreign=foreign,
        remarks=compared.remarks,
        verdict=compared.verdict,
        capacity=rows(base.site if base else None, head.site),
        change_digest=compared.change,
        live_digest=live,
        charter=VERSION,
        policy_digest=compared.policy,
        warnings=warnings,
    )
