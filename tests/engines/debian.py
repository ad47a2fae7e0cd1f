"""Slurm, MariaDB and what they need, from the Debian release's packages; nothing is fetched when all is there."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence

from tests.engines.errors import EngineError
from tests.engines.progress import call, say
from tests.engines.versions import Pins, checked_version

DAEMONS = ("slurmctld", "slurmd")
SILENT = ("slurmdbd", "slurm-client")  # their programs tell no version before they are configured


def setup_slurm(pins: Pins) -> dict[str, str]:
    """Install what is missing and check the release. Returns package → version. EngineError: apt-get, or another release."""
    missing = [name for name in pins.packages if not installed_version(name)]
    if missing:
        _install(missing)
    for name in DAEMONS:
        checked_version(name, ["-V"], f"slurm-wlm {pins.slurm}")
    for name in SILENT:
        _check_package(name, pins.slurm)
    return {name: installed_version(name) for name in pins.packages}


def installed_version(package: str) -> str:
    """The installed version, or "" for a package that is absent or half installed."""
    query = ["dpkg-query", "--show", "--showformat=${db:Status-Status} ${Version}", package]
    try:
        done = subprocess.run(query, capture_output=True, text=True, timeout=30, check=False)
    except FileNotFoundError as error:
        raise EngineError("dpkg-query not found: the Slurm rig is made for Debian") from error
    status, _, version = done.stdout.partition(" ")
    return version if done.returncode == 0 and status == "installed" else ""


def _check_package(name: str, release: str) -> None:
    version = installed_version(name)
    if not version.startswith(f"{release}-"):
        raise EngineError(f"{name} is {version}, but {release} is pinned in tests/engines/versions.toml")


def _install(missing: Sequence[str]) -> None:
    if os.geteuid() != 0:
        raise EngineError(
            f"missing packages: {' '.join(missing)}; run this as root, or apt-get install them first"
        )
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    install = ["apt-get", "install", "--yes", "--no-install-recommends", *missing]
    say(f"missing packages: {' '.join(missing)}")
    try:
        call("apt-get install", install, env=env, limit=900)
    except (
        EngineError
    ):  # an old package list names files that are gone; a machine just made has no list at all
        call("apt-get update", ["apt-get", "update"], env=env, limit=300)
        call("apt-get install", install, env=env, limit=900)
