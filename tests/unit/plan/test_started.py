"""A reservation under way is changed or ended only when confirmed; one to come, or one that is over, at once."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from reconciler.plan.action import Action, Change, Verb
from reconciler.plan.guards import unconfirmed
from reconciler.plan.started import has_begun
from renderer.resource import Key

LIVE = {"start_time": "2026-12-01T08:00:00Z", "duration": "3600", "accounts": "a"}


@pytest.mark.parametrize(
    ("verb", "now", "begun"),
    [
        ("update", "07:59:59", False),
        ("update", "08:00:00", True),
        ("delete", "08:59:59", True),
        ("update", "09:00:00", False),
        ("create", "08:30:00", False),
    ],
)
def test_from_its_live_start_to_its_live_end(verb: Verb, now: str, begun: bool) -> None:
    before = None if verb == "create" else LIVE
    after = None if verb == "delete" else {**LIVE, "accounts": "a,b"}
    change = Change(Key("slurm", "reservation", "run"), verb, before, after)
    assert has_begun(change, datetime.fromisoformat(f"2026-12-01T{now}").replace(tzinfo=UTC)) is begun


def test_another_kind_never_has() -> None:
    change = Change(Key("slurm", "qos", "high"), "update", LIVE, LIVE)
    assert not has_begun(change, datetime(2026, 12, 1, 8, 30, tzinfo=UTC))


def test_the_refusal_says_what_would_change_and_how_to_confirm() -> None:
    change = Change(Key("slurm", "reservation", "run"), "update", LIVE, {**LIVE, "accounts": "a,b"})
    action = Action("slurm", change, "", "none", True, "reservations")
    (missing,) = unconfirmed([action], [], frozenset(), frozenset({"jobs"}))
    assert missing.sentence == (
        "reservation run, under way since 2026-12-01T08:00:00Z, would change (accounts a -> a,b); "
        "if that is meant, apply with --confirm reservations"
    )
    assert unconfirmed([action], [], frozenset(), frozenset({"reservations"})) == ()
    ended = Action("slurm", Change(change.key, "delete", LIVE, None), "", "none", False, "reservations")
    assert (
        "under way since 2026-12-01T08:00:00Z, would end;"
        in unconfirmed([ended], [], frozenset(), frozenset())[0].sentence
    )
