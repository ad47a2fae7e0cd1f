"""How a reconciliation is told to a person, and which confirmations there are."""

from __future__ import annotations

from collections.abc import Sequence

from reconciler.cli.common import say
from reconciler.errors import UsageError
from reconciler.loop.story import Told
from reconciler.plan.guards import CONFIRM_KINDS
from reconciler.report.text import summary, violation_line


def confirmations(kinds: Sequence[str]) -> frozenset[str]:
    """The confirmed kinds. Raises UsageError for an unknown one."""
    unknown = sorted(set(kinds) - set(CONFIRM_KINDS))
    if unknown:
        raise UsageError(f"--confirm {unknown[0]}: is none of {', '.join(CONFIRM_KINDS)}")
    return frozenset(kinds)


def tell(told: Told) -> None:
    """What was decided, what was done, and what waits for whom, on standard error."""
    for violation in told.plan.verdict.violations:
        say(f"policy {violation_line(violation)}")
    if not told.plan.verdict.allow:
        say("denied by policy; nothing was written")
        return
    for warning in told.plan.warnings:
        say(f"warning: {warning}")
    say(summary(told.plan))
    for target, sentence in sorted((told.result.sentences if told.result else {}).items()):
        say(f"{target}: {sentence}")
    if told.result is None and told.exit_code == 5:
        kinds = sorted({action.confirm for action in told.plan.actions if action.confirm})
        say(f"waiting: charter apply {' '.join(f'--confirm {kind}' for kind in kinds)}")
