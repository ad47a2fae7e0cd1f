"""Difference, drift, size and order: plain data in, plain data out."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reconciler.plan.action import Action, Change, Job, RestartClass, Verb
from reconciler.plan.build import Before, Sight, actions_of
from reconciler.plan.diff import differences
from reconciler.plan.digests import change_digest, live_digest
from reconciler.plan.guards import CONFIRM_KINDS, confirm_kind, mass_removals
from reconciler.plan.phases import in_order, of_phase, phase_of
from reconciler.plan.sizes import shrinks
from reconciler.plan.split import fingerprints, level
from renderer.model.cluster import Manage
from renderer.resource import Key, Resource


def _key(name: str, kind: str = "account", engine: str = "slurm") -> Key:
    return Key(engine, kind, name)  # type: ignore[arg-type]


def _resource(name: str, value: str = "1", kind: str = "account") -> Resource:
    return Resource(_key(name, kind), {"value": value})


def _action(
    key: Key,
    verb: Verb = "delete",
    before: dict[str, object] | None = None,
    after: dict[str, object] | None = None,
) -> Action:
    return Action("slurm", Change(key, verb, before, after), "why", "none", True)


STATES = st.dictionaries(st.sampled_from("abcdef"), st.sampled_from("12"), max_size=6)


@given(STATES, STATES, st.sets(st.sampled_from("abcdef")))
def test_applying_a_difference_gives_the_desired_and_leaves_what_is_foreign(
    wanted: dict[str, str], live: dict[str, str], owned: set[str]
) -> None:
    desired = [_resource(name, value) for name, value in wanted.items()]
    observed = {_key(name): _resource(name, value) for name, value in live.items()}
    state = {key.name: str(item.fields["value"]) for key, item in observed.items()}
    for change in differences(desired, observed, frozenset(map(_key, owned))):
        assert (change.verb == "create") == (change.before is None)
        assert (change.verb == "delete") == (change.after is None)
        if change.after is None:
            assert change.key.name in owned
            del state[change.key.name]
        else:
            state[change.key.name] = str(change.after["value"])
    foreign = {name: value for name, value in live.items() if name not in wanted and name not in owned}
    assert state == {**wanted, **foreign}


def test_each_difference_has_its_verb_and_both_sides_and_removals_come_last_by_name() -> None:
    desired = [_resource("b", "2"), _resource("a", "1")]
    live = [_resource("b", "1"), _resource("z"), _resource("y")]
    owned = frozenset(item.key for item in live)
    assert differences(desired, {item.key: item for item in live}, owned) == (
        Change(_key("b"), "update", {"value": "1"}, {"value": "2"}),
        Change(_key("a"), "create", None, {"value": "1"}),
        Change(_key("y"), "delete", {"value": "1"}, None),
        Change(_key("z"), "delete", {"value": "1"}, None),
    )


def test_nothing_differs_from_itself() -> None:
    items = [_resource("a"), _resource("b")]
    assert differences(items, {item.key: item for item in items}, frozenset()) == ()


def _update(before: dict[str, object], after: dict[str, object]) -> Change:
    return Change(_key("a"), "update", before, after)


@pytest.mark.parametrize(
    ("before", "after", "less"),
    [
        ({"grp_tres": "gres/gpu=8"}, {"grp_tres": "gres/gpu=4"}, True),
        ({"grp_tres": "gres/gpu=4"}, {"grp_tres": "gres/gpu=8"}, False),
        ({"grp_tres": "gres/gpu=8"}, {"grp_tres": "gres/gpu=8"}, False),
        ({"grp_tres": ""}, {"grp_tres": "gres/gpu=8"}, True),
        ({"grp_tres": "gres/gpu=8"}, {"grp_tres": ""}, False),
        ({"grp_tres": "cpu=1,gres/gpu=8"}, {"grp_tres": "cpu=9,gres/gpu=7"}, True),
        ({"max_wall": "100"}, {"max_wall": "50"}, True),
        ({"max_wall": "50"}, {"max_wall": "100"}, False),
        ({"max_tres_per_job": "gres/gpu=2"}, {"max_tres_per_job": "gres/gpu=1"}, True),
        (
            {"spec": {"hard": {"requests.nvidia.com/gpu": "8"}}},
            {"spec": {"hard": {"requests.nvidia.com/gpu": "4"}}},
            True,
        ),
        (
            {"spec": {"hard": {"requests.nvidia.com/gpu": "4"}}},
            {"spec": {"hard": {"requests.nvidia.com/gpu": "8"}}},
            False,
        ),
        ({"description": "9"}, {"description": "1"}, False),
    ],
)
def test_what_takes_something_away_is_a_shrinking_update(
    before: dict[str, object], after: dict[str, object], less: bool
) -> None:
    change = _update(before, after)
    assert shrinks(change) is less
    assert phase_of(change) == ("shrink" if less else "create")


def test_creates_and_removals_never_shrink() -> None:
    assert phase_of(Change(_key("a"), "create", None, {"grp_tres": "gres/gpu=1"})) == "create"
    assert phase_of(Change(_key("a"), "delete", {"grp_tres": "gres/gpu=1"}, None)) == "remove"


KINDS = [
    _key("q", "qos"),
    _key("t", "account"),
    _key("t-p", "account"),
    _key("t-p/u", "association"),
    _key("slurm.conf", "config"),
    _key("r", "reservation"),
    _key("n", "Namespace", "kubernetes"),
]


@given(st.permutations(KINDS))
def test_creation_runs_along_dependency_and_removal_back(shuffled: list[Key]) -> None:
    desired = [Resource(key, {}) for key in KINDS]
    created = in_order([_action(key, "create", None, {}) for key in shuffled], desired)
    assert [action.change.key for action in created] == KINDS
    removed = in_order([_action(key, "delete", {}, None) for key in shuffled], ())
    assert [action.change.key for action in removed] == list(reversed(KINDS))


def test_within_a_kind_creation_keeps_the_order_of_the_rendering() -> None:
    desired = [_resource(name) for name in ("z", "a", "m")]
    actions = [_action(_key(name), "create", None, {}) for name in ("a", "m", "z")]
    assert [action.change.key.name for action in in_order(actions, desired)] == ["z", "a", "m"]


def test_phases_come_one_after_the_other() -> None:
    grow, shrink = (
        _update({"grp_tres": "cpu=1"}, {"grp_tres": "cpu=2"}),
        _update({"grp_tres": "cpu=2"}, {"grp_tres": "cpu=1"}),
    )
    actions = [
        Action("slurm", change, "", "none", True)
        for change in (Change(_key("z"), "delete", {}, None), shrink, grow)
    ]
    ordered = in_order(actions, ())
    assert [phase_of(action.change) for action in ordered] == ["create", "shrink", "remove"]
    assert [len(of_phase(ordered, phase)) for phase in ("create", "shrink", "remove")] == [1, 1, 1]


@pytest.mark.parametrize(
    ("gone", "total", "refused"),
    [(9, 9, False), (10, 100, False), (10, 33, True), (30, 100, False), (31, 100, True), (10, 10, True)],
)
def test_more_than_thirty_percent_and_ten_or_more_need_a_confirmation(
    gone: int, total: int, refused: bool
) -> None:
    owned = frozenset(_key(f"a{number}") for number in range(total))
    actions = [_action(key) for key in sorted(owned, key=lambda key: key.name)[:gone]]
    found = mass_removals(actions, owned, owned, frozenset())
    assert bool(found) is refused
    if refused:
        assert found[0].kind == "accounts"
        assert f"({gone} of {total}, limit 30 %)" in found[0].sentence
        assert "--confirm accounts" in found[0].sentence
    assert mass_removals(actions, owned, owned, frozenset({"accounts"})) == ()


def test_only_what_charter_owns_counts_in_the_share() -> None:
    owned = frozenset(_key(f"a{number}") for number in range(12))
    foreign = [_key(f"f{number}") for number in range(1000)]
    actions = [_action(key) for key in owned]
    assert "100.0 %" in mass_removals(actions, [*owned, *foreign], owned, frozenset())[0].sentence
    creates = [_action(key, "create", None, {}) for key in owned]
    assert mass_removals(creates, owned, owned, frozenset()) == ()


def test_every_guarded_kind_is_one_that_can_be_confirmed() -> None:
    kinds = {
        "account": "accounts",
        "association": "accounts",
        "qos": "qos",
        "reservation": "reservations",
        "Node": "nodes",
        "Namespace": "namespaces",
    }
    assert {kind: confirm_kind(_key("a", kind)) for kind in kinds} == kinds
    assert set(kinds.values()) < set(CONFIRM_KINDS)
    assert confirm_kind(_key("slurm.conf", "config")) is None


def test_digests_are_of_content_and_of_all_of_it() -> None:
    base = ("a" * 64, "b" * 64, "0.1.0", "c" * 64)
    digest = change_digest(*base)
    assert digest == change_digest(*base)
    others = [
        (None, *base[1:]),
        (base[1], *base[1:]),
        (base[0], "x", *base[2:]),
        (*base[:2], "0.2.0", base[3]),
        (*base[:3], "y"),
    ]
    assert len({change_digest(*other) for other in others} | {digest}) == 6
    live = live_digest(digest, [_resource("a"), _resource("b")])
    assert live == live_digest(digest, [_resource("b"), _resource("a")])
    assert live != live_digest(digest, [_resource("a"), _resource("b", "2")])
    assert live != live_digest("other", [_resource("a"), _resource("b")])
    assert len(live) == 64


def test_digests_are_the_ones_that_approvals_and_records_of_the_first_release_name() -> None:
    digest = change_digest("a" * 64, "b" * 64, "0.1.0", "c" * 64)
    assert digest == "f94f09af955e3632a1a22d6462ef873c19a8ed5aa5841d369cb69718d42b0cd3"
    assert (
        change_digest(None, "b" * 64, "0.1.0", "c" * 64)
        == "ccdd7211bdfb909ebc9158e599739387b0ad12c7acb85f6768c87d08b2f5c750"
    )
    assert (
        live_digest(digest, [_resource("a")])
        == "138b3880a35ee9443a6cc746511245ea45da121bd3fdd5a644b3107d417824f2"
    )


def _sight(
    desired: list[Resource], observed: list[Resource], jobs: dict[Key, tuple[Job, ...]] | None = None
) -> Sight:
    return Sight(
        "slurm",
        tuple(desired),
        {item.key: item for item in observed},
        (),
        lambda _change: "none",
        lambda _changes: jobs or {},
    )


def test_drift_is_what_no_commit_asked_for_and_is_mended_only_where_enforced() -> None:
    before = Before(frozenset(), fingerprints([_resource("a", "1"), _resource("b", "1")]))
    sight = _sight([_resource("a", "1"), _resource("b", "2")], [_resource("a", "9"), _resource("b", "1")])
    actions, drift = actions_of(sight, before, Manage(accounts="report"))
    assert [(item.change.key.name, item.why) for item in actions] == [("b", "declared otherwise")]
    assert [(item.change.key.name, item.why) for item in drift] == [("a", "drifted from what was applied")]
    actions, drift = actions_of(sight, before, Manage(accounts="enforce"))
    assert {item.change.key.name for item in actions} == {"a", "b"}
    assert drift == ()


def test_a_removal_tells_its_jobs_and_the_confirmation_it_needs() -> None:
    job = Job("7", "asta", "a", 8, "RUNNING", 60)
    for key, wanted in (
        (_key("a"), "jobs"),
        (_key("a", "Namespace", "kubernetes"), "namespaces"),
    ):
        gone = Resource(key, {"value": "1"})
        before = Before(frozenset({gone.key}), {})
        actions, _ = actions_of(_sight([], [gone], {gone.key: (job,)}), before, Manage())
        assert (actions[0].confirm, actions[0].jobs, actions[0].reversible, actions[0].why) == (
            wanted,
            (job,),
            False,
            "no longer declared",
        )
        actions, _ = actions_of(_sight([], [gone]), before, Manage())
        assert (actions[0].confirm, actions[0].jobs) == (None, ())


def test_what_is_created_is_declared_and_can_be_undone() -> None:
    actions, _ = actions_of(_sight([_resource("a")], []), Before(frozenset(), {}), Manage())
    assert (actions[0].why, actions[0].reversible, actions[0].confirm, actions[0].target) == (
        "declared",
        True,
        None,
        "slurm",
    )


@pytest.mark.parametrize(
    ("key", "manage"),
    [
        (_key("a"), Manage(accounts="off")),
        (_key("a/u", "association"), Manage(accounts="off")),
        (_key("q", "qos"), Manage(qos="off")),
        (_key("r", "reservation"), Manage(reservations="off")),
        (_key("slurm.conf", "config"), Manage(config="off")),
        (_key("topology.conf", "config"), Manage(topology="off")),
        (_key("n", "Namespace", "kubernetes"), Manage(kubernetes="off")),
    ],
)
def test_a_part_that_is_handed_over_is_left_where_it_is(key: Key, manage: Manage) -> None:
    sight = _sight([], [Resource(key, {"value": "1"})])
    before = Before(frozenset({key}), {})
    assert actions_of(sight, before, manage) == ((), ())
    actions, _ = actions_of(sight, before, Manage())
    assert [(action.change.verb, action.change.key) for action in actions] == [("delete", key)]


def test_a_topology_that_the_site_keeps_in_slurm_d_is_still_written() -> None:
    wanted = _resource("topology.conf", kind="config")
    actions, drift = actions_of(_sight([wanted], []), Before(frozenset(), {}), Manage(topology="off"))
    assert [action.change.verb for action in actions] == ["create"]
    assert drift == ()


def test_what_makes_it_take_effect_is_the_target_s_word_on_that_change() -> None:
    asked: list[Change] = []

    def judged(change: Change) -> RestartClass:
        asked.append(change)
        return "restart slurmd"

    sight = replace(_sight([_resource("a")], []), restart_class=judged)
    actions, _ = actions_of(sight, Before(frozenset(), {}), Manage())
    assert (asked, actions[0].restart) == ([actions[0].change], "restart slurmd")


def test_jobs_are_asked_for_only_what_the_plan_would_change() -> None:
    asked: list[tuple[str, ...]] = []
    kept, gone = _resource("kept", kind="qos"), _resource("gone")
    sight = replace(
        _sight([], [kept, gone]),
        jobs=lambda changes: asked.append(tuple(change.key.name for change in changes)) or {},  # type: ignore[func-returns-value]
    )
    actions_of(sight, Before(frozenset({kept.key, gone.key}), {}), Manage(qos="off"))
    assert asked == [("gone",)]


def test_each_part_has_its_level() -> None:
    manage = Manage("off", "report", "enforce", "off", "report", "enforce", "off")
    wanted = {
        ("slurm.conf", "config"): "off",
        ("topology.conf", "config"): "report",
        ("a", "account"): "off",
        ("a/u", "association"): "off",
        ("q", "qos"): "report",
        ("r", "reservation"): "enforce",
    }
    assert {pair: level(_key(*pair), manage) for pair in wanted} == wanted
    assert level(_key("n", "Namespace", "kubernetes"), manage) == "off"
