"""The rendering as a reviewer reads it, for the reference site and for a small one that uses what the reference doesn't."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from hypothesis import given
from hypothesis import strategies as st

from renderer.load import load
from renderer.model.site import Site
from renderer.slurm import render
from tests.unit.slurm_renderer.eight_nodes import NOW, site
from tests.unit.slurm_renderer.golden import compare

ROOT = Path(__file__).parents[3]
T = TypeVar("T")


def reference() -> Site:
    files = {
        path.relative_to(ROOT).as_posix(): path.read_bytes()
        for folder in ("inventory", "policies")
        for path in (ROOT / folder).rglob("*")
        if path.is_file()
    }
    loaded = load(files)
    assert loaded.site is not None, loaded.problems
    return loaded.site


def test_reference_site() -> None:
    compare("reference", render(reference(), NOW)[0])


def test_eight_nodes() -> None:
    compare("eight-nodes", render(site(), NOW)[0])


@given(st.randoms(use_true_random=False))
def test_order_of_input_changes_no_byte(dice: random.Random) -> None:
    first, remarks = render(site(), NOW)
    second, same_remarks = render(shuffled(site(), dice), NOW)
    assert [(item.key, item.fields) for item in first] == [(item.key, item.fields) for item in second]
    assert remarks == same_remarks


def shuffled(original: Site, dice: random.Random) -> Site:
    """The same site as if every mapping and every list without meaning of order had been written otherwise."""

    def mixed(items: tuple[T, ...]) -> tuple[T, ...]:
        return tuple(dice.sample(items, len(items)))

    def keyed(mapping: dict[str, T]) -> dict[str, T]:
        return {name: mapping[name] for name in mixed(tuple(mapping))}

    nodes, fabric = original.nodes, original.fabric
    groups = tuple(replace(group, features=mixed(group.features)) for group in nodes.groups)
    tenants = {
        name: replace(
            tenant,
            programs=keyed(
                {key: replace(item, qos=mixed(item.qos)) for key, item in tenant.programs.items()}
            ),
        )
        for name, tenant in original.tenants.items()
    }
    partitions = {
        name: replace(door, hosts=mixed(door.hosts), allow_qos=mixed(door.allow_qos))
        for name, door in original.partitions.items()
    }
    return replace(
        original,
        nodes=replace(nodes, groups=mixed(groups), by_name=keyed(dict(nodes.by_name))),
        fabric=replace(fabric, switches=mixed(fabric.switches), links=mixed(fabric.links)),
        slurm_d=keyed(dict(original.slurm_d)),
        tenants=keyed(tenants),
        members=keyed(dict(original.members)),
        partitions=keyed(partitions),
        reservations=keyed(dict(original.reservations)),
        qos=replace(original.qos, tiers=keyed(dict(original.qos.tiers))),
    )
