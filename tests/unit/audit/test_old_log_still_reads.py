"""A log sealed by the first release, kept as it was: records and trust are promises."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

from reconciler.audit import anchor
from reconciler.audit.verify import verify_log
from reconciler.system.git import Repository

ROOT = Path(__file__).parents[3]
DATA = ROOT / "tests" / "data"


def test_the_first_release_s_log_verifies_by_both_verifiers(tmp_path: Path) -> None:
    subprocess.run(
        ["git", "clone", "-q", "--branch", "audit", str(DATA / "log-v1.bundle"), str(tmp_path / "clone")],
        check=True,
    )
    trust = DATA / "log-v1.trust"
    result = verify_log(Repository.open(tmp_path / "clone"), anchor.read(trust))
    assert (result.exit_code, result.entries, result.anchored, result.rooted) == (0, 6, True, True)
    done = subprocess.run(
        ["sh", str(ROOT / "verify.sh"), "--trust", str(trust), str(tmp_path / "clone")], check=False
    )
    assert done.returncode == 0


def test_its_bytes_are_those_of_then() -> None:
    digest = hashlib.sha256((DATA / "log-v1.trust").read_bytes()).hexdigest()
    assert digest == "773b2e3203feba6e17591e1e87eb1302b3d93e5008185b6202d6bf51776e2118"
