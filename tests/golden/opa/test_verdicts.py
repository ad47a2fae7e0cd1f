"""Every sentence that the rules say over the table of cases, in a file that a reviewer reads; CHARTER_GOLDEN=write writes it anew."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from reconciler.gate.compiled import CompiledEngine
from tests.unit.gate.cases import CASES
from tests.unit.gate.check import verdict_of

GOLDEN = Path(__file__).with_name("verdicts.txt")


def said() -> Iterator[str]:
    engine = CompiledEngine()
    for case in CASES:
        yield f"## {case.name}"
        for item in verdict_of(engine, case).violations:
            waived = f" ({item.waived_by})" if item.waived_by else ""
            yield f"{item.severity} {item.where} [{item.id} {item.subject}] {item.message}; {item.remedy}{waived}"


def test_what_the_rules_say() -> None:
    text = "\n".join(said()) + "\n"
    if os.environ.get("CHARTER_GOLDEN") == "write":
        GOLDEN.write_text(text)
    assert text == GOLDEN.read_text()
