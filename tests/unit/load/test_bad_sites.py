"""Every defect of tests/sites is reported where it is, by its rule, with what to do, and nothing else is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from renderer.load import load
from tests.sites import HERE, files_of, valid

DEFECTS = sorted(path for path in HERE.iterdir() if (path / "expected.txt").exists())
NOT_FILES = {"expected.txt", "removed.txt"}
RULES = (Path(__file__).parents[3] / "docs" / "rules.md").read_text()
ELSEWHERE = {"file-refused", "file-size", "site-size", "notation-port", "shape-value"}
"""Rules that a folder in git cannot break, or that other tests of this folder cover."""


def _site(defect: Path) -> dict[str, bytes]:
    own = files_of(defect)
    removed = own.get("removed.txt", b"").decode().split()
    together = valid() | {path: data for path, data in own.items() if path not in NOT_FILES}
    return {path: data for path, data in together.items() if path not in removed}


def test_the_valid_site_has_no_problem() -> None:
    loaded = load(valid())
    assert loaded.problems == ()
    assert loaded.site is not None


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda path: path.name)
def test_a_defect_is_reported(defect: Path) -> None:
    loaded = load(_site(defect))
    expected = (defect / "expected.txt").read_text()
    assert "".join(f"{problem.severity} {problem}\n" for problem in loaded.problems) == expected
    assert expected
    assert (loaded.site is None) == ("error " in expected)


def test_every_documented_rule_is_broken_by_some_site() -> None:
    broken = {
        rule
        for defect in DEFECTS
        for rule in re.findall(r"\[([a-z0-9-]+)\]", (defect / "expected.txt").read_text())
    }
    rows = [line.split("|")[1] for line in RULES.splitlines() if line.startswith("| ")]
    documented = {rule.strip() for row in rows for rule in row.split(",")} - {"rule"}
    assert documented - broken - ELSEWHERE == set()
