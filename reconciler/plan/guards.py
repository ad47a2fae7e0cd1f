"""What a person must confirm before it happens: mass removal, work that would end, a reservation that is under way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reconciler.plan.action import Action
from reconciler.plan.started import started
from renderer.resource import Key

CONFIRM_KINDS = ("jobs", "accounts", "qos", "reservations", "nodes", "namespaces", "storage")
_KIND = {
    "account": "accounts",
    "association": "accounts",
    "coordinator": "accounts",
    "qos": "qos",
    "reservation": "reservations",
    "Node": "nodes",
    "Namespace": "namespaces",
    "PersistentVolumeClaim": "storage",
}
_SHARE = 0.30
_FLOOR = 10


@dataclass(frozen=True, slots=True)
class Unconfirmed:
    """A refusal that `--confirm kind` lifts; `sentence` gives the numbers and the way out."""

    kind: str
    sentence: str


def confirm_kind(key: Key) -> str | None:
    """KIND of `--confirm` under which removals of this resource count; None where none guards it."""
    return _KIND.get(key.kind)


def unconfirmed(
    actions: Sequence[Action], observed: Iterable[Key], owned: frozenset[Key], confirmed: frozenset[str]
) -> tuple[Unconfirmed, ...]:
    """Everything that has to be confirmed before the plan is begun."""
    return (
        *mass_removals(actions, observed, owned, confirmed),
        *jobs_on_leaving_nodes(actions, confirmed),
        *started_reservations(actions, confirmed),
    )


def mass_removals(
    actions: Sequence[Action], observed: Iterable[Key], owned: frozenset[Key], confirmed: frozenset[str]
) -> tuple[Unconfirmed, ...]:
    """Kinds of which more than 30 % of what Charter owns live, and ten or more, would be removed unconfirmed."""
    total = Counter(kind for key in observed if key in owned and (kind := confirm_kind(key)))
    gone = Counter(
        kind for item in actions if item.change.verb == "delete" and (kind := confirm_kind(item.change.key))
    )
    return tuple(
        Unconfirmed(kind, _sentence(kind, gone[kind], total))
        for kind in sorted(gone)
        if kind not in confirmed and gone[kind] >= _FLOOR and gone[kind] > _SHARE * total[kind]
    )


def jobs_on_leaving_nodes(actions: Sequence[Action], confirmed: frozenset[str]) -> tuple[Unconfirmed, ...]:
    """A configuration that ends jobs at once can't wait for them as a removal does, so it isn't begun unconfirmed."""
    ended = [
        job
        for item in actions
        if item.confirm == "nodes" and item.change.verb != "delete"
        for job in item.jobs
        if job.ends
    ]
    if not ended or "nodes" in confirmed:
        return ()
    some = ", ".join(job.id for job in ended[:10])
    what = f"{len(ended)} jobs would end with their nodes ({some})"
    return (Unconfirmed("nodes", f"{what}; drain the nodes first, or apply with --confirm nodes"),)


def started_reservations(actions: Sequence[Action], confirmed: frozenset[str]) -> tuple[Unconfirmed, ...]:
    """Reservations under way that would be changed or ended: whoever holds one has planned with it."""
    begun = [item for item in actions if item.confirm == "reservations"]
    if not begun or "reservations" in confirmed:
        return ()
    some = "; ".join(started(item.change) for item in begun[:10])
    return (Unconfirmed("reservations", f"{some}; if that is meant, apply with --confirm reservations"),)


def _sentence(kind: str, gone: int, total: Mapping[str, int]) -> str:
    share = 100.0 * gone / max(total[kind], 1)
    return (
        f"{share:.1f} % of {kind} would go ({gone} of {total[kind]}, limit {100 * _SHARE:.0f} %); "
        f"if that is meant, apply with --confirm {kind}"
    )
