"""An intent that nobody closed: ours after a crash, or another writer's that may still be at work."""

from __future__ import annotations

from datetime import datetime, timedelta

from reconciler.audit.log import Entry
from reconciler.errors import Locked
from reconciler.loop.inputs import Applied
from reconciler.loop.own_intent import is_ours
from reconciler.loop.sealing import close_interrupted
from reconciler.loop.world import World

_GRACE = timedelta(seconds=30)


def close_open(world: World, before: Applied) -> bool:
    """Close an open intent; True when there was one. Raises Locked while another writer may still be acting under it."""
    intent = world.log.open_intent()
    if intent is None:
        return False
    if not is_ours(world, intent.record):
        _wait_out(world, intent)
    world.say(f"closing intent {intent.record.seq}, which its writer left open")
    close_interrupted(world, intent, before)
    return True


def _wait_out(world: World, intent: Entry) -> None:
    until = datetime.fromisoformat(intent.record.one("deadline")) + _GRACE
    left = (until - world.clock.now()).total_seconds()
    if left > 0:
        raise Locked(
            f"intent {intent.record.seq} of another writer is open until {intent.record.one('deadline')}; "
            f"it can be closed from here in {left:.0f} s",
        )
