"""The sandbox: what isn't offered is refused at load, and everything that goes wrong denies."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reconciler.errors import Terminal
from reconciler.gate import compiled
from reconciler.gate.compiled import CompiledEngine
from reconciler.gate.engine import ADMISSION, CHANGE
from reconciler.gate.policy import load_policy
from reconciler.gate.verdict import Verdict
from tests.unit.gate.check import judge
from tests.unit.gate.question import change


def refusal(verdict: Verdict) -> str:
    assert not verdict.allow
    (violation,) = verdict.violations
    assert (violation.id, violation.severity) == ("engine", "deny")
    return violation.message


def test_nothing_loaded() -> None:
    assert refusal(CompiledEngine().decide(CHANGE, change()["input"])) == "no policy is loaded"


def test_out_of_fuel() -> None:
    engine = CompiledEngine(fuel=3_000_000)
    assert "fuel" in refusal(judge(engine, change()))


def test_out_of_memory_denies_and_the_next_question_is_judged_again() -> None:
    engine = CompiledEngine(memory=8 << 20)
    assert judge(engine, change()).allow
    flood = {**change()["input"], "head": {"x": ["y" * 100] * 200_000}}
    refusal(engine.decide(CHANGE, flood))
    assert engine.decide(CHANGE, change()["input"]).allow


def test_an_entry_that_is_not_there() -> None:
    engine = CompiledEngine()
    judge(engine, change())
    refusal(engine.decide("charter.change.nothing", {}))


@pytest.mark.parametrize("asked", [{"now": float("nan")}, {"now": "\ud800"}, {"now": {1, 2}}])
def test_what_is_not_json(asked: dict[str, object]) -> None:
    engine = CompiledEngine()
    judge(engine, change())
    refusal(engine.decide(CHANGE, asked))
    assert engine.decide(CHANGE, change()["input"]).allow


def test_a_module_that_needs_more_than_is_offered_is_refused_at_load(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "_HOST", {})
    with pytest.raises(Terminal, match="needs the built-in sprintf, which is not offered"):
        judge(CompiledEngine(), change())


@pytest.mark.parametrize("module", [b"", b"\0asm", b"\0asm\1\0\0\0"])
def test_what_is_no_policy_module_is_refused_and_nothing_stays_in_force(module: bytes) -> None:
    engine = CompiledEngine()
    assert judge(engine, change()).allow
    with pytest.raises(Terminal):
        engine.load(replace(load_policy({}), module=module), change()["data"], "r")
    assert refusal(engine.decide(CHANGE, change()["input"])) == "no policy is loaded"


def test_a_loaded_revision_that_is_no_text_is_a_denial() -> None:
    engine = CompiledEngine()
    engine.load(load_policy({}), change()["data"], "r")
    engine._revision = "another"
    assert refusal(engine.decide(CHANGE, change()["input"])) == "the verdict is of another revision"


def test_decisions_do_not_remember_each_other() -> None:
    engine = CompiledEngine()
    first = judge(engine, change())
    for _ in range(50):
        engine.decide(CHANGE, {"format": "x" * 1000})
    assert engine.decide(CHANGE, change()["input"]) == first


def test_admission_knows_the_sites_programmes() -> None:
    engine = CompiledEngine()
    judge(engine, change())
    asked = {
        "format": "charter.admission/v1",
        "now": 1,
        "request": {"kind": "pod", "name": "p", "program": "sky/now"},
    }
    assert engine.decide(ADMISSION, asked).allow
    stranger = {**asked, "request": {"kind": "pod", "name": "p", "program": "sky/later"}}
    assert [item.id for item in engine.decide(ADMISSION, stranger).violations] == ["program"]
