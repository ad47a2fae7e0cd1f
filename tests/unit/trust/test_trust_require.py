"""What a site asks of commits: refused all at once, judged by the approvers that were applied last."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from reconciler.errors import Terminal
from reconciler.source.history import history
from reconciler.trust.require import APPROVERS, Untrusted, check_supported, demand, refusals
from reconciler.trust.signatures import Signed, verify_commits
from renderer.model.governance import Approvers, Principal, Role
from tests.unit.source.git_site import GitSite, Key

QOS, HEALTH, ZONE = "policies/qos.yaml", "policies/tenants/health.yaml", "inventory/site.yaml"
ROLES = {
    "platform": Role("platform", ("inventory/**",), 1),
    "allocation": Role("allocation", ("policies/tenants/**", QOS), 1),
    "security": Role("security", (APPROVERS, "rego/site/**"), 1),
}
Require = Literal["none", "signed", "approved"]


def known(require: Require, keys: dict[str, tuple[str, tuple[str, ...]]]) -> Approvers:
    return Approvers(
        require, {name: Principal(name, (line,), roles) for name, (line, roles) in keys.items()}, ROLES
    )


class People:
    """A site with three who may sign: anna (security), bjorn (allocation), dora (platform and allocation)."""

    def __init__(self, path: Path) -> None:
        self.site = GitSite.create(path)
        self.anna, self.bjorn, self.dora = (self.site.key(name) for name in ("anna", "bjorn", "dora"))

    def approvers(self, require: Require = "signed") -> Approvers:
        holders = {
            "anna": (self.anna.public, ("security",)),
            "bjorn": (self.bjorn.public, ("allocation",)),
            "dora": (self.dora.public, ("platform", "allocation")),
        }
        return known(require, holders)

    def judged(self, base: str | None, require: Require = "signed") -> tuple[str, ...]:
        approvers = self.approvers(require)
        return demand(verify_commits(history(self.site.repository, base, "HEAD"), approvers), approvers)

    def commit(self, key: Key | None, **files: str | None) -> str:
        return self.site.commit({_PATHS[name]: content for name, content in files.items()}, key)


_PATHS = {"qos": QOS, "health": HEALTH, "zone": ZONE, "approvers": APPROVERS, "readme": "README.md"}


@pytest.fixture
def people(tmp_path: Path) -> People:
    return People(tmp_path)


def test_each_may_change_what_a_role_of_theirs_covers(people: People) -> None:
    base = people.commit(None, zone="1")
    people.commit(people.bjorn, qos="1", health="1")
    people.commit(people.dora, zone="2", qos="2")
    people.commit(people.anna, approvers="1", readme="1")
    (remark,) = people.judged(base)
    assert "anna (1), bjorn (1), dora (1)" in remark


def test_all_refusals_come_at_once_with_commit_path_signer_and_remedy(people: People) -> None:
    base = people.commit(None, zone="1")
    unsigned = people.commit(None, qos="1")
    beyond = people.commit(people.bjorn, zone="2", approvers="1")
    stranger = people.commit(people.site.key("stranger"), readme="1")
    with pytest.raises(Untrusted) as caught:
        people.judged(base)
    assert caught.value.exit_code == 3
    found = [(refusal.commit, refusal.path, refusal.principal) for refusal in caught.value.refusals]
    assert found == [
        (unsigned, None, None),
        (beyond, ZONE, "bjorn"),
        (beyond, APPROVERS, "bjorn"),
        (stranger, None, None),
    ]
    lines = str(caught.value).splitlines()
    assert len(lines) == 4
    assert lines[0].startswith(f"commit {unsigned[:12]} bears no signature; let a principal")
    assert lines[1].endswith(
        f"none of whose roles covers {ZONE}; let it be signed by one who may change it: dora"
    )
    assert "which is no principal's" in lines[3]


def test_a_path_that_nobody_may_change_says_so(people: People) -> None:
    base = people.commit(None, zone="1")
    people.site.commit({"policies/waivers.yaml": "1"}, people.dora)
    with pytest.raises(Untrusted, match="nobody may change it"):
        people.judged(base)


def test_a_later_good_commit_does_not_heal_an_unsigned_one(people: People) -> None:
    base = people.commit(None, zone="1")
    people.commit(None, qos="1")
    people.commit(people.dora, qos="2")
    with pytest.raises(Untrusted):
        people.judged(base)


def test_a_change_taken_back_later_still_needs_its_signature(people: People) -> None:
    base = people.commit(None, zone="1")
    people.commit(None, zone="2")
    people.commit(people.dora, zone="1")
    with pytest.raises(Untrusted):
        people.judged(base)


def test_a_commit_that_touches_nothing_of_the_site_needs_a_signature_too(people: People) -> None:
    base = people.commit(None, zone="1")
    people.commit(None, readme="1")
    with pytest.raises(Untrusted):
        people.judged(base)


def test_a_move_needs_authority_over_both_places(people: People) -> None:
    base = people.commit(None, qos="1")
    people.site.git("mv", QOS, "policies/other.yaml")
    people.commit(people.bjorn)
    with pytest.raises(Untrusted) as caught:
        people.judged(base)
    assert [refusal.path for refusal in caught.value.refusals] == ["policies/other.yaml"]
    people.site.git("reset", "-q", "--hard", base)
    (people.site.path / "policies/tenants").mkdir()
    people.site.git("mv", QOS, HEALTH)
    people.commit(people.bjorn)
    assert people.judged(base)


def test_a_merge_answers_for_all_it_brings_and_only_its_own_signature_counts(people: People) -> None:
    base = people.commit(None, zone="1")
    people.site.git("checkout", "-q", "-b", "side")
    people.commit(people.dora, zone="2")
    people.site.git("checkout", "-q", "main")
    people.site.signed(people.bjorn, "merge", "-q", "--no-ff", "-m", "x", "side")
    with pytest.raises(Untrusted, match="signed by bjorn, none of whose roles covers inventory"):
        people.judged(base)
    people.site.git("reset", "-q", "--hard", base)
    people.site.signed(people.dora, "merge", "-q", "--no-ff", "-m", "x", "side")
    assert people.judged(base)


def test_lowering_require_is_judged_by_those_who_were_approvers_before(people: People) -> None:
    base = people.commit(None, approvers="require: signed")
    people.commit(people.bjorn, approvers="require: none")
    with pytest.raises(Untrusted, match=f"bjorn, none of whose roles covers {APPROVERS}.*: anna"):
        people.judged(base)
    people.site.git("reset", "-q", "--hard", base)
    people.commit(people.anna, approvers="require: none")
    assert people.judged(base)


def test_who_makes_himself_an_approver_is_still_a_stranger(people: People) -> None:
    base = people.commit(None, approvers="require: signed")
    stranger = people.site.key("stranger")
    people.commit(stranger, approvers=f"principals: {{stranger: {stranger.public}}}")
    with pytest.raises(Untrusted, match="no principal's"):
        people.judged(base)


def test_at_the_first_apply_the_heads_signer_answers_for_the_whole_site(people: People) -> None:
    people.commit(None, qos="1", zone="1")
    people.commit(people.bjorn, qos="2")
    with pytest.raises(Untrusted) as caught:
        people.judged(None)
    assert [refusal.path for refusal in caught.value.refusals] == [ZONE]
    people.commit(people.dora)
    assert people.judged(None)


def test_without_require_everything_passes_and_the_signers_are_named_all_the_same(people: People) -> None:
    base = people.commit(None, zone="1")
    people.commit(None, zone="2")
    people.commit(people.bjorn, approvers="1")
    (remark,) = people.judged(base, "none")
    assert "signatures are not asked for" in remark
    assert "bjorn (1), nobody who is known (1)" in remark
    assert "none" in people.judged(people.site.head, "none")[0]


def test_approved_is_refused_as_not_supported_even_with_nothing_to_judge(people: People) -> None:
    approvers = people.approvers("approved")
    for call in (
        lambda: demand((), approvers),
        lambda: refusals((), approvers),
        lambda: check_supported(approvers),
    ):
        with pytest.raises(Terminal, match="not supported by this release; use `require: signed`"):
            call()


def test_approvers_that_would_lock_the_site_out_are_refused_beforehand(people: People) -> None:
    check_supported(people.approvers("signed"))
    nobody = known("signed", {"bjorn": (people.bjorn.public, ("allocation",))})
    with pytest.raises(Terminal, match="could change this file again;"):
        check_supported(nobody)
    several = Approvers(
        "signed", people.approvers().principals, {**ROLES, "security": Role("security", ("**",), 2)}
    )
    with pytest.raises(Terminal, match="threshold of security"):
        check_supported(several)
    check_supported(known("none", {}))


def test_a_good_status_without_a_principal_is_refused(people: People) -> None:
    odd = (
        Signed("0" * 40, (QOS,), None, "good", "is odd"),
        Signed("1" * 40, (QOS,), "bjorn", "unsigned", "is odd"),
    )
    assert [refusal.path for refusal in refusals(odd, people.approvers())] == [None, None]


def test_many_paths_of_a_commit_are_counted_in_the_message_and_kept_in_the_refusals(people: People) -> None:
    paths = tuple(f"inventory/{number}" for number in range(50))
    with pytest.raises(Untrusted) as caught:
        demand((Signed("0" * 40, paths, "bjorn", "good", "is signed"),), people.approvers())
    assert len(caught.value.refusals) == 50
    assert (
        str(caught.value).splitlines()[-1]
        == "commit 000000000000: 30 more paths are refused for the same reason"
    )
