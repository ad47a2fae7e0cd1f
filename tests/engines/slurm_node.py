"""The death of one node of a rig, of which all share a machine: which processes were its own."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path

from tests.engines.scratch import marked


def kill_node(root: Path, name: str) -> None:
    """Kill slurmd, then the steps and the tasks of its jobs, so that nothing reports their end."""
    daemon = int((root / "run" / f"slurmd-{name}.rig").read_text())
    tasks = [pid for pid in marked(root) if _is_task(pid, name)]
    for pid in (daemon, *{_parent(pid) for pid in tasks} - {1}, *tasks):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _is_task(pid: int, name: str) -> bool:
    try:
        held = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False
    return f"SLURMD_NODENAME={name}".encode() in held


def _parent(pid: int) -> int:
    """Parent of a process; 1 where it is gone."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 1
