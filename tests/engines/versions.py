"""The pinned versions as data, and the check that a program is the one that was pinned."""

from __future__ import annotations

import hashlib
import os
import subprocess
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.engines.errors import EngineError

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Binary:
    """One program of a Go module: its main package, how it tells its version, the line it must then print."""

    name: str
    package: str
    ask: tuple[str, ...]
    expect: str


@dataclass(frozen=True, slots=True)
class Module:
    """One folder below go/, with committed go.mod and go.sum. `group` is the name that --only takes."""

    name: str
    group: str
    flags: tuple[str, ...]
    binaries: tuple[Binary, ...]

    @property
    def source(self) -> Path:
        """Where go.mod and go.sum lie."""
        return HERE / "go" / self.name

    @property
    def folder(self) -> Path:
        """Where its binaries lie once built: keyed by everything that decides what they are."""
        digest = hashlib.sha256()
        parts = [self.source.joinpath(name).read_bytes() for name in ("go.mod", "go.sum")]
        for part in [*parts, repr((self.flags, self.binaries)).encode()]:
            digest.update(hashlib.sha256(part).digest())
        return cache() / "engines" / f"{self.name}-{digest.hexdigest()[:16]}"


@dataclass(frozen=True, slots=True)
class Pins:
    """versions.toml."""

    packages: tuple[str, ...]
    slurm: str
    releases: Mapping[str, tuple[str, str]]
    """Name of a later release of Slurm to (Debian suite, exact version)."""
    go_least: tuple[int, int]
    go_package: str
    modules: tuple[Module, ...]


def cache() -> Path:
    """The folder outside the tree that holds what is built: $CHARTER_CACHE, or ~/.cache/charter."""
    return Path(os.environ.get("CHARTER_CACHE") or Path.home() / ".cache" / "charter")


def read_pins(path: Path = HERE / "versions.toml") -> Pins:
    """Read versions.toml."""
    table = tomllib.loads(path.read_text())
    major, minor = table["go"]["least"].split(".")
    return Pins(
        packages=tuple(table["debian"]["packages"]),
        slurm=table["debian"]["slurm"],
        releases={name: (one["suite"], one["slurm"]) for name, one in table["releases"].items()},
        go_least=(int(major), int(minor)),
        go_package=table["go"]["package"],
        modules=tuple(_module(name, fields) for name, fields in table["modules"].items()),
    )


def program(name: str) -> Path:
    """The built program of this name. EngineError: it isn't built, or is no program of ours."""
    for module in read_pins().modules:
        for binary in module.binaries:
            if binary.name == name:
                return _built(module.folder / name)
    raise EngineError(f"{name} is no program of versions.toml")


def checked_version(path: str | Path, ask: Sequence[str], expect: str) -> str:
    """The line `expect` of what the program prints. EngineError: it doesn't run, or prints another version."""
    try:
        done = subprocess.run([str(path), *ask], capture_output=True, text=True, timeout=60, check=False)
    except OSError as error:
        raise EngineError(f"{path} cannot be run ({error.strerror}): run `make engines`") from error
    lines = [line.strip() for line in (done.stdout + done.stderr).splitlines()]
    if expect not in lines:
        raise EngineError(f"{path} says {lines[:1]}, but {expect!r} is pinned in tests/engines/versions.toml")
    return expect


def _built(path: Path) -> Path:
    if not path.exists():
        raise EngineError(f"{path.name} is not built ({path}): run `make engines`")
    return path


def _module(name: str, fields: dict[str, object]) -> Module:
    binaries = fields["binaries"]
    assert isinstance(binaries, dict)
    flags = fields["flags"]
    assert isinstance(flags, list)
    return Module(
        name,
        str(fields["group"]),
        tuple(flags),
        tuple(
            Binary(key, one["package"], tuple(one["version"]), one["expect"]) for key, one in binaries.items()
        ),
    )
