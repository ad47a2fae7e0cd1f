"""What Slurm would read as another host, what has no bound, and what stays fast."""

from __future__ import annotations

from time import process_time

import pytest

from renderer.notation.error import NotationError
from renderer.notation.hostlist import MAX_HOSTS, count, expand, fold, is_nodename, natural


@pytest.mark.parametrize(
    "text",
    [
        "n" + "9" * 19,
        "n" + "9" * 5000,
        "n[1-" + "9" * 19 + "]",
        "n123456789012[3456789-3456790]",
        "a" * 254,
        "n1," + "n" + "1" * 5000,
    ],
)
def test_a_name_that_slurm_would_not_keep_is_refused(text: str) -> None:
    with pytest.raises(NotationError):
        expand(text)


def test_the_longest_number_and_name_are_taken() -> None:
    longest = "n" + "9" * 18
    assert expand(longest) == (longest,)
    assert fold([longest, "n" + "9" * 17 + "8"]) == f"n[{'9' * 17}8-{'9' * 18}]"
    assert is_nodename("a" * 253)


def test_natural_order_reads_numbers_that_python_would_not_convert() -> None:
    small, large = "n" + "1" * 5000, "n" + "2" * 5000
    assert sorted([large, small, "n10", "n9", "n²"], key=natural) == ["n9", "n10", small, large, "n²"]


def test_leading_zeros_decide_only_between_equal_numbers() -> None:
    assert sorted(["n2", "n01", "n1", "n002", "n0"], key=natural) == ["n0", "n01", "n1", "n002", "n2"]


@pytest.mark.parametrize(
    "text", ["n1,", ",n1", "n1,,n2", "n[]", "n[1,]", "n[1-]", "n[-1]", "n[1-3]x", "default"]
)
def test_what_is_left_half_written_is_refused(text: str) -> None:
    with pytest.raises(NotationError):
        expand(text)


@pytest.mark.parametrize("mark", ["@", "!", "&", "^", "*", " ", "\t", "\n", "\0", "\x7f", "%", ";", "²"])
def test_a_mark_that_is_none_of_slurms_is_named(mark: str) -> None:
    with pytest.raises(NotationError, match="not allowed") as caught:
        expand(f"n1{mark}")
    assert repr(mark) in caught.value.what


def test_a_list_is_counted_without_being_expanded() -> None:
    assert count("r[1-1000000]n[1-1000000],x") == 10**12 + 1
    assert count(f"n[1-{MAX_HOSTS}]") == MAX_HOSTS


def test_nothing_folds_to_nothing_and_twice_counts_once() -> None:
    assert fold([]) == ""
    assert fold(["n1", "n1"]) == "n1"
    assert expand("n1,n[1-2],n2") == ("n1", "n2")


def test_large_sites_fold_and_expand_in_seconds() -> None:
    began = process_time()
    names = expand("su[0001-5000]-n[01-32]")
    assert len(names) == 160_000
    assert len(expand(fold(names))) == 160_000
    assert process_time() - began < 10
