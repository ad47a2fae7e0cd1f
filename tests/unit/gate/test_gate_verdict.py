"""A verdict is believed only in its exact shape."""

from __future__ import annotations

from typing import Any

import pytest

from reconciler.gate.verdict import Verdict, Violation, conclude, denied

WARN = Violation("b", "s", "m", "", "r", "warn")
DENY = Violation("a", "s", "m", "w", "r", "deny")
WAIVED = Violation("a", "s", "m", "w", "r", "deny", "a reason")


def test_warnings_and_waived_denials_allow_and_stay_visible() -> None:
    verdict = conclude([WARN, WAIVED], "r")
    assert verdict.allow
    assert verdict.violations == (WAIVED, WARN)


def test_one_denial_denies() -> None:
    assert not conclude([WARN, DENY, WAIVED], "r").allow


def test_violations_are_listed_once_and_in_order() -> None:
    assert conclude([WARN, DENY, WARN], "r").violations == (DENY, WARN)


def test_json_round_trip() -> None:
    for verdict in (conclude([WARN, WAIVED], "r"), conclude([DENY], "r"), denied("w", "r", "x")):
        assert Verdict.from_json(verdict.to_json()) == verdict


def _verdict(**changes: Any) -> dict[str, Any]:
    return {**conclude([DENY], "r").to_json(), **changes}


def _violation(**changes: Any) -> dict[str, Any]:
    return {**DENY.to_json(), **changes}


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {},
        _verdict(format="charter.verdict/v2"),
        _verdict(allow=True),
        _verdict(allow=0),
        _verdict(allow=None),
        _verdict(violations=None),
        _verdict(violations=[]),
        _verdict(revision=1),
        _verdict(more=1),
        _verdict(violations=[_violation(severity="info")]),
        _verdict(violations=[_violation(message=1)]),
        _verdict(violations=[_violation(waived_by=None)]),
        _verdict(violations=[_violation(more="x")]),
        _verdict(violations=["a"]),
        {key: value for key, value in _verdict().items() if key != "revision"},
    ],
)
def test_anything_else_is_no_verdict(value: object) -> None:
    with pytest.raises(ValueError):
        Verdict.from_json(value)
