"""The layering is a contract: an import upwards fails here."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_import_contract_holds() -> None:
    command = [
        str(Path(sys.executable).with_name("lint-imports")),
        "--config",
        str(ROOT / ".importlinter"),
        "--no-cache",
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
