"""The two scripts that (re)start Slurm's daemons of a rig: used by the rig itself, and as the commands that a run-time
configuration of Charter names.

They keep process ids of their own: the pid files are named by the configuration, which is what changes under test.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path

_HEAD = """\
#!/bin/sh
# Written for one test rig; useless after it.
set -eu
{exports}
cd {root}

runs() {{ kill -0 "$1" 2>/dev/null && ! grep -qs '^State:[[:space:]]*Z' "/proc/$1/status"; }}

stop() {{  # the daemon whose process id the file "$1" holds
    [ -s "$1" ] || return 0
    pid=$(cat "$1")
    kill -TERM "$pid" 2>/dev/null || return 0
    tries=0
    while runs "$pid"; do
        tries=$((tries + 1))
        [ "$tries" -lt 200 ] || kill -KILL "$pid"
        sleep 0.05
    done
}}
"""

_SLURMCTLD = """
stop run/slurmctld.rig
setsid slurmctld -D </dev/null >>log/slurmctld.out 2>&1 &
pid=$!
echo "$pid" >run/slurmctld.rig
tries=0
until timeout 5 scontrol ping 2>/dev/null | grep -q 'is UP'; do
    tries=$((tries + 1))
    if [ "$tries" -ge 150 ] || ! runs "$pid"; then
        tail -n 20 log/slurmctld.out >&2
        echo "slurmctld did not start" >&2
        exit 1
    fi
    sleep 0.1
done
"""

_SLURMDS = """
[ "$#" -gt 0 ] || set -- {nodes}
for node in "$@"; do stop "run/slurmd-$node.rig"; done
for node in "$@"; do
    setsid slurmd -D -N "$node" </dev/null >>"log/slurmd-$node.out" 2>&1 &
    echo "$!" >"run/slurmd-$node.rig"
done
"""


def write_scripts(root: Path, environment: Mapping[str, str], nodes: Iterable[str]) -> tuple[Path, Path]:
    """Write restart-slurmctld and restart-slurmds ([NODE...], all without) into `root`; both executable."""
    exports = "\n".join(f"export {name}={shlex.quote(value)}" for name, value in environment.items())
    head = _HEAD.format(exports=exports, root=shlex.quote(str(root)))
    slurmds = _SLURMDS.format(nodes=" ".join(map(shlex.quote, nodes)))
    return (
        _executable(root / "restart-slurmctld", head + _SLURMCTLD),
        _executable(root / "restart-slurmds", head + slurmds),
    )


def _executable(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o755)
    return path
