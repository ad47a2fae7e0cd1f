"""A rig's scratch folder, and the promise that nothing of the rig outlives it.

Every process of a rig carries CHARTER_RIG=<scratch folder> in its environment, and so do its children, whatever they
fork and whoever adopts them. Ending a rig is: kill what bears the mark until nothing does, then remove the folder. A
rig whose owner died without doing so is found by its free lock file and ended by the next one.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.engines.errors import EngineError
from tests.engines.os_users import release_users

MARK = "CHARTER_RIG"
PREFIX = "charter-rig-"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class Scratch:
    """A folder under the system's temporary one, readable by every user (Slurm users read configuration in it)."""

    def __init__(self, name: str) -> None:
        end_abandoned()
        self.path = Path(tempfile.gettempdir()) / f"{PREFIX}{name}-{secrets.token_hex(4)}"
        self._lock: int | None = os.open(_lock_file(self.path), os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        # before the folder exists: without a lock held it looks abandoned
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        self._daemons: dict[str, subprocess.Popen[bytes]] = {}
        self.tools: Path | None = None
        self.folder()
        self.folder("log")
        self.folder("run")

    @property
    def environment(self) -> dict[str, str]:
        """What a process of this rig must have in its environment: the mark, and the system's PATH, `tools` first."""
        path = f"{self.tools}:{PATH}" if self.tools else PATH
        return {"PATH": path, "HOME": str(self.path), "LC_ALL": "C.UTF-8", MARK: str(self.path)}

    def folder(self, *parts: str, mode: int = 0o755) -> Path:
        """A folder below the scratch folder, made with `mode` if it is not there."""
        folder = self.path.joinpath(*parts)
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(mode)
        return folder

    def start(self, name: str, *argv: str | Path, environment: Mapping[str, str] | None = None) -> None:
        """Start one daemon that stays in the foreground; its output goes to log/NAME.out."""
        with (self.path / "log" / f"{name}.out").open("ab") as log:
            self._daemons[name] = subprocess.Popen(
                [str(word) for word in argv],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                cwd=self.path,
                env={**self.environment, **(environment or {})},
            )

    def stop(self, name: str) -> None:
        """End a daemon that `start` started, and wait for its end."""
        daemon = self._daemons.pop(name)
        daemon.terminate()
        try:
            daemon.wait(20)
        except subprocess.TimeoutExpired:
            daemon.kill()
            daemon.wait()

    def await_ready(self, name: str, ready: Callable[[], bool], seconds: float, *logs: str) -> None:
        """Poll `ready` until it is true. EngineError, with the ends of `logs`: daemon `name` ended, or time is up."""
        deadline = time.monotonic() + seconds
        while not ready():
            daemon = self._daemons.get(name)
            ended = daemon is not None and daemon.poll() is not None
            if ended or time.monotonic() > deadline:
                fault = "ended" if ended else f"was not ready after {seconds:g} s"
                raise EngineError(f"{name} {fault}; the end of its log:\n{self.tail(f'{name}.out', *logs)}")
            time.sleep(0.03)

    def tail(self, *names: str, lines: int = 15) -> str:
        """The last lines of these files of log/, for an error message; an absent one says so."""
        return "\n".join(_tail(self.path / "log" / name, lines) for name in names)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End every process of this rig and remove its folder. CHARTER_KEEP_RIG=1 keeps the folder."""
        lock, self._lock = self._lock, None
        if lock is None:
            return
        end_marked(self.path)
        for daemon in self._daemons.values():
            daemon.wait()
        release_users(self.path.name)
        if not os.environ.get("CHARTER_KEEP_RIG"):
            shutil.rmtree(self.path, ignore_errors=True)
        _lock_file(self.path).unlink(missing_ok=True)
        os.close(lock)


def marked(path: Path) -> tuple[int, ...]:
    """Process ids, this one apart, that belong to the rig in `path` and are not zombies."""
    mark = f"{MARK}={path}".encode()
    others = (
        int(entry.name)
        for entry in Path("/proc").iterdir()
        if entry.name.isdigit() and entry.name != str(os.getpid())
    )
    return tuple(pid for pid in others if (mark in _environment(pid) or _is_step(pid, path)) and _alive(pid))


def end_marked(path: Path, patience: float = 20.0) -> None:
    """Kill what bears the mark until nothing does. EngineError: something is still there after `patience` seconds."""
    deadline = time.monotonic() + patience
    while pids := marked(path):
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if time.monotonic() > deadline:
            raise EngineError(f"processes {pids} of the rig in {path} cannot be ended: look at them with ps")
        time.sleep(0.02)


def end_abandoned() -> None:
    """End the rigs whose owner is gone: their lock is free."""
    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        if path.is_dir() and _is_abandoned(path):
            end_marked(path)
            release_users(path.name)
            shutil.rmtree(path, ignore_errors=True)
            _lock_file(path).unlink(missing_ok=True)


def _is_abandoned(path: Path) -> bool:
    lock = _lock_file(path)
    if not lock.exists():
        return False
    with lock.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
    return True


def _lock_file(path: Path) -> Path:
    return path.with_name(f"{path.name}.lock")


def _environment(pid: int) -> list[bytes]:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []


def _is_step(pid: int, path: Path) -> bool:
    """A job's slurmstepd writes its title over its environment; it is known by its name and its folder instead."""
    process = Path(f"/proc/{pid}")
    try:
        is_step = process.joinpath("comm").read_text() == "slurmstepd\n"
        return is_step and process.joinpath("cwd").readlink().is_relative_to(path)
    except OSError:
        return False


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _tail(path: Path, lines: int) -> str:
    try:
        text = path.read_text(errors="replace").splitlines()[-lines:]
    except OSError:
        return f"--- {path.name}: not written"
    return "\n".join([f"--- {path.name}", *text])
