"""The plan as a comment for a pull request: capacity before and after, verdicts, folded details, the next command."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from reconciler.gate.verdict import Violation
from reconciler.plan.action import Action, Job
from reconciler.plan.capacity import CapacityRow
from reconciler.plan.plan import Plan
from reconciler.report.text import moved, summary
from reconciler.report.values import SYMBOL, differing
from renderer.printable import one_line

_LINES_SHOWN = 200
_MARKS = {ord(mark): f"&#{ord(mark)};" for mark in "&\\`*_~|<>[]$"} | {
    # Forges look for mentions and references after entities are decoded: only a character in between stops them.
    ord(mark): f"{mark}&#8203;"
    for mark in "@#"
}


def text(plan: Plan) -> str:
    """GitHub-flavoured Markdown; names and values from the site are escaped or fenced."""
    return "\n".join(_lines(plan)) + "\n"


def _lines(plan: Plan) -> Iterator[str]:
    yield f"### Charter: {summary(plan)}"
    yield ""
    yield from _capacity(plan.capacity)
    yield from _verdict(plan)
    for target, actions in groupby(sorted(plan.actions, key=_target), key=_target):
        yield from _details(f"{target}: what would change", list(actions))
    yield from _details("Drift, reported only", plan.drift)
    yield from (f"- **{_escape(warning)}**" for warning in plan.warnings)
    yield from (f"- {_escape(remark)}" for remark in plan.remarks)
    yield ""
    yield _next(plan)
    yield ""
    yield f"<sub>change digest `{plan.change_digest}`</sub>"


def _target(action: Action) -> str:
    return action.target


def _capacity(rows: Sequence[CapacityRow]) -> Iterator[str]:
    yield "| plane | model | holder | guaranteed | limit | capacity |"
    yield "|---|---|---|---|---|---|"
    for row in rows:
        holder = "**all**" if row.holder == "~all" else _escape(row.holder)
        size = str(row.capacity) if row.holder == "~all" else ""
        yield (
            f"| {row.plane} | {_escape(row.model)} | {holder} | {moved(row.guarantee_before, row.guarantee)} "
            f"| {moved(row.limit_before, row.limit)} | {size} |"
        )
    yield ""


def _verdict(plan: Plan) -> Iterator[str]:
    yield f"**Policy: {'allowed' if plan.verdict.allow else 'denied'}**"
    yield ""
    for violation in plan.verdict.violations:
        yield _violation(violation)
    yield ""


def _violation(violation: Violation) -> str:
    waived = f" _(waived: {_escape(violation.waived_by)})_" if violation.waived_by else ""
    where = f"{_code(violation.where)} " if violation.where else ""
    return (
        f"- {violation.severity} {where}{_code(violation.id)}: {_escape(violation.message)}; "
        f"{_escape(violation.remedy)}{waived}"
    )


def _details(title: str, actions: Sequence[Action]) -> Iterator[str]:
    if not actions:
        return
    lines = [one_line(line) for action in actions for line in _action(action)]
    fence = _fence(lines)
    yield f"<details><summary>{_escape(title)} ({len(actions)})</summary>"
    yield ""
    yield f"{fence}diff"
    yield from lines[:_LINES_SHOWN]
    if len(lines) > _LINES_SHOWN:
        yield f"… {len(lines) - _LINES_SHOWN} more lines: charter plan --format text"
    yield fence
    yield "</details>"
    yield ""


def _action(action: Action) -> Iterator[str]:
    change = action.change
    yield f"{_mark(SYMBOL[change.verb])} {change.key.kind} {change.key.name}: {action.why}"
    for line in differing(change):
        yield f"{_mark(line[:1])}     {line[2:]}"
    if action.jobs:
        for effect in sorted({job.effect for job in action.jobs}):
            yield _hit([job for job in action.jobs if job.effect == effect], effect)
    if action.confirm:
        yield f"!     needs --confirm {action.confirm}"


def _hit(jobs: Sequence[Job], effect: str) -> str:
    gpus = sum(job.gpus for job in jobs)
    ids = ", ".join(job.id for job in jobs[:20])
    return f"!     hits {len(jobs)} jobs on {gpus} GPUs{f' ({effect})' if effect else ''}: {ids}"


def _mark(symbol: str) -> str:
    return "!" if symbol == "~" else symbol


def _next(plan: Plan) -> str:
    if not plan.verdict.allow:
        return "Next: mend what policy denies, and push again."
    kinds = sorted({action.confirm for action in plan.actions if action.confirm})
    flags = "".join(f" --confirm {kind}" for kind in kinds)
    return f"Next: merge; the reconciler applies it, or run `charter apply{flags}`."


def _escape(value: str) -> str:
    return one_line(value).translate(_MARKS)


def _code(value: str) -> str:
    """A code span whose fence is longer than any run of backticks inside."""
    plain = one_line(value)
    fence = "`" * (_longest([plain]) + 1)
    space = " " if plain.startswith("`") or plain.endswith("`") else ""
    return f"{fence}{space}{plain}{space}{fence}"


def _fence(lines: Sequence[str]) -> str:
    return "`" * max(3, _longest(lines) + 1)


def _longest(lines: Sequence[str]) -> int:
    return max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
