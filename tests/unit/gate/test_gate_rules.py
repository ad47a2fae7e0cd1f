"""The table of cases through the compiled module."""

from __future__ import annotations

import pytest

from reconciler.gate.compiled import CompiledEngine
from tests.unit.gate.cases import CASES, Case
from tests.unit.gate.check import agrees, verdict_of


@pytest.fixture(scope="module")
def engine() -> CompiledEngine:
    return CompiledEngine()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_compiled_module_says_what_the_case_expects(engine: CompiledEngine, case: Case) -> None:
    agrees(verdict_of(engine, case), case)


def test_every_rule_of_the_table_is_seen_to_fail_at_least_once() -> None:
    broken = {line.split()[1] for case in CASES for line in case.found}
    assert broken == {
        "authority", "complete", "endpoint-guarantee", "freeze", "input", "limit-oversubscribed", "plane-capacity", "qos-tier",
        "reservation-capacity", "reservation-ended", "reservation-time", "tenant-guarantee", "uncommitted",
        "unsigned-site", "zone",
    }  # fmt: skip
