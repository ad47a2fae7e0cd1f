"""Names of tenants and programmes, and the account that two of them make."""

from __future__ import annotations

import pytest

from renderer.notation.names import MAX_NAME, account_of, is_name


@pytest.mark.parametrize("name", ["a", "health", "a1", "a-b", "a--b", "a" * MAX_NAME])
def test_names(name: str) -> None:
    assert is_name(name)


@pytest.mark.parametrize(
    "name", ["", "A", "1a", "-a", "a-", "a_b", "a.b", "a b", "a\n", "é", "a/b", "a" * (MAX_NAME + 1)]
)
def test_what_is_no_name(name: str) -> None:
    assert not is_name(name)


def test_two_programmes_can_make_one_account() -> None:
    assert account_of("health", "screening") == "health-screening"
    assert account_of("a-b", "c") == account_of("a", "b-c")
