"""Run a throw-away slurmctld on a configuration, inside namespaces of its own, and say how that ended.

Started by check.py as `unshare -mun python -m reconciler.targets.slurm.sandbox FOLDER HEAD`: no network but a loopback
with one address, no host names but the hosts file given, so that it can reach nobody and nothing waits for DNS.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

ADDRESS = "192.0.2.1"
_UP = re.compile(r"Running as primary controller")
_SECONDS = 20.0


def main(folder: Path, head: str) -> int:
    """0 when slurmctld came up as primary controller and ended cleanly; its log is on standard output either way."""
    socket.sethostname(head)
    for command in (
        ["mount", "--make-rprivate", "/"],
        ["mount", "--bind", str(folder / "hosts"), "/etc/hosts"],
        ["ip", "link", "set", "lo", "up"],
        ["ip", "addr", "add", f"{ADDRESS}/32", "dev", "lo"],
    ):
        subprocess.run(command, check=True)
    log = folder / "log"
    with log.open("wb") as stream:
        argv = ["slurmctld", "-D", "-c", "-f", str(folder / "slurm.conf")]
        environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf"), "LC_ALL": "C.UTF-8"}
        process = subprocess.Popen(argv, stdout=stream, stderr=stream, env=environment)
        came_up = _wait_up(process, log)
        process.send_signal(signal.SIGTERM)
        code = process.wait(timeout=_SECONDS)
    sys.stdout.write(log.read_text(errors="replace"))
    return 0 if came_up and code == 0 else 1


def _wait_up(process: subprocess.Popen[bytes], log: Path) -> bool:
    until = time.monotonic() + _SECONDS
    while time.monotonic() < until and process.poll() is None:
        if _UP.search(log.read_text(errors="replace")):
            time.sleep(0.3)
            return process.poll() is None
        time.sleep(0.05)
    return False


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2]))
