"""Folding, order and round trips over random names, durations and record texts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reconciler.audit.record import decode, encode
from renderer.notation.durations import seconds, slurm_time
from renderer.notation.hostlist import expand, fold, natural

PREFIXES = st.sampled_from(["n", "su01-n", "r1n", "gpu-a", "x0y"])
NUMBERS = st.one_of(
    st.integers(0, 120).map(str),
    st.integers(0, 120).map(lambda value: f"{value:02d}"),
    st.integers(0, 120).map(lambda value: f"{value:03d}"),
)
NAMES = st.lists(
    st.one_of(st.tuples(PREFIXES, NUMBERS).map("".join), st.sampled_from(["login", "head.a"])),
    min_size=1,
    max_size=60,
)


@given(NAMES)
def test_expanding_a_fold_gives_the_names_back(names: list[str]) -> None:
    assert sorted(expand(fold(names))) == sorted(set(names))


@given(NAMES, st.randoms())
def test_a_fold_does_not_depend_on_order(names: list[str], random: object) -> None:
    shuffled = sorted(names, key=lambda _: random.random())  # type: ignore[attr-defined]
    assert fold(shuffled) == fold(names)
    assert fold(expand(fold(names))) == fold(names)


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=20))
def test_natural_order_is_numeric(numbers: list[int]) -> None:
    names = sorted((f"n{number}" for number in numbers), key=natural)
    assert [int(name[1:]) for name in names] == sorted(numbers)


@given(st.integers(0, 3000 * 86400))
def test_slurm_times_round_trip(total: int) -> None:
    assert seconds(slurm_time(total)) == total


@given(st.text(max_size=80))
def test_a_text_has_one_encoded_form(text: str) -> None:
    encoded = encode(text) if _encodable(text) else "x"
    assert all(" " <= mark <= "~" for mark in encoded)
    assert encoded == encoded.strip(" ")
    assert not _encodable(text) or decode(encoded) == text


def _encodable(text: str) -> bool:
    return not any(0xD800 <= ord(mark) <= 0xDFFF for mark in text)
