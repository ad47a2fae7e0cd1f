"""Over random tiers: the least job of a tier comes before the best of the tier below, in whole points."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from renderer.model.qos import QosTiers
from renderer.model.site import Site
from renderer.slurm.arithmetic import arithmetic
from renderer.slurm.priority import weights
from tests.unit.slurm_renderer.eight_nodes import site as eight_nodes

PRIORITIES = st.lists(st.integers(1, 65534), min_size=2, max_size=8, unique=True)


def with_tiers(priorities: list[int]) -> Site:
    base = eight_nodes()
    given_tier = next(iter(base.qos.tiers.values()))
    tiers = {f"t{n}": replace(given_tier, name=f"t{n}", priority=n, preempts=()) for n in priorities}
    return replace(base, qos=QosTiers(60, tiers))


@given(PRIORITIES)
def test_the_least_of_a_tier_is_above_the_best_of_the_next(priorities: list[int]) -> None:
    site = with_tiers(priorities)
    down = sorted(priorities, reverse=True)
    for high, low in pairwise(down):
        least = arithmetic(site, f"t{high}", 0.0, 0)
        best = arithmetic(site, f"t{low}", 1.0, 10**9)
        assert least.total > best.total
        assert least.below is not None
        assert least.below[0] == f"t{low}"
        assert least.total > least.below[1] >= best.total


@given(PRIORITIES)
def test_the_whole_fits_32_bits(priorities: list[int]) -> None:
    found = weights(with_tiers(priorities).qos)
    assert found.qos + found.fairshare + found.age < 2**32


def test_a_step_worth_exactly_the_other_factors_is_not_enough() -> None:
    assert weights(with_tiers([11_000, 10_000, 1]).qos).qos > 11_000
