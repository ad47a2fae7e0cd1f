"""What plain YAML values mean here: the same to everybody who reads the file."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from renderer.load.document import parse
from renderer.load.limits import suspicious, values


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7", 7),
        ("-7", -7),
        ("0", 0),
        ("1.5", 1.5),
        ("true", True),
        ("false", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("no", "no"),
        ("off", "off"),
        ("Yes", "Yes"),
        ("NO", "NO"),
        ("012", "012"),
        ("0x1F", "0x1F"),
        ("1_000", "1_000"),
        ("1:30", "1:30"),
        ("1e3", "1e3"),
        (".inf", ".inf"),
        (".nan", ".nan"),
        ("2027-01-01", "2027-01-01"),
        ("2027-01-01T00:00:00Z", "2027-01-01T00:00:00Z"),
        ("9" * 30, "9" * 30),
        ("'7'", "7"),
        ('"true"', "true"),
        ("=", "="),
    ],
)
def test_a_plain_scalar(text: str, value: object) -> None:
    document, faults = parse(f"a: {text}\n".encode())
    assert faults == ()
    assert document == {"a": value}
    assert type(document["a"]) is type(value)


def test_no_fault_hides_another() -> None:
    _, faults = parse(b"a: 1\na: 2\n1: x\nb: {c: 1, c: 2}\n")
    assert [(line, column, rule) for line, column, rule, _, _ in faults] == [
        (2, 1, "yaml-duplicate"),
        (3, 1, "yaml-key"),
        (4, 11, "yaml-duplicate"),
    ]


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**17), 10**17) | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=10), inner, max_size=5),
    max_leaves=30,
)


@given(st.dictionaries(st.text(max_size=10), PLAIN, max_size=5))
def test_what_a_common_writer_writes_is_read_back(document: dict[str, Any]) -> None:
    written = yaml.safe_dump(document, allow_unicode=False)
    read, faults = parse(written.encode())
    kinds = {rule for _, _, rule, _, _ in faults}
    assert kinds <= {"yaml-merge", "yaml-depth", "yaml-tag", "yaml-key"}
    if not faults:
        assert read == document


@given(PLAIN, st.booleans())
def test_the_bound_of_values_is_a_bound(document: Any, flow: bool) -> None:
    written = yaml.safe_dump(document, default_flow_style=flow).encode()
    nodes = sum(isinstance(event, yaml.NodeEvent) for event in yaml.parse(written, Loader=yaml.CSafeLoader))
    assert nodes <= 2 * values(written)


@pytest.mark.parametrize(
    "text",
    [
        "a: &x 1",
        "a: *x",
        "[*x,*y]",
        "{&x a: b}",
        "--- &x\na: 1",
        "? &x a",
        "a: !!str 1",
        "!t {a: 1}",
        "a: &9 1",
        "'a':*x",
    ],
)
def test_anchors_and_tags_never_pass_as_plain(text: str) -> None:
    assert suspicious(text.encode())


def test_plain_files_take_the_fast_path() -> None:
    assert not suspicious(b'paths: ["inventory/**", "policies/*.yaml"]\nnote: R & D\n' * 100)
