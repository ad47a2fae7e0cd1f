"""Our judge keeps one Cerberus validator a schema and remembers what it accepted. It must find what plain Cerberus finds."""

from __future__ import annotations

from typing import Any, ClassVar

from cerberus import TypeDefinition, Validator
from hypothesis import given, settings
from hypothesis import strategies as st

from renderer.load.fields import choice, many, mapping, number, required
from renderer.load.shape import Shape
from tests.counts import count

_GRANT = mapping({"guarantee": required(number(0, 9)), "limit": number(0, 9)})
SCHEMA: dict[str, Any] = {
    "kind": required(choice("a", "b")),
    "grants": {"type": "dict", "valuesrules": _GRANT},
    "more": {"type": "dict", "valuesrules": _GRANT},
    "links": many(
        {
            "to": required({"type": "string"}),
            "rail": number(1, 8),
            "from": {"type": "string", "excludes": "hosts"},
            "hosts": {"type": "string"},
        }
    ),
    "words": {"type": "list", "schema": {"type": "string"}},
    "on": {"type": "boolean"},
}
SCALARS = st.sampled_from([0, 1, 9, 10, -1, True, False, 1.0, 0.0, "a", "b", "", None])
GRANTS = st.dictionaries(st.sampled_from(["guarantee", "limit", "x"]), SCALARS, max_size=3) | SCALARS
LINKS = st.dictionaries(st.sampled_from(["to", "rail", "from", "hosts", "y"]), SCALARS, max_size=4) | SCALARS
DOCUMENTS = st.fixed_dictionaries(
    {},
    optional={
        "kind": SCALARS,
        "grants": st.dictionaries(st.sampled_from("pqr"), GRANTS, max_size=3) | SCALARS,
        "more": st.dictionaries(st.sampled_from("pqr"), GRANTS, max_size=3) | SCALARS,
        "links": st.lists(LINKS, max_size=3) | SCALARS,
        "words": st.lists(SCALARS, max_size=3) | SCALARS,
        "on": SCALARS,
        "unknown": SCALARS,
    },
)
KEPT = Shape(SCHEMA)


class Plain(Validator):  # type: ignore[misc]
    """Cerberus as it is, but for the one difference that is meant: true is no number."""

    types_mapping: ClassVar[dict[str, TypeDefinition]] = {
        **Validator.types_mapping,
        "integer": TypeDefinition("integer", (int,), (bool,)),
    }


def _places(validator: Validator) -> set[tuple[Any, ...]]:
    found: set[tuple[Any, ...]] = set()
    pending = list(validator._errors)
    while pending:
        error = pending.pop()
        if error.is_group_error:
            pending.extend(error.child_errors)
        else:
            path = error.document_path
            found.add(path[:-1] if error.rule == "required" else path)
    return found


@settings(max_examples=count(400, 8000))
@given(DOCUMENTS)
def test_the_same_faults_as_cerberus(document: dict[str, Any]) -> None:
    plain = Plain(SCHEMA)
    accepted = plain.validate(document, normalize=False)
    findings = KEPT.findings_of("f.yaml", document)
    assert (findings == ()) == accepted
    assert {finding.keys for finding in findings} == _places(plain)


def test_equal_numbers_of_another_type_are_judged_anew() -> None:
    judge = Shape(SCHEMA)
    assert judge.findings_of("f", {"kind": "a", "grants": {"p": {"guarantee": 1}}}) == ()
    wrong = judge.findings_of(
        "f", {"kind": "a", "grants": {"p": {"guarantee": True}, "q": {"guarantee": 1.0}}}
    )
    assert [finding.keys for finding in wrong] == [("grants", "p", "guarantee"), ("grants", "q", "guarantee")]


def test_a_fault_is_found_again_in_the_next_file() -> None:
    judge = Shape(SCHEMA)
    bad = {"kind": "a", "grants": {"p": {"guarantee": 10}}}
    assert judge.findings_of("one", bad)[0].path == "one"
    assert judge.findings_of("two", bad)[0].path == "two"
