"""Every command that Charter runs: no shell, a time-out, bounded output, and its whole process group ended with it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from reconciler.errors import Terminal, Unreachable

LIMIT = 256 << 20


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
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        try:
            process = subprocess.Popen(
                list(argv),
                stdin=subprocess.PIPE,
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
            process.communicate(stdin, timeout=max(timeout, 0.001))
        except subprocess.TimeoutExpired:
            raise Unreachable(f"{argv[0]}: gave no answer in {timeout:.0f} s; is its server up?") from None
        finally:
            _end(process)
        return Completed(
            tuple(argv), process.returncode, _read(out, limit, argv[0]), _read(err, limit, argv[0])
        )


def installed(command: str) -> bool:
    """True where the command is found on PATH."""
    return shutil.which(command) is not None


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _read(stream: IO[bytes], limit: int, command: str) -> bytes:
    stream.seek(0)
    content = stream.read(limit + 1)
    if len(content) > limit:
        raise Terminal(f"{command}: printed more than {limit} bytes; it was not read")
    return content
