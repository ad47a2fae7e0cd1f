"""Taking anything away from a question that is denied never makes it allowed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from reconciler.gate.compiled import CompiledEngine
from reconciler.gate.engine import CHANGE
from reconciler.gate.policy import load_policy
from tests.unit.gate.cases import CASES, Case
from tests.unit.gate.question import change, edited

pytestmark = pytest.mark.slow

DENIED = [case for case in CASES if any(line.startswith("deny ") for line in case.found) and not case.waived]
ONE_OF_EACH = list({case.found: case for case in DENIED}.values())
CONSULTED = ("approvers", "freezes", "waivers")


def without_each_key(node: Any, path: str = "") -> Iterator[str]:
    """Take every key at any depth away in turn, yield its path, put it back."""
    pairs = list(
        node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    )
    for key, value in pairs:
        if isinstance(node, dict):
            del node[key]
            yield f"{path}/{key}"
            node[key] = value
        yield from without_each_key(value, f"{path}/{key}")


@pytest.mark.parametrize("case", ONE_OF_EACH, ids=lambda case: case.name)
def test_dropping_any_key_of_the_input_never_allows_what_was_denied(case: Case) -> None:
    question = edited(change(), case.edits)
    engine = CompiledEngine()
    engine.load(load_policy({}), question["data"], "r")
    dropped = {
        path: engine.decide(CHANGE, question["input"]).allow for path in without_each_key(question["input"])
    }
    assert len(dropped) > 100
    assert [path for path, allow in dropped.items() if allow] == []


@pytest.mark.parametrize(
    "case", [case for case in DENIED if "authority" in str(case.found)], ids=lambda case: case.name
)
def test_dropping_any_key_of_approvers_or_waivers_never_allows_what_was_denied(case: Case) -> None:
    question = edited(change(), case.edits)
    engine = CompiledEngine()
    site = question["data"]["site"]
    for _ in without_each_key({key: site[key] for key in CONSULTED}):
        engine.load(load_policy({}), question["data"], "r")
        assert not engine.decide(CHANGE, question["input"]).allow
    for key in CONSULTED:
        engine.load(load_policy({}), {"site": {**site, key: {}}, "charter": {"usage": {}}}, "r")
        assert not engine.decide(CHANGE, question["input"]).allow


def test_no_data_at_all_is_a_denial() -> None:
    engine = CompiledEngine()
    engine.load(load_policy({}), {"charter": {"usage": {}}}, "r")
    verdict = engine.decide(CHANGE, change()["input"])
    assert not verdict.allow
    assert [violation.id for violation in verdict.violations] == ["engine"]
