"""Puts a case to an engine and compares everything the verdict says with what the case expects."""

from __future__ import annotations

from typing import Any

from reconciler.gate.engine import CHANGE, Engine
from reconciler.gate.policy import load_policy
from reconciler.gate.verdict import Verdict
from tests.unit.gate.cases import Case
from tests.unit.gate.question import change, edited


def judge(engine: Engine, question: dict[str, Any], revision: str = "r") -> Verdict:
    """The built-in rules' verdict on a question {input, data}."""
    engine.load(load_policy({}), question["data"], revision)
    return engine.decide(CHANGE, question["input"])


def verdict_of(engine: Engine, case: Case) -> Verdict:
    """The verdict on a case."""
    return judge(engine, edited(change(), case.edits))


def agrees(verdict: Verdict, case: Case) -> None:
    """Assert that the verdict is exactly what the case expects."""
    found = {f"{item.severity} {item.id} {item.subject}" for item in verdict.violations}
    assert found == case.found, verdict
    waived = {f"{item.id} {item.subject}" for item in verdict.violations if item.waived_by is not None}
    assert waived == case.waived
    denials = {line for line in case.found if line.startswith("deny ")} - {
        f"deny {line}" for line in case.waived
    }
    assert verdict.allow == (not denials)
    assert not case.says or any(case.says in item.message for item in verdict.violations), verdict
    assert all(item.remedy for item in verdict.violations)
