"""Nodes that share all their leaves are one logical leaf."""

from __future__ import annotations

from renderer.fabric.collapse import units
from renderer.fabric.levels import levels
from renderer.model.fabric import Fabric, Link, SwitchGroup
from renderer.model.nodes import Node, NodeGroup, Nodes, NodeType
from renderer.notation.hostlist import expand


def nodes(hosts: str) -> Nodes:
    kind = NodeType("t", 1, 1, 1, 1, 1, None, (), (), None)
    group = NodeGroup(expand(hosts), "t", None, "z", (), 1, None, None, None)
    return Nodes({"t": kind}, (group,), {host: Node(host, kind, group) for host in group.hosts})


def fabric(
    switches: list[tuple[str, int]], hosts: list[tuple[str, str]], trunks: list[tuple[str, str]]
) -> Fabric:
    return Fabric(
        "infiniband",
        8,
        1,
        tuple(SwitchGroup(expand(names), tier, None, None) for names, tier in switches),
        tuple(Link(expand(ends), True, expand(to), None, 400, 1) for ends, to in hosts)
        + tuple(Link(expand(ends), False, expand(to), None, 400, 1) for ends, to in trunks),
        (),
    )


RAILS = fabric(
    [("su01-leaf-r[1-8],su02-leaf-r[1-8]", 1), ("spine[1-8]", 2)],
    [("su02-n[01-04]", "su02-leaf-r[1-8]"), ("su01-n[01-04]", "su01-leaf-r[1-8]")],
    [("su01-leaf-r[1-8],su02-leaf-r[1-8]", "spine[1-8]")],
)


def test_nodes_on_the_same_leaves_are_one_unit_named_after_the_scalable_unit() -> None:
    found = units(RAILS, nodes("su02-n[01-04],su01-n[01-04]"))
    assert [unit.name for unit in found] == ["su01", "su02"]
    assert found[0].hosts == expand("su01-n[01-04]")
    assert found[0].leaves == expand("su01-leaf-r[1-8]")
    assert found[0].spines == expand("spine[1-8]")


def test_units_are_the_same_whatever_the_order_of_hosts() -> None:
    assert units(RAILS, nodes("su02-n[01-04],su01-n[01-04]")) == units(
        RAILS, nodes("su01-n[01-04],su02-n[01-04]")
    )


def test_a_node_with_another_set_of_leaves_is_a_unit_of_its_own() -> None:
    odd = fabric([("leaf[1-3]", 1)], [("n[1-2]", "leaf[1-2]"), ("n3", "leaf[2-3]")], [])
    found = units(odd, nodes("n[1-3]"))
    assert [(unit.name, unit.hosts) for unit in found] == [("unit01", ("n1", "n2")), ("unit02", ("n3",))]


def test_a_plain_tree_keeps_its_leaf_names() -> None:
    plain = fabric(
        [("leaf[1-2]", 1), ("spine", 2)], [("n[1-2]", "leaf1"), ("n[3-4]", "leaf2")], [("leaf[1-2]", "spine")]
    )
    assert [unit.name for unit in units(plain, nodes("n[1-4]"))] == ["leaf1", "leaf2"]


def test_hosts_name_the_unit_where_leaves_share_nothing() -> None:
    wired = fabric([("a,b,c,d", 1)], [("su1-n[1-2]", "a,b"), ("su2-n[1-2]", "c,d")], [])
    assert [unit.name for unit in units(wired, nodes("su1-n[1-2],su2-n[1-2]"))] == ["su1", "su2"]


def test_a_unit_never_takes_a_spines_name() -> None:
    wired = fabric(
        [("x-leaf1,x-leaf2", 1), ("x", 2)], [("x-n[1-2]", "x-leaf1,x-leaf2")], [("x-leaf1,x-leaf2", "x")]
    )
    assert units(wired, nodes("x-n[1-2]"))[0].name == "unit01"


def test_a_host_without_a_cable_is_in_no_unit() -> None:
    assert [unit.hosts for unit in units(RAILS, nodes("su01-n01,login1"))] == [("su01-n01",)]


def test_one_spine_group_spans_units_that_share_spines() -> None:
    (spines,) = levels(RAILS, units(RAILS, nodes("su01-n[01-04],su02-n[01-04]")))
    assert [(group.name, group.children, group.switches) for group in spines] == [
        ("spine", ("su01", "su02"), expand("spine[1-8]"))
    ]


def test_pods_with_spines_of_their_own_meet_at_the_core() -> None:
    pods = fabric(
        [("leaf[1-4]", 1), ("s[1-2]", 2), ("c1", 3)],
        [(f"n{index}", f"leaf{index}") for index in range(1, 5)],
        [("leaf[1-2]", "s1"), ("leaf[3-4]", "s2"), ("s[1-2]", "c1")],
    )
    spines, cores = levels(pods, units(pods, nodes("n[1-4]")))
    assert [(group.name, group.children) for group in spines] == [
        ("spine01", ("leaf1", "leaf2")),
        ("spine02", ("leaf3", "leaf4")),
    ]
    assert [(group.name, group.children) for group in cores] == [("core", ("spine01", "spine02"))]
