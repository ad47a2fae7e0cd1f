"""Hostile files are refused in bounded time and memory: each in a process of its own with limits that the kernel enforces."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[3]
SECONDS = 10
MEMORY = 700 << 20

SCRIPT = """
import sys
from renderer.load import load
from tests.sites import valid
build = {build}
files = valid() | build
loaded = load(files)
assert loaded.site is None
for problem in loaded.problems[:300]:
    assert len(str(problem)) < 2000
    print(problem)
"""

LAUGHS = """b'a: &a [x,x,x,x,x,x,x,x,x]\\n' + b''.join(
    b'%c: &%c [%s]\\n' % (c, c, b','.join([b'*%c' % (c - 1)] * 9)) for c in range(98, 123))"""
W = "policies/waivers.yaml"
CASES = {
    "billion laughs": (f"{{'{W}': {LAUGHS}}}", "yaml-anchor"),
    "anchor that holds itself": (f"{{'{W}': b'waivers: &a [*a]'}}", "yaml-anchor"),
    "quadratic merge keys": (f"{{'{W}': b'a: &a {{b: 1}}\\n' + b'<<: *a\\n' * 100000}}", "yaml-anchor"),
    "flow 10,000 deep": (f"{{'{W}': b'[' * 10000 + b']' * 10000}}", "yaml-"),
    "flow mappings 10,000 deep": (f"{{'{W}': b'{{a: ' * 10000 + b'}}' * 10000}}", "yaml-"),
    "unclosed flow 1,000,000 deep": (f"{{'{W}': b'[' * 1000000}}", "file-size"),
    "quotes that hide the depth": (f"{{'{W}': b'[\"]\", ' * 9000 + b']' * 9000}}", "yaml-"),
    "sequences 10,000 deep on one line": (f"{{'{W}': b'- ' * 10000 + b'x'}}", "yaml-"),
    "sequences deep by tabs": (f"{{'{W}': b'-\\t' * 10000 + b'x'}}", "yaml-"),
    "indented 2,000 deep": (f"{{'{W}': b''.join(b' ' * n + b'a:\\n' for n in range(2000))}}", "yaml-depth"),
    "indented 60 deep": (f"{{'{W}': b''.join(b' ' * n + b'a:\\n' for n in range(60))}}", "yaml-depth"),
    "complex keys deep": (f"{{'{W}': b'? ' * 10000 + b'x'}}", "yaml-"),
    "50 MB of text": (f"{{'{W}': b'waivers: ' + b'x' * (50 << 20)}}", "site-size"),
    "5 MB of text": (f"{{'{W}': b'waivers: ' + b'x' * (5 << 20)}}", "file-size"),
    "4 MB in one word": (f"{{'{W}': b'waivers: ' + b'x' * (4000000)}}", "shape-type"),
    "a million values": (f"{{'{W}': b'waivers: [' + b'x,' * 1000000 + b']'}}", "file-size"),
    "values parted by NEL": (f"{{'{W}': b'- x\\xc2\\x85' * 600000}}", "file-size"),
    "as many values as one file may have": (
        f"{{'{W}': b'waivers: [' + b'x,' * 240000 + b']'}}",
        "shape-type",
    ),
    "200,000 unknown fields": (f"{{'{W}': b''.join(b'k%d: 1\\n' % n for n in range(100000))}}", "shape-"),
    "100,000 duplicates": (f"{{'{W}': b'k: 1\\n' * 100000}}", "yaml-duplicate"),
    "100,000 tiers": ("{'policies/qos.yaml': b''.join(b't%d: {}\\n' % n for n in range(80000))}", "shape-"),
    "number of a million digits": (f"{{'{W}': b'waivers: ' + b'9' * 1000000}}", "shape-type"),
    "hosts without end": (
        "{'policies/planes.yaml': b'training: {hosts: \"n[0-9999999999]\"}'}",
        "notation-hosts",
    ),
    "hosts by several axes": (
        "{'policies/planes.yaml': b'training: {hosts: \"' + b'n[0-999]' * 9 + b'\"}'}",
        "notation-hosts",
    ),
    "hosts by many lists": (
        "{'policies/reservations/r%d.yaml' % n: valid()['policies/reservations/firmware.yaml']"
        ".replace(b'name: firmware', b'name: r%d' % n).replace(b'n[5-6]', b'n[0-60000]') for n in range(1500)}",
        "notation-hosts",
    ),
    "no files but many": ("{'policies/x%d.txt' % n: b'' for n in range(30000)}", "site-size"),
    "reservations beyond number": (
        "{'policies/reservations/r%d.yaml' % n: b'' for n in range(3000)}",
        "site-size",
    ),
    "NUL": (f"{{'{W}': b'waivers: []\\0'}}", "file-encoding"),
    "UTF-16": (f"{{'{W}': 'waivers: []'.encode('utf-16')}}", "file-encoding"),
    "python tag": (f"{{'{W}': b'!!python/object/apply:os._exit [0]'}}", "yaml-tag"),
    "1,000,000 lines of slurm.conf": (
        "{'inventory/slurm.d/slurm.conf': b'ClusterName=x\\n' * 200000}",
        "slurm-rendered",
    ),
    "pairs on one line": ("{'inventory/slurm.d/slurm.conf': b'A=b ' * 500000}", "slurm-line"),
    "limits without end": (
        "{'inventory/slurm.d/slurm.conf': b'OverTimeLimit=UNLIMITED\\n' * 200000}",
        "guard-unbounded",
    ),
    "orders by the line": (
        "{'inventory/slurm.d/slurm.conf': b'PriorityWeightAssoc=1\\n' * 200000}",
        "slurm-order",
    ),
    "secrets by the line": ("{'inventory/slurm.d/slurm.conf': b'password=x\\n' * 300000}", "secret"),
    "almost a secret": (
        "{'inventory/slurm.d/slurm.conf': b'passwordpassword' * 200000 + b'\\0'}",
        "file-encoding",
    ),
}


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


@pytest.mark.parametrize("name", CASES)
def test_a_hostile_file_is_refused_within_limits(name: str) -> None:
    build, rule = CASES[name]
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(build=build)],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        preexec_fn=_limited,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    assert f"[{rule}" in run.stdout
