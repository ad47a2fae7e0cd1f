"""What travels in the wheel: rules with their compiled module, the reference site, templates; the same bytes as in the tree."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_wheel_carries_rules_and_reference_site(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-build-isolation",
        "--no-deps",
        "--no-index",
        "-w",
        str(tmp_path),
        str(ROOT),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(next(tmp_path.glob("charter-*.whl"))) as wheel:
        packed = {name: wheel.read(name) for name in wheel.namelist()}
    for folder, place in (
        ("rego", "reconciler/gate/builtin"),
        ("inventory", "reconciler/cli/reference/inventory"),
        ("policies", "reconciler/cli/reference/policies"),
    ):
        files = [
            path
            for path in (ROOT / folder).rglob("*")
            if path.is_file() and "site" not in path.relative_to(ROOT / folder).parts[:-1]
        ]
        assert files
        for path in files:
            if path.name.endswith("_test.rego"):
                continue
            assert packed[f"{place}/{path.relative_to(ROOT / folder).as_posix()}"] == path.read_bytes()
    assert any(name.startswith("renderer/slurm/templates/") for name in packed)
    assert not any(name.startswith("tests/") or name.endswith("_test.rego") for name in packed)
