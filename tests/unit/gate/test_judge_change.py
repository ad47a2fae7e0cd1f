"""Changes of the reference site, judged from end to end by the compiled module."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from reconciler.errors import Terminal
from reconciler.gate.change import Commit, judge_change
from reconciler.gate.compiled import CompiledEngine
from reconciler.gate.policy import builtin_sources
from reconciler.gate.verdict import Verdict
from renderer.model.governance import Approvers, Freeze, Waiver
from renderer.model.site import Site
from tests.unit.gate.reference import reference_site, with_

NOW = datetime(2026, 10, 1, tzinfo=UTC)
THOR = Commit("c1", ("policies/tenants/health.yaml",), "thor")
SIGRUN = Commit("c1", ("policies/approvers.yaml", "policies/waivers.yaml"), "sigrun")


def signed(site: Site, **changes: Any) -> Approvers:
    return replace(site.approvers, require="signed", **changes)


def wanderer() -> dict[str, Any]:
    """A programme in a zone that may not hold its data."""
    tenant = reference_site().tenants["health"]
    program = replace(tenant.programs["screening"], zones=("reykjavik-b",))
    return {
        **reference_site().tenants,
        "health": replace(tenant, programs={**tenant.programs, "screening": program}),
    }


def judged(base: Site | None, head: Site, *commits: Commit) -> Verdict:
    return judge_change(CompiledEngine(), base, head, commits, NOW)


def ids(verdict: Verdict) -> set[tuple[str, str]]:
    return {(item.id, item.subject) for item in verdict.violations if item.denies}


BASE = with_("0" * 64, approvers=signed(reference_site()))
WAIVER = Waiver("zone", "health/screening", "moving house", datetime(2026, 11, 1, tzinfo=UTC))


def test_the_reference_site_is_allowed_at_its_first_apply_and_says_what_is_lent() -> None:
    verdict = judged(None, reference_site(), THOR)
    assert verdict.allow
    assert {item.id for item in verdict.violations} == {"limit-oversubscribed", "unsigned-site"}
    assert any(
        "656 GPUs, the training plane has 384: 1.70 times" in item.message for item in verdict.violations
    )


def test_a_change_within_the_rules_is_allowed() -> None:
    assert judged(BASE, with_(approvers=BASE.approvers), THOR).allow


def test_a_violation_names_file_and_remedy() -> None:
    verdict = judged(BASE, with_(approvers=BASE.approvers, tenants=wanderer()), THOR)
    (found,) = [item for item in verdict.violations if item.denies]
    assert (found.id, found.subject, found.where) == (
        "zone",
        "health/screening",
        "policies/tenants/health.yaml",
    )
    assert found.remedy


def test_an_uncommitted_tree_is_judged_but_for_authority() -> None:
    verdict = judge_change(CompiledEngine(), BASE, with_(approvers=BASE.approvers), None, NOW)
    assert verdict.allow
    assert "uncommitted" in {item.id for item in verdict.violations}


def test_a_difference_without_commits_is_denied() -> None:
    assert ids(judged(BASE, with_(approvers=BASE.approvers))) == {("input", "input")}


def test_a_waiver_in_force_before_counts() -> None:
    base = with_("0" * 64, approvers=BASE.approvers, waivers=(WAIVER,))
    verdict = judged(base, with_(approvers=BASE.approvers, waivers=(WAIVER,), tenants=wanderer()), THOR)
    assert verdict.allow
    assert [item.waived_by for item in verdict.violations if item.id == "zone"] == [
        "moving house (until 2026-11-01)"
    ]


def test_a_change_cannot_bring_its_own_waiver() -> None:
    head = with_(approvers=BASE.approvers, waivers=(WAIVER,), tenants=wanderer())
    verdict = judged(BASE, head, replace(SIGRUN, paths=("policies/waivers.yaml",)))
    assert ids(verdict) == {("zone", "health/screening")}


def test_a_change_cannot_drop_the_waiver_that_it_needs() -> None:
    base = with_("0" * 64, approvers=BASE.approvers, waivers=(WAIVER,))
    verdict = judged(base, with_(approvers=BASE.approvers, tenants=wanderer()), SIGRUN)
    assert ids(verdict) == {("zone", "health/screening")}
    assert len([item for item in verdict.violations if item.id == "zone"]) == 1


FREEZE = Freeze("move", NOW, datetime(2026, 10, 2, tzinfo=UTC), ("policies/tenants/**",), "moving house")


def test_what_a_freeze_covers_waits_for_its_end() -> None:
    base = with_("0" * 64, approvers=BASE.approvers, freezes=(FREEZE,))
    head = with_(approvers=BASE.approvers, freezes=(FREEZE,))
    assert ids(judged(base, head, THOR)) == {("freeze", "move")}
    assert judge_change(CompiledEngine(), base, head, (THOR,), FREEZE.end).allow
    assert judge_change(CompiledEngine(), base, head, (THOR,), NOW - timedelta(seconds=1)).allow


def test_a_change_cannot_lift_the_freeze_that_holds_it_nor_escape_the_one_it_brings() -> None:
    frozen = with_("0" * 64, approvers=BASE.approvers, freezes=(FREEZE,))
    assert ids(judged(frozen, with_(approvers=BASE.approvers, freezes=()), THOR)) == {("freeze", "move")}
    assert ids(judged(BASE, with_(approvers=BASE.approvers, freezes=(FREEZE,)), THOR)) == {("freeze", "move")}


def test_nobody_gives_themselves_a_role() -> None:
    grown = signed(reference_site(), principals={
        **BASE.approvers.principals, "thor": replace(BASE.approvers.principals["thor"], roles=("allocation", "security")),
    })  # fmt: skip
    commit = replace(SIGRUN, principal="thor", paths=("policies/approvers.yaml",))
    assert ids(judged(BASE, with_(approvers=grown), commit)) == {("authority", "c1")}


def test_nobody_takes_their_own_role_away_by_it() -> None:
    shrunk = signed(reference_site(), principals={
        **BASE.approvers.principals, "sigrun": replace(BASE.approvers.principals["sigrun"], roles=("platform",)),
    })  # fmt: skip
    assert ids(judged(BASE, with_(approvers=shrunk), SIGRUN)) == {("authority", "c1")}


def test_lowering_require_is_judged_by_the_old_one() -> None:
    lowered = replace(BASE.approvers, require="none")
    commit = replace(SIGRUN, principal=None)
    assert ids(judged(BASE, with_(approvers=lowered), commit)) == {("authority", "c1")}
    assert judged(BASE, with_(approvers=lowered), SIGRUN).allow


def test_both_judgements_are_named_in_the_revision() -> None:
    one = judged(BASE, with_(approvers=BASE.approvers), THOR)
    both = judged(BASE, with_(approvers=BASE.approvers, waivers=(WAIVER,)), SIGRUN)
    assert " and " not in one.revision
    assert " and " in both.revision


def test_a_site_cannot_replace_a_built_in_file() -> None:
    site = with_(approvers=BASE.approvers, rego={"change.rego": b"package charter.change\n"})
    with pytest.raises(Terminal):
        judge_change(CompiledEngine(), None, site, (THOR,), NOW, opa="/nonexistent/opa")
    assert "change.rego" in builtin_sources()
    assert not any(path.startswith("site/") for path in builtin_sources())
