"""The one built-in that the host lends to the module."""

from __future__ import annotations

import pytest

from reconciler.gate.sprintf import sprintf


@pytest.mark.parametrize(
    ("form", "values", "text"),
    [
        ("", [], ""),
        ("%d of %d", [3, 4], "3 of 4"),
        ("%s", ["a%d"], "a%d"),
        ("%v %v %v", ["x", 1, True], "x 1 true"),
        ("100 %%", [], "100 %"),
        ("%v", [["a", 1]], '["a", 1]'),
    ],
)
def test_verbs(form: str, values: list[object], text: str) -> None:
    assert sprintf(form, values) == text


@pytest.mark.parametrize(
    ("form", "values"),
    [
        ("%d", ["3"]),
        ("%d", [True]),
        ("%d", [1.5]),
        ("%s", [3]),
        ("%x", [3]),
        ("%5d", [3]),
        ("%d", []),
        ("%d", [1, 2]),
        ("%", []),
        (3, []),
        ("a", "b"),
    ],
)
def test_what_cannot_be_formatted_is_undefined(form: object, values: object) -> None:
    assert sprintf(form, values) is None
