"""Which intent is ours: kept in state_dir, so that after a crash the next holder of the lock here may close it at once."""

from __future__ import annotations

from pathlib import Path

from reconciler.audit.record import Record
from reconciler.loop.world import World
from reconciler.system.files import atomic_write, read_regular


def note(world: World, record: Record) -> None:
    """Remember an intent as ours, before it is sealed: a crash in between leaves a note of nothing, which harms nobody."""
    atomic_write(_path(world), f"{record.sha256}\n".encode(), 0o600)


def is_ours(world: World, record: Record) -> bool:
    """True for the intent noted last. Raises Terminal for a note that can't be read."""
    path = _path(world)
    return path.exists() and read_regular(path, 200).decode(errors="replace").strip() == record.sha256


def _path(world: World) -> Path:
    return world.configuration.state_dir / "intent"
