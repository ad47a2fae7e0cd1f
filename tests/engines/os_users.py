"""Users of the operating system for jobs to run as: Slurm starts a job only for a user that the node knows.

A user made here says so in its comment field, and only such users are ever removed. Rigs that run at the same time may
ask for the same names: each holds a claim, and the last one to let go removes the user.
"""

from __future__ import annotations

import fcntl
import pwd
import re
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.engines.errors import EngineError

COMMENT = "made by a charter rig"
NAME = re.compile(r"[a-z][a-z0-9-]{0,30}")


def claim_users(names: Iterable[str], holder: str) -> None:
    """Make the users that are missing and claim all that were made here. EngineError: an odd name, useradd failed."""
    with _claims() as folder:
        for name in sorted(set(names)):
            if not NAME.fullmatch(name):
                raise EngineError(
                    f"{name!r} is not a user name that a rig makes: [a-z][a-z0-9-]*, at most 31 characters"
                )
            if not _exists(name):
                _call(
                    "useradd",
                    "--no-create-home",
                    "--no-user-group",
                    "--shell=/bin/sh",
                    f"--comment={COMMENT}",
                    name,
                )
            if _is_ours(name):
                (folder / f"{name}.{holder}").touch()


def release_users(holder: str) -> None:
    """Drop this holder's claims and remove the users that nobody claims any more."""
    with _claims() as folder:
        for claim in sorted(folder.glob(f"*.{holder}")):
            name = claim.name.removesuffix(f".{holder}")
            claim.unlink()
            if _is_ours(name) and not any(folder.glob(f"{name}.*")):
                _call("userdel", name)


@contextmanager
def _claims() -> Iterator[Path]:
    folder = Path(tempfile.gettempdir()) / "charter-users"
    folder.mkdir(exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder


def _exists(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True


def _is_ours(name: str) -> bool:
    return _exists(name) and pwd.getpwnam(name).pw_gecos == COMMENT


def _call(*argv: str) -> None:
    done = subprocess.run(argv, capture_output=True, text=True, timeout=30, check=False)
    if done.returncode != 0:
        raise EngineError(f"{' '.join(argv)} failed: {done.stderr.strip()}")
