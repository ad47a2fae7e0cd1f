"""An intent that nobody closed: ours after a crash, or another writer's that may still be at work."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

from reconciler.audit.log import Entry
from reconciler.errors import Locked
from reconciler.loop.inputs import Applied
from reconciler.loop.sealing import close_interrupted
from reconciler.loop.world import World
from reconciler.system.files import atomic_write, read_regular

_GRACE = timedelta(seconds=30)


def note(world: World, intent: Entry) -> None:
    """Remember that this intent is ours, so that the next holder of the lock here may close it at once."""
    atomic_write(_memory(world), f"{intent.record.sha256}\n".encode(), 0o600)


def close_open(world: World, before: Applied) -> bool:
    """Close an open intent; True when there was one. Raises Locked while another writer may still be acting under it."""
    intent = world.log.open_intent()
    if intent is None:
        return False
    if not _ours(world, intent):
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


def _ours(world: World, intent: Entry) -> bool:
    path = _memory(world)
    return path.exists() and read_regular(path, 200).decode(errors="replace").strip() == intent.record.sha256


def _memory(world: World) -> Path:
    return world.configuration.state_dir / "intent"
