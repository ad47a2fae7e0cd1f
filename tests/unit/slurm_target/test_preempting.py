"""Lists of prey change without a loop at any moment, and none is ever emptied at slurmdbd."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reconciler.plan.action import Change
from reconciler.targets.slurm import accounting
from reconciler.targets.slurm.preempting import in_steps, prey
from renderer.resource import Key
from renderer.rules.qos import NOBODY
from tests.unit.slurm_renderer.eight_nodes import site
from tests.unit.slurm_target.fake_slurm import FakeClient, OpenFence

TIERS = ("a", "b", "c", "d", "e")


def change(name: str, before: str, after: str) -> Change:
    return Change(Key("slurm", "qos", name), "update", {"preempt": before}, {"preempt": after})


@st.composite
def graphs(draw: st.DrawFn) -> dict[str, set[str]]:
    """Who preempts whom, under an order drawn anew."""
    order = draw(st.permutations(TIERS))
    return {
        name: draw(st.sets(st.sampled_from(order[:place]))) if place else set()
        for place, name in enumerate(order)
    }


def looped(graph: dict[str, set[str]]) -> bool:
    left = dict(graph)
    while free := [name for name, prey in left.items() if not prey & left.keys()]:
        for name in free:
            del left[name]
    return bool(left)


@given(graphs(), graphs())
def test_from_any_order_to_any_other_there_is_never_a_loop(
    before: dict[str, set[str]], after: dict[str, set[str]]
) -> None:
    changes = [
        change(name, ",".join(sorted(before[name])), ",".join(sorted(after[name])))
        for name in TIERS
        if before[name] != after[name]
    ]
    live = dict(before)
    for step in in_steps(changes):
        assert live[step.key.name] == set(filter(None, (step.before or {})["preempt"].split(",")))
        live[step.key.name] = set(filter(None, (step.after or {})["preempt"].split(",")))
        assert not looped(live)
    assert live == after


def test_a_list_that_is_to_be_empty_names_somebody_whom_nobody_may_be() -> None:
    client = FakeClient()
    accounting.update(client, site(), [change("b", "a", "")], OpenFence())
    assert [command for command in client.commands() if NOBODY in command] == [
        f"sacctmgr -i add qos {NOBODY} GrpJobs=0 GrpSubmitJobs=0 Description=stands for an empty Preempt",
        f"sacctmgr -i modify qos where name=b set Preempt={NOBODY}",
    ]


def test_which_reads_as_empty() -> None:
    assert prey(NOBODY) == ""
    assert prey(f"b,{NOBODY},a") == "a,b"
