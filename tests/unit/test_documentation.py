"""The README's console blocks are run, word by word, in a folder of their own; its links lead somewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from reconciler import errors
from reconciler.system import configuration

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
COMMANDS = [
    line[2:]
    for block in re.findall(r"```console\n(.*?)```", README, re.DOTALL)
    for line in block.splitlines()
    if line.startswith("$ ")
]
MAY_END_WITH_TWO = ("charter plan",)


def test_the_readme_is_run(tmp_path: Path) -> None:
    assert len(COMMANDS) >= 12
    script = ["set -e"]
    for command in COMMANDS:
        if command.startswith(". .venv"):
            continue
        script.append(f"{command} || [ $? -eq 2 ]" if command.startswith(MAY_END_WITH_TWO) else command)
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "GIT_AUTHOR_NAME": "Reader",
        "GIT_AUTHOR_EMAIL": "reader@localhost",
        "GIT_COMMITTER_NAME": "Reader",
        "GIT_COMMITTER_EMAIL": "reader@localhost",
        "CHARTER_NOW": "2026-12-01T08:00:00Z",
    }
    environment.pop("CHARTER_CONFIG", None)
    done = subprocess.run(
        ["bash", "-c", "\n".join(script)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Plan: 122 to add, 0 to change, 0 to destroy." in done.stdout
    assert "| training | h200 | weather |" in done.stdout
    assert "intact: 5 entries" in done.stdout


def test_links_of_the_documentation_lead_somewhere() -> None:
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for link in re.findall(r"\]\((?!https?:)([^)#]+)", re.sub(r"`[^`]*`", "", page.read_text())):
            assert (page.parent / link).exists(), f"{page.name} links to {link}"


def test_the_configuration_page_names_every_key() -> None:
    page = (ROOT / "docs" / "configuration.md").read_text()
    for key in configuration.SCHEMA:
        assert f"{key}:" in page


def test_every_exit_code_of_an_error_is_documented() -> None:
    page = (ROOT / "docs" / "configuration.md").read_text()
    codes = {
        kind.exit_code
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, errors.CharterError)
    }
    assert codes == {1, 3, 4, 5, 6}
    assert all(f"| {code} |" in page for code in codes | {0, 2})
