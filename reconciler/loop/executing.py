"""Run the phases of a plan over all targets, then read back whether it is so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from reconciler.errors import CharterError
from reconciler.loop.planning import desired_of, observe
from reconciler.loop.sealing import Result
from reconciler.plan.build import Before
from reconciler.plan.diff import differences
from reconciler.plan.phases import PHASES, Phase, of_phase
from reconciler.plan.plan import Plan
from reconciler.system.lock import Deadline
from reconciler.targets.contract import Applied, Observation, Target
from renderer.model.site import Site
from renderer.rendering import Rendering
from renderer.resource import Key


@dataclass(slots=True)
class Progress:
    """What happened so far: actions run, what stopped it."""

    applied: list[Applied] = field(default_factory=list)
    failure: CharterError | None = None
    failed: str = ""

    @property
    def pending(self) -> dict[Key, str]:
        """Keys that wait for somebody, and why."""
        return {item.action.change.key: item.pending for item in self.applied if item.pending}


def run_phases(
    targets: Sequence[Target],
    site: Site,
    plan: Plan,
    rendering: Rendering,
    confirmed: frozenset[str],
    fence: Deadline,
) -> Progress:
    """Create and grow, shrink, remove. A failure stops everything after it; removal walks the targets backwards."""
    progress = Progress()
    for phase in PHASES:
        for target in _order(targets, phase):
            actions = of_phase(plan.of_target(target.name), phase)
            if actions and progress.failure is None:
                try:
                    desired = desired_of(target, rendering)
                    progress.applied += target.apply(site, phase, actions, desired, confirmed, fence)
                except CharterError as error:
                    progress.failure, progress.failed = error, target.name
    return progress


def _order(targets: Sequence[Target], phase: Phase) -> Sequence[Target]:
    return list(reversed(targets)) if phase == "remove" else targets


def read_back(
    targets: Sequence[Target],
    site: Site,
    plan: Plan,
    rendering: Rendering,
    before: Before,
    progress: Progress,
) -> tuple[dict[str, Observation], Result]:
    """Observe again; what this apply wrote and still differs, other than what waits, is a failure."""
    observed = observe(targets, site, rendering, before)
    sentences = {
        target.name: _sentence(target, plan, rendering, before, observed[target.name], progress)
        for target in targets
    }
    return observed, Result(_status(sentences), sentences)


def _sentence(
    target: Target, plan: Plan, rendering: Rendering, before: Before, seen: Observation, progress: Progress
) -> str:
    if progress.failed == target.name:
        return f"failed: {progress.failure}"
    actions = plan.of_target(target.name)
    written = {action.change.key for action in actions}
    pending = {key: why for key, why in progress.pending.items() if key in written}
    left = [
        change.key
        for change in differences(desired_of(target, rendering), seen.resources, before.owned)
        if change.key in written and change.key not in pending
    ]
    if progress.failure is not None and left:
        return f"not reached: {len(left)} actions wait for the next run"
    if left:
        return f"failed: {_named(left)} read back otherwise than written"
    if pending:
        return f"pending: {'; '.join(f'{key.kind} {key.name}: {why}' for key, why in sorted(pending.items(), key=str))}"
    return f"done: {len(actions)} actions" if actions else "done: nothing to do"


def _named(keys: Sequence[Key]) -> str:
    names = ", ".join(f"{key.kind} {key.name}" for key in keys[:5])
    return names + (f" and {len(keys) - 5} more" if len(keys) > 5 else "")


def _status(sentences: Mapping[str, str]) -> str:
    states = {sentence.partition(":")[0] for sentence in sentences.values()}
    if states & {"failed", "not reached"}:
        return "failed"
    return "pending" if "pending" in states else "complete"
