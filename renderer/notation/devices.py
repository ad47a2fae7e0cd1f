"""Device files as gres.conf names them: one folder, and a host list's ranges at the end."""

from __future__ import annotations

from renderer.notation.hostlist import expand


def device_files(text: str) -> tuple[str, ...]:
    """`/dev/nvidia[0-7]` as eight paths. Raises NotationError."""
    folder, _, names = text.rpartition("/")
    return tuple(f"{folder}/{name.removeprefix('d')}" for name in expand(f"d{names}"))
