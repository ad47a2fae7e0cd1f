"""OPA: the pinned program, its commands as functions, and a server on the loopback address that asks for a token."""

from __future__ import annotations

import secrets
import subprocess
import tarfile
import tempfile
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path

from tests.engines.errors import EngineError
from tests.engines.rig import Rig
from tests.engines.versions import program

_AUTHORISATION = """\
package system.authz
default allow := false
allow if input.path == ["health"]
allow if input.identity == "{token}"
"""


class OpaRig(Rig):
    """`with OpaRig() as rig:` gives a server without policy or data. url: http://127.0.0.1:PORT; token: its bearer token."""

    name = "opa"
    port_count = 1

    def _start(self) -> None:
        binary = opa_binary()
        self.host, self.port, self.token = "127.0.0.1", self.ports[0], secrets.token_hex(16)
        self.url = f"http://{self.host}:{self.port}"
        self.token_file = self.scratch.path / "token"
        policy = self.scratch.path / "authz.rego"
        for path, text in ((self.token_file, self.token), (policy, _AUTHORISATION.format(token=self.token))):
            path.touch(mode=0o600)
            path.write_text(text)
        server = (
            "run",
            "--server",
            f"--addr={self.host}:{self.port}",
            "--disable-telemetry",
            "--log-level=error",
        )
        self.scratch.start("opa", binary, *server, "--authentication=token", "--authorization=basic", policy)
        self.scratch.await_ready("opa", self._is_healthy, 20)

    def _is_healthy(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/health", timeout=2) as answer:  # noqa: S310 - our own loopback URL
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False


def opa_binary() -> Path:
    """The pinned OPA. EngineError: it isn't built."""
    return program("opa")


def run_opa(
    *arguments: str | Path, timeout: float = 120, check: bool = True
) -> subprocess.CompletedProcess[str]:
    """`opa ARGUMENTS`. EngineError with its output: non-zero exit, unless check=False."""
    argv = [str(opa_binary()), *map(str, arguments)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=timeout, check=False)
    if check and done.returncode != 0:
        raise EngineError(
            f"opa {arguments[0]} exited {done.returncode}:\n{done.stdout}{done.stderr}".rstrip()
        )
    return done


def run_tests(*paths: Path, options: Sequence[str] = ()) -> str:
    """`opa test` over these folders; its report. EngineError with the report: a test fails, or there is none."""
    report = run_opa("test", *options, *paths).stdout
    if "PASS" not in report:
        raise EngineError(f"opa test found no test in {', '.join(map(str, paths))}")
    return report


def build_wasm(entrypoints: Sequence[str], *paths: Path, options: Sequence[str] = ()) -> bytes:
    """`opa build -t wasm` of these files or folders: the module's bytes. EngineError: it doesn't compile."""
    with tempfile.TemporaryDirectory() as folder:
        bundle = Path(folder) / "bundle.tar.gz"
        words = [f"--entrypoint={name}" for name in entrypoints]
        run_opa("build", "--target=wasm", *words, *options, f"--output={bundle}", *paths)
        with tarfile.open(bundle) as archive:
            module = archive.extractfile("/policy.wasm")
            if module is None:
                raise EngineError("opa build made no policy.wasm")
            return module.read()
