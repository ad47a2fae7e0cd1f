"""The published schemas hold for what the gate is really asked and really says, and refuse what lacks a field."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from reconciler.gate.compiled import CompiledEngine
from renderer.opa import site_data
from tests.unit.gate.cases import CASES
from tests.unit.gate.check import verdict_of
from tests.unit.gate.question import NOW, change
from tests.unit.gate.reference import ROOT, reference_site


def schema(name: str) -> Draft202012Validator:
    content = json.loads((ROOT / "rego" / "schemas" / f"{name}.v1.json").read_text())
    Draft202012Validator.check_schema(content)
    return Draft202012Validator(content)


def asked() -> dict[str, Any]:
    """A change of the reference site."""
    data = site_data(reference_site())
    return {**change()["input"], "base": data, "head": data}


@pytest.mark.parametrize("question", [asked(), change()["input"], {**asked(), "base": None, "commits": None}])
def test_changes_fit(question: dict[str, Any]) -> None:
    assert list(schema("change").iter_errors(question)) == []


@pytest.mark.parametrize("key", ["format", "now", "base", "head", "commits"])
def test_a_change_without_a_field_does_not(key: str) -> None:
    question = asked()
    del question[key]
    assert not schema("change").is_valid(question)


@pytest.mark.parametrize("key", sorted(change()["input"]["head"]))
def test_a_site_without_a_field_does_not(key: str) -> None:
    question = change()["input"]
    del question["head"][key]
    assert not schema("change").is_valid(question)


def test_every_verdict_of_the_table_fits() -> None:
    engine, form = CompiledEngine(), schema("verdict")
    for case in CASES:
        assert list(form.iter_errors(verdict_of(engine, case).to_json())) == []


def test_a_verdict_without_its_answer_does_not() -> None:
    assert not schema("verdict").is_valid({"format": "charter.verdict/v1", "violations": [], "revision": "r"})


def test_a_request_fits_with_kind_and_programme_only() -> None:
    request = {"kind": "job", "name": "7", "program": "a/b"}
    question = {"format": "charter.admission/v1", "now": NOW, "request": request}
    assert schema("admission").is_valid(question)
    for key in request:
        assert not schema("admission").is_valid(
            {**question, "request": {name: value for name, value in request.items() if name != key}}
        )
