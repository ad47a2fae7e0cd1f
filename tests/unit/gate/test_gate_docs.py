"""docs/gate.md names every built-in rule, and no other."""

from __future__ import annotations

import re

from reconciler.gate.policy import builtin_sources
from tests.unit.gate.reference import ROOT


def test_the_page_lists_every_rule() -> None:
    sources = "\n".join(data.decode() for data in builtin_sources().values())
    rules = set(re.findall(r'"([a-z-]+)": \{\s*"severity"', sources))
    table = re.findall(r"^\| ([a-z, -]+) \| [a-z]+ \|", (ROOT / "docs" / "gate.md").read_text(), re.MULTILINE)
    listed = {name for cell in table for name in cell.split(", ")} - {"rule"}
    assert len(rules) > 10
    assert listed == rules | {"engine"}
