"""The plan for a terminal, with OpenTofu's symbols and summary line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reconciler.gate.verdict import Violation
from reconciler.plan.action import Action, Job
from reconciler.plan.capacity import CapacityRow
from reconciler.plan.plan import Plan, counts
from reconciler.report.values import SYMBOL, differing
from renderer.printable import one_line

_VERB = {"create": "will be created", "update": "will be changed", "delete": "will be destroyed"}
_JOBS_SHOWN = 20


def text(plan: Plan) -> str:
    """Everything a person needs to decide, ending with the summary."""
    return "\n".join(map(one_line, _lines(plan))) + "\n"


def _lines(plan: Plan) -> Iterator[str]:
    yield from _head(plan)
    for action in plan.actions:
        yield from _action(action)
    yield from _drift(plan.drift)
    yield from _foreign(plan)
    yield from capacity_lines(plan.capacity)
    for warning in plan.warnings:
        yield f"Warning: {warning}"
    for remark in plan.remarks:
        yield f"Note: {remark}"
    yield from _verdict(plan)
    yield ""
    yield summary(plan)


def _head(plan: Plan) -> Iterator[str]:
    head = plan.head.commit or "working tree (uncommitted)"
    base = (plan.base.commit or "an uncommitted tree") if plan.base else "nothing (first apply)"
    yield f"Charter {plan.charter} compares {head} with {base}."
    yield ""


def _action(action: Action) -> Iterator[str]:
    change = action.change
    yield f"  # {action.target}: {change.key.kind} {change.key.name} {_VERB[change.verb]} ({action.why})"
    yield f"  {SYMBOL[change.verb]} {change.key.kind} {change.key.name}"
    for line in differing(change):
        yield f"      {line}"
    yield from _consequences(action)
    yield ""


def _consequences(action: Action) -> Iterator[str]:
    if action.restart != "none":
        yield f"      takes effect by: {action.restart}"
    if not action.reversible:
        yield "      cannot be undone by reverting the commit"
    if action.confirm:
        yield f"      needs --confirm {action.confirm}"
    yield from _jobs(action.jobs)


def _jobs(jobs: Sequence[Job]) -> Iterator[str]:
    for job in jobs[:_JOBS_SHOWN]:
        yield (
            f"      hits job {job.id} of {job.owner} ({job.account}): {job.state.lower()}, "
            f"{job.gpus} GPUs, {job.elapsed_seconds} s elapsed{f'; {job.effect}' if job.effect else ''}"
        )
    if len(jobs) > _JOBS_SHOWN:
        yield f"      and {len(jobs) - _JOBS_SHOWN} more jobs"


def _drift(drift: Sequence[Action]) -> Iterator[str]:
    if drift:
        yield "Drift: changed outside of git, reported and not mended (manage is 'report'):"
    for action in drift:
        yield f"  ! {action.target}: {action.change.key.kind} {action.change.key.name}"
        for line in differing(action.change):
            yield f"      {line}"
    if drift:
        yield ""


def _foreign(plan: Plan) -> Iterator[str]:
    for target, keys in sorted(plan.foreign.items()):
        if keys:
            names = ", ".join(f"{key.kind} {key.name}" for key in keys[:10])
            more = f" and {len(keys) - 10} more" if len(keys) > 10 else ""
            yield f"Not Charter's on {target}, left alone: {names}{more}."


def capacity_lines(rows: Sequence[CapacityRow]) -> Iterator[str]:
    """A line for each grant that changed, and for each plane's total."""
    for row in rows:
        if row.holder == "~all":
            yield (
                f"Capacity of {row.plane}, {row.model}: {row.capacity} GPUs, guaranteed "
                f"{moved(row.guarantee_before, row.guarantee)}, limits {moved(row.limit_before, row.limit)}."
            )


def moved(before: int | None, after: int) -> str:
    """`12`, or `8 -> 12` where it moved."""
    return str(after) if before in (None, after) else f"{before} -> {after}"


def _verdict(plan: Plan) -> Iterator[str]:
    yield ""
    yield f"Policy: {'allowed' if plan.verdict.allow else 'DENIED'}."
    for violation in plan.verdict.violations:
        yield f"  {violation_line(violation)}"


def violation_line(violation: Violation) -> str:
    """One violation in a line."""
    waived = f" (waived: {violation.waived_by})" if violation.waived_by else ""
    where = f"{violation.where}: " if violation.where else ""
    return f"{violation.severity}: {where}[{violation.id}] {violation.message}; {violation.remedy}{waived}"


def summary(plan: Plan) -> str:
    """OpenTofu's closing line."""
    if not plan.actions:
        return (
            "No changes. What is declared is what is live."
            if not plan.drift
            else "No changes; drift is reported above."
        )
    add, change, destroy = counts(plan.actions)
    return f"Plan: {add} to add, {change} to change, {destroy} to destroy."
