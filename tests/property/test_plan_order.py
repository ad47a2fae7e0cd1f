"""The order of any plan, whatever its names and verbs: parents before children going up, the same way back going down."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from reconciler.plan.action import Action, Change, Verb
from reconciler.plan.build import Before, Sight, actions_of
from reconciler.plan.guards import mass_removals
from reconciler.plan.phases import PHASES, in_order, of_phase, phase_of
from reconciler.plan.sizes import shrinks
from reconciler.plan.split import fingerprints
from renderer.model.cluster import Manage, ManageLevel
from renderer.resource import Key, Resource

RANKS = ("qos", "account", "association", "config", "reservation", "kubernetes")
NAMES = st.from_regex(r"[a-c]{1,2}(-[a-c]{1,2})?(/[a-c])?", fullmatch=True)
LEVELS = st.sampled_from(["off", "report", "enforce"])


def _key(kind: str, name: str) -> Key:
    return Key("kubernetes", "ResourceQuota", name) if kind == "kubernetes" else Key("slurm", kind, name)


KEYS = st.builds(_key, st.sampled_from(RANKS), NAMES)
LIMITS = st.none() | st.integers(0, 20)


def _action(key: Key, verb: Verb, before: int | None, after: int | None) -> Action:
    change = Change(
        key,
        verb,
        None if verb == "create" else {"grp_tres": "" if before is None else f"gres/gpu={before}"},
        None if verb == "delete" else {"grp_tres": "" if after is None else f"gres/gpu={after}"},
    )
    return Action("t", change, "why", "none", True)


ACTIONS = st.lists(
    st.builds(_action, KEYS, st.sampled_from(["create", "update", "delete"]), LIMITS, LIMITS),
    unique_by=lambda action: action.change.key,
    max_size=20,
)


def _rank(action: Action) -> int:
    key = action.change.key
    return RANKS.index("kubernetes" if key.engine == "kubernetes" else key.kind)


@given(ACTIONS, st.randoms())
def test_every_action_has_one_place_that_the_order_of_discovery_does_not_move(
    actions: list[Action], random: object
) -> None:
    desired = [Resource(action.change.key, {}) for action in actions if action.change.after is not None]
    ordered = in_order(actions, desired)
    shuffled = list(actions)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert in_order(shuffled, desired) == ordered
    assert sorted(map(str, ordered)) == sorted(map(str, actions))
    assert tuple(action for phase in PHASES for action in of_phase(ordered, phase)) == ordered


@given(ACTIONS)
def test_dependencies_come_first_and_leave_last(actions: list[Action]) -> None:
    ordered = in_order(actions, ())
    for first, second in pairwise(ordered):
        phases = [PHASES.index(phase_of(action.change)) for action in (first, second)]
        assert phases == sorted(phases)
        if phases[0] == phases[1]:
            there, back = _rank(first), _rank(second)
            assert there >= back if second.change.verb == "delete" else there <= back


@given(ACTIONS)
def test_what_lies_below_a_name_is_removed_before_it(actions: list[Action]) -> None:
    place = {action.change.key: at for at, action in enumerate(in_order(actions, ()))}
    removed = [action.change.key for action in actions if action.change.verb == "delete"]
    for above in removed:
        for below in removed:
            if below.kind == above.kind and below != above and below.name.startswith(above.name):
                assert place[below] < place[above]


@given(LIMITS, LIMITS)
def test_what_shrinks_grows_on_the_way_back(before: int | None, after: int | None) -> None:
    there = _action(_key("account", "a"), "update", before, after).change
    back = _action(_key("account", "a"), "update", after, before).change
    assert shrinks(there) + shrinks(back) == (before != after)


STATE = st.dictionaries(KEYS, st.sampled_from("123"), max_size=12)


def _resources(state: dict[Key, str]) -> list[Resource]:
    return [Resource(key, {"description": value}) for key, value in state.items()]


@given(STATE, STATE, STATE, st.sets(KEYS), LEVELS)
def test_change_and_drift_share_the_differences_out_between_them(
    wanted: dict[Key, str], live: dict[Key, str], last: dict[Key, str], owned: set[Key], level: ManageLevel
) -> None:
    sight = Sight(
        "t",
        tuple(_resources(wanted)),
        {item.key: item for item in _resources(live)},
        (),
        lambda _change: "none",
        lambda _changes: {},
    )
    manage = Manage(*[level] * 7)
    actions, drift = actions_of(sight, Before(frozenset(owned), fingerprints(_resources(last))), manage)
    differs = {key for key, value in wanted.items() if live.get(key) != value}
    surplus = {key for key in live if key in owned and key not in wanted} if level != "off" else set()
    unasked = {key for key in differs if last.get(key) == wanted[key]} if level == "report" else set()
    assert {action.change.key for action in actions} == (differs - unasked) | surplus
    assert {action.change.key for action in drift} == unasked
    assert len(actions) + len(drift) == len(differs | surplus)


@given(st.integers(0, 60), st.integers(0, 200))
def test_the_guard_is_exact_at_its_edges(gone: int, kept: int) -> None:
    keys = [Key("slurm", "account", f"a{number}") for number in range(gone + kept)]
    actions = [_action(key, "delete", 1, None) for key in keys[:gone]]
    refused = mass_removals(actions, keys, frozenset(keys), frozenset())
    assert bool(refused) == (gone >= 10 and 10 * gone > 3 * (gone + kept))
    assert [item.kind for item in refused] == ["accounts"] * len(refused)
