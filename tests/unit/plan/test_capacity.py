"""Capacity before and after, on the reference site."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from reconciler.gate.verdict import Verdict
from reconciler.plan.action import Action, Change, Verb
from reconciler.plan.capacity import CapacityRow, capacity, rows
from reconciler.plan.plan import Plan, Revision, counts
from renderer.load import load
from renderer.model.site import Site
from renderer.model.tenants import Grant, Quota
from renderer.resource import Key

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def site() -> Site:
    files = [path for top in ("inventory", "policies") for path in (ROOT / top).rglob("*") if path.is_file()]
    loaded = load({path.relative_to(ROOT).as_posix(): path.read_bytes() for path in files})
    assert loaded.site is not None
    return loaded.site


def test_flexible_nodes_count_to_no_plane(site: Site) -> None:
    assert capacity(site) == {
        ("training", "h200"): 384,
        ("training", "any"): 384,
        ("inference", "h200"): 96,
        ("inference", "any"): 96,
    }


def test_without_a_base_there_is_no_before(site: Site) -> None:
    found = {(row.plane, row.holder): row for row in rows(None, site)}
    assert found["training", "weather"] == CapacityRow(
        "training", "h200", "weather", None, 96, None, 160, 384
    )
    assert found["training", "~all"] == CapacityRow("training", "h200", "~all", None, 360, None, 656, 384)
    assert found["inference", "~all"] == CapacityRow("inference", "h200", "~all", None, 88, None, 120, 96)
    assert [row.holder for row in rows(None, site) if row.plane == "training"] == [
        "health",
        "language",
        "regulator",
        "weather",
        "~all",
    ]


def test_a_change_shows_both_and_what_came_or_went_is_zero_before_or_after(site: Site) -> None:
    weather = site.tenants["weather"]
    grown = replace(weather, quota=Quota({"h200": Grant(104, 170)}, weather.quota.inference))
    tenants = {
        **{name: tenant for name, tenant in site.tenants.items() if name != "health"},
        "weather": grown,
    }
    found = {(row.plane, row.holder): row for row in rows(site, replace(site, tenants=tenants))}
    assert found["training", "weather"] == CapacityRow("training", "h200", "weather", 96, 104, 160, 170, 384)
    assert found["training", "health"] == CapacityRow("training", "h200", "health", 72, 0, 128, 0, 384)
    assert found["training", "~all"] == CapacityRow("training", "h200", "~all", 360, 296, 656, 538, 384)
    back = {(row.plane, row.holder): row for row in rows(replace(site, tenants=tenants), site)}
    assert back["inference", "health"] == CapacityRow("inference", "h200", "health", 0, 24, 0, 32, 96)


def test_a_grant_of_a_model_that_no_node_has_stands_beside_a_capacity_of_zero(site: Site) -> None:
    weather = site.tenants["weather"]
    odd = replace(weather, quota=Quota({"b300": Grant(1, 2)}, {}))
    found = rows(None, replace(site, tenants={"weather": odd}))
    assert found == (
        CapacityRow("training", "b300", "weather", None, 1, None, 2, 0),
        CapacityRow("training", "b300", "~all", None, 1, None, 2, 0),
    )


def test_a_plan_counts_its_verbs_and_gives_a_target_its_own() -> None:
    verbs: tuple[Verb, ...] = ("create", "create", "update", "delete", "delete", "delete")
    actions = tuple(
        Action(
            "a" if number % 2 else "b",
            Change(Key("slurm", "qos", str(number)), verb, {}, {}),
            "",
            "none",
            True,
        )
        for number, verb in enumerate(verbs)
    )
    plan = Plan(None, Revision(None, ""), actions, (), {}, (), Verdict(True, (), ""), (), "", None, "", "")
    assert counts(actions) == (2, 1, 3)
    assert [action.change.key.name for action in plan.of_target("a")] == ["1", "3", "5"]
