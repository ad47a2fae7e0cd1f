"""Slurm of later Debian releases, each in a folder of its own, and wrappers that run its programs as if they were here.

A wrapper enters a mount namespace, binds this machine's /proc, /sys, /dev, temporary folder and hosts file into the folder, and
changes root: the process keeps its id, its network and its environment, save for a PATH without wrappers (a job inherits it), so
a rig starts, marks and ends it like any other.
Nothing stays mounted.
"""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tests.engines.errors import EngineError
from tests.engines.progress import call
from tests.engines.versions import Pins, cache, checked_version

PACKAGES = "slurm-wlm,slurmdbd,munge,python3"
MIRROR = "http://deb.debian.org/debian"
PROGRAMS = (
    "slurmctld",
    "slurmd",
    "slurmdbd",
    "sacctmgr",
    "scontrol",
    "squeue",
    "sbatch",
    "scancel",
    "sprio",
    "sinfo",
    "srun",
    "sacct",
    "sshare",
)
_SCRIPTS = Path("/usr/share/debootstrap/scripts")
AS_USER = "CHARTER_RIG_USER"
_WRAPPER = """\
#!/bin/sh
# Slurm {release} of Debian {suite}, for one test rig.
exec unshare --mount --propagation private /bin/sh -c '
root={root}
for folder in /proc /sys /dev {temporary}; do mkdir -p "$root$folder"; mount --rbind "$folder" "$root$folder"; done
mount --bind /etc/hosts "$root/etc/hosts"
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
exec chroot ${{{as_user}:+--userspec=${as_user}:users}} "$root" "$0" "$@"
' {program} "$@"
"""


@dataclass(frozen=True, slots=True)
class Release:
    """A release of Slurm that is not this machine's. `expect`: what slurmctld -V prints."""

    name: str
    suite: str
    expect: str

    @property
    def root(self) -> Path:
        """Where its Debian lies."""
        return cache() / "chroots" / f"{self.suite}-{self.expect.split()[-1]}"


def releases(pins: Pins) -> dict[str, Release]:
    """The pinned later releases by name."""
    return {
        name: Release(name, suite, f"slurm-wlm {version}") for name, (suite, version) in pins.releases.items()
    }


def setup_chroots(releases: Iterable[Release]) -> dict[str, str]:
    """Install what is missing. Returns `slurm NAME` to the version found. EngineError: debootstrap failed, or another version."""
    found = {}
    for release in releases:
        if not release.root.exists():
            _install(release)
        found[f"slurm {release.name}"] = checked_version(
            "chroot", [str(release.root), "/usr/sbin/slurmctld", "-V"], release.expect
        )
    return found


def _install(release: Release) -> None:
    if os.geteuid() != 0:
        raise EngineError(f"Slurm {release.name} needs a Debian of its own: run this as root")
    fresh = release.root.with_suffix(".new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.parent.mkdir(parents=True, exist_ok=True)
    script = [] if (_SCRIPTS / release.suite).exists() else [str(_SCRIPTS / "sid")]
    options = ["--variant=minbase", f"--include={PACKAGES}"]
    argv = ["debootstrap", *options, release.suite, str(fresh), MIRROR, *script]
    call(f"Slurm {release.name}: Debian {release.suite} into {release.root}", argv, limit=900)
    for leftover in (fresh / "var/cache/apt/archives").glob("*.deb"):
        leftover.unlink()
    (fresh / "etc" / "hosts").touch()
    fresh.replace(release.root)


def write_wrappers(release: Release, folder: Path) -> None:
    """One executable a program, in `folder`, which goes first in a rig's PATH. EngineError: the release isn't installed."""
    if not release.root.exists():
        raise EngineError(f"Slurm {release.name} is not installed ({release.root}): run `make engines`")
    folder.mkdir(exist_ok=True)
    for name in PROGRAMS:
        place = "/usr/sbin" if name in ("slurmctld", "slurmd", "slurmdbd") else "/usr/bin"
        text = _WRAPPER.format(
            release=release.name,
            suite=release.suite,
            root=shlex.quote(str(release.root)),
            temporary=shlex.quote(tempfile.gettempdir()),
            as_user=AS_USER,
            program=f"{place}/{name}",
        )
        path = folder / name
        path.write_text(text)
        path.chmod(0o755)


def copy_users(release: Release) -> None:
    """This machine's users into the release's Debian; written in place, so that what runs there sees them at once."""
    for name in ("passwd", "group"):
        (release.root / "etc" / name).write_bytes(Path("/etc", name).read_bytes())
