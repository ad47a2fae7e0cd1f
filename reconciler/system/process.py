"""Every command that Charter runs: no shell, a time-out, bounded output, and its whole process group ended with it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from reconciler.errors import Terminal, Unreachable

LIMIT = 256 << 20
_LOOK = 0.5
"""Seconds between two looks at how much a running command has printed."""


@dataclass(frozen=True, slots=True)
class Completed:
    """How a command ended."""

    argv: tuple[str, ...]
    code: int
    stdout: bytes
    stderr: bytes

    @property
    def out(self) -> str:
        """Standard output as text; what isn't UTF-8 is replaced."""
        return self.stdout.decode(errors="replace")

    @property
    def err(self) -> str:
        """Standard error as text, stripped."""
        return self.stderr.decode(errors="replace").strip()


def run(
    argv: Sequence[str],
    *,
    timeout: float,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    stdin: bytes = b"",
    limit: int = LIMIT,
) -> Completed:
    """Run a command to its end. Raises Terminal when it isn't there, Unreachable when it takes longer than `timeout` seconds."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(stdin)
        given.seek(0)
        try:
            process = subprocess.Popen(
                list(argv),
                stdin=given,
                stdout=out,
                stderr=err,
                env=None if env is None else {**os.environ, **env},
                cwd=cwd,
                start_new_session=True,
            )
        except OSError as error:
            raise Terminal(
                f"{argv[0]}: cannot be started ({error.strerror}); install it or mend PATH"
            ) from None
        try:
            for _ in _looks(process, timeout):
                _within(out, limit, argv[0])
                _within(err, limit, argv[0])
        except subprocess.TimeoutExpired:
            raise Unreachable(
                f"{argv[0]}: gave no answer in {timeout:.0f} s and was ended; is what it waits for up?"
            ) from None
        finally:
            _end(process)
        return Completed(
            tuple(argv), process.returncode, _read(out, limit, argv[0]), _read(err, limit, argv[0])
        )


def _looks(process: subprocess.Popen[bytes], timeout: float) -> Iterator[None]:
    """Wait for its end, yielding now and then. Raises TimeoutExpired when it takes longer than `timeout` seconds."""
    end = time.monotonic() + max(timeout, 0.001)
    while True:
        left = end - time.monotonic()
        try:
            process.wait(max(min(left, _LOOK), 0.001))
        except subprocess.TimeoutExpired:
            if left <= _LOOK:
                raise
        else:
            return
        yield


def installed(command: str) -> bool:
    """True where the command is found on PATH."""
    return shutil.which(command) is not None


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _within(stream: IO[bytes], limit: int, command: str) -> None:
    if os.fstat(stream.fileno()).st_size > limit:
        raise Terminal(
            f"{command}: printed more than {limit} bytes; it was stopped and nothing of it was read"
        )


def _read(stream: IO[bytes], limit: int, command: str) -> bytes:
    _within(stream, limit, command)
    stream.seek(0)
    return stream.read(limit)
