"""Emptying a tier's list of prey, which slurmdbd takes badly.

After `Preempt=` (or `Preempt-=` of the last name) slurmdbd remembers that the QOS preempts number 0, and from then on calls every list
that names this QOS a "QOS Preemption loop", until it is restarted (seen on 22.05.8, 24.11.5 and 26.05.5). So a list that is to be
empty gets the name of a QOS that nobody may use. It reads as an empty list everywhere else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reconciler.plan.action import Change
from renderer.rules.qos import NOBODY

CLOSED = ("GrpJobs=0", "GrpSubmitJobs=0", "Description=stands for an empty Preempt")


def prey(text: str) -> str:
    """A list as slurmdbd shows it, without the stand-in."""
    return ",".join(sorted(set(filter(None, text.split(","))) - {NOBODY}))


def in_steps(changes: Sequence[Change]) -> Iterator[Change]:
    """First whatever shrinks a list, then what makes one grow: no moment has a loop, whatever order before and after have."""
    growing: list[Change] = []
    for change in changes:
        before, after = dict(change.before or {}), dict(change.after or {})
        held, wanted = _names(before), _names(after)
        if change.key.kind != "qos" or not wanted - held:
            yield change
        elif held - wanted:
            halfway = {**before, "preempt": ",".join(sorted(held & wanted))}
            yield Change(change.key, change.verb, before, halfway)
            growing.append(Change(change.key, change.verb, halfway, after))
        else:
            growing.append(change)
    yield from growing


def _names(fields: dict[str, str]) -> set[str]:
    return set(filter(None, fields.get("preempt", "").split(",")))
