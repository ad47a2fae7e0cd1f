"""The Rego sources in force: Charter's own, which nothing can switch off, and a site's, which may only add.

Built-in rules come from package data alone, with their module compiled and committed. A site's rules are checked file by
file, then compiled together with the built-in ones by `opa`, under the same capabilities.
"""

from __future__ import annotations

import hashlib
import io
import tarfile
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from reconciler.errors import Terminal
from reconciler.gate.siterules import check_nesting, check_sources
from reconciler.system.files import atomic_write
from reconciler.system.process import run

ENTRIES = ("charter/change/verdict", "charter/admission/verdict")
MODULE = "charter.wasm"
CAPABILITIES = "capabilities.json"
_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Policy:
    """`sources` are all Rego files by path; `module` the compiled WebAssembly; `digest` the policy digest."""

    sources: Mapping[str, bytes]
    module: bytes
    digest: str


@cache
def builtin_sources() -> Mapping[str, bytes]:
    """Charter's own rules by path below rego/, tests left out."""
    return dict(sorted(_walk(files("reconciler.gate") / "builtin", "")))


def capabilities() -> bytes:
    """The built-ins that any rule may use."""
    return (files("reconciler.gate") / "builtin" / CAPABILITIES).read_bytes()


def policy_digest(rego: Mapping[str, bytes]) -> str:
    """SHA-256 (hex) over the sorted lines `sha256  path` of every source in force and the capabilities."""
    content = {f"rego/{path}": data for path, data in builtin_sources().items()}
    content |= {f"rego/site/{path}": data for path, data in rego.items()}
    content[f"rego/{CAPABILITIES}"] = capabilities()
    lines = sorted(f"{hashlib.sha256(data).hexdigest()}  {path}\n" for path, data in content.items())
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def load_policy(rego: Mapping[str, bytes], opa: str = "opa") -> Policy:
    """The policy of a site. Raises Terminal naming file and line of what is refused, or the compiler that is missing."""
    sources = {
        path: data
        for path, data in rego.items()
        if path.endswith(".rego") and not path.endswith("_test.rego")
    }
    if not sources:
        module = (files("reconciler.gate") / "builtin" / MODULE).read_bytes()
        return Policy(builtin_sources(), module, policy_digest(rego))
    everything = {**builtin_sources(), **{f"site/{path}": data for path, data in sources.items()}}
    return Policy(everything, _compile_site(sources, opa), policy_digest(rego))


def build_module(sources: Mapping[str, bytes], opa: str) -> bytes:
    """Compile sources to one module. Raises Terminal with the compiler's own sentences."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for path, data in sources.items():
            atomic_write(folder / "rego" / path, data)
        atomic_write(folder / CAPABILITIES, capabilities())
        entries = [part for entry in ENTRIES for part in ("-e", entry)]
        argv = [
            opa,
            "build",
            "-t",
            "wasm",
            *entries,
            "--capabilities",
            CAPABILITIES,
            "-o",
            "bundle.tar.gz",
            "rego",
        ]
        done = run(argv, timeout=_SECONDS, cwd=folder)
        if done.code != 0:
            raise Terminal(f"the rules don't compile: {done.err or done.out.strip()}")
        return _module(folder / "bundle.tar.gz")


def _compile_site(sources: Mapping[str, bytes], opa: str) -> bytes:
    for name, data in sources.items():
        check_nesting(f"rego/site/{name}", data)
    _require(opa)
    with tempfile.TemporaryDirectory() as scratch:
        for path, data in sources.items():
            atomic_write(Path(scratch) / "rego" / "site" / path, data)
        parsed = {
            path: _parsed(opa, Path(scratch), path) for path in (f"rego/site/{name}" for name in sources)
        }
    check_sources(parsed)
    return build_module(
        {**builtin_sources(), **{f"site/{path}": data for path, data in sources.items()}}, opa
    )


def _require(opa: str) -> None:
    try:
        run([opa, "version"], timeout=_SECONDS)
    except Terminal:
        raise Terminal(
            f"the site has rules of its own in rego/site/, and {opa} is not there to compile them; install OPA, or set engine.opa"
        ) from None


def _parsed(opa: str, folder: Path, path: str) -> bytes:
    """The syntax tree with positions. `opa check` says what is wrong with one as people read it: file:line."""
    tree = run(
        [opa, "parse", "--format", "json", "--json-include", "locations", path], timeout=_SECONDS, cwd=folder
    )
    if tree.code == 0:
        return tree.stdout
    plain = run([opa, "check", path], timeout=_SECONDS, cwd=folder)
    raise Terminal(f"a rule of the site doesn't parse: {plain.err or plain.out.strip()}")


def _module(bundle: Path) -> bytes:
    with tarfile.open(fileobj=io.BytesIO(bundle.read_bytes())) as archive:
        member = archive.extractfile("/policy.wasm")
        if member is None:
            raise Terminal("opa built no module; check that it is a release with WebAssembly")
        return member.read()


def _walk(folder: Traversable, prefix: str) -> list[tuple[str, bytes]]:
    found: list[tuple[str, bytes]] = []
    for item in folder.iterdir():
        path = f"{prefix}{item.name}"
        if item.is_dir() and path not in ("site", "schemas"):
            found += _walk(item, f"{path}/")
        elif item.name.endswith(".rego") and not item.name.endswith("_test.rego"):
            found.append((path, item.read_bytes()))
    return found
