"""Host lists under random names and under text that nobody meant as one."""

from __future__ import annotations

import re
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from renderer.notation.error import NotationError
from renderer.notation.hostlist import count, expand, fold, is_nodename, natural

NUMBERS = st.lists(st.integers(0, 150), min_size=1, max_size=60)
WIDTHS = st.integers(1, 4)
NAMES = st.lists(
    st.tuples(st.sampled_from(["n", "su01-n"]), st.integers(0, 120), st.integers(1, 3)).map(
        lambda part: f"{part[0]}{part[1]:0{part[2]}d}"
    ),
    min_size=1,
    max_size=60,
)
LIKE_A_LIST = st.text(alphabet="nr019-,[]._@*² \n", max_size=30)


@given(NUMBERS, WIDTHS)
def test_names_of_one_width_come_back_in_natural_order(numbers: list[int], width: int) -> None:
    names = [f"n{number:0{width}d}" for number in numbers if len(str(number)) <= width] or ["n0"]
    assert list(expand(fold(names))) == sorted(set(names), key=natural)


@given(NAMES)
def test_a_bracket_never_mixes_padded_and_unpadded_numbers(names: list[str]) -> None:
    for bracket in re.findall(r"\[([^\]]*)\]", fold(names)):
        numbers = re.split("[,-]", bracket)
        padded = any(number.startswith("0") and len(number) > 1 for number in numbers)
        assert not padded or len(set(map(len, numbers))) == 1


@given(LIKE_A_LIST)
def test_any_text_is_a_list_of_node_names_or_refused(text: str) -> None:
    try:
        names = expand(text)
    except NotationError:
        return
    assert all(map(is_nodename, names))
    assert len(names) <= count(text)
    assert set(expand(fold(names))) == set(names)


@given(st.lists(st.sampled_from(["1", "01", "2-4", "09-11"]), min_size=1, max_size=3, unique=True), WIDTHS)
def test_an_outer_axis_gives_every_combination(racks: list[str], nodes: int) -> None:
    outer = expand(f"r[{','.join(racks)}]")
    written = expand(f"r[{','.join(racks)}]n[1-{nodes}]")
    assert set(written) == {f"{rack}n{node}" for rack, node in product(outer, range(1, nodes + 1))}


@given(
    st.lists(st.text(alphabet="an0123456789²٣", max_size=12), max_size=8).flatmap(
        lambda names: st.tuples(st.just(names), st.permutations(names))
    )
)
def test_natural_order_is_one_order_of_any_text(both: tuple[list[str], list[str]]) -> None:
    names, shuffled = both
    assert sorted(shuffled, key=natural) == sorted(names, key=natural)
