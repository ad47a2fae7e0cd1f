"""Globs of roles, and keys that stand for somebody or for nobody."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reconciler.system.ssh import PrivateKey
from reconciler.trust.principals import keyring
from reconciler.trust.roles import matches, may_change
from renderer.model.governance import Approvers, Principal, Role


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("policies/qos.yaml", "policies/qos.yaml", True),
        ("policies/qos.yaml", "policies/qosXyaml", False),
        ("policies/qos.yaml", "policies/qos.yaml/below", False),
        ("policies/qos.yaml", "other/policies/qos.yaml", False),
        ("policies/*", "policies/qos.yaml", True),
        ("policies/*", "policies/tenants/health.yaml", False),
        ("policies/**", "policies/tenants/health.yaml", True),
        ("policies/**", "policies", False),
        ("policies/**", "policies-evil/x", False),
        ("**", "inventory/site.yaml", True),
        ("*", "inventory/site.yaml", False),
        ("**/approvers.yaml", "policies/approvers.yaml", True),
        ("**/approvers.yaml", "approvers.yaml", False),
        ("policies/*/health.yaml", "policies/tenants/health.yaml", True),
        ("policies/*/health.yaml", "policies/a/b/health.yaml", False),
        ("**a*b", "a/ab", True),
        ("policies/t?n", "policies/ten", True),
        ("policies?qos.yaml", "policies/qos.yaml", False),
        ("policies/[a-z]*", "policies/qos.yaml", False),
        ("policies/{qos,planes}.yaml", "policies/qos.yaml", False),
        ("Policies/**", "policies/qos.yaml", False),
        ("policies/*", "policies/a\\x0ab", True),
        ("", "", True),
        ("", "policies/qos.yaml", False),
    ],
)
def test_globs(pattern: str, path: str, expected: bool) -> None:
    assert matches(pattern, path) is expected


def as_expression(pattern: str) -> re.Pattern[str]:
    parts = {"*": "[^/]*", "?": "[^/]"}
    tokens = re.findall(r"\*\*+|.", pattern, re.DOTALL)
    return re.compile(
        "".join(".*" if token[:2] == "**" else parts.get(token, re.escape(token)) for token in tokens),
        re.DOTALL,
    )


@given(st.text("ab/*?", max_size=8), st.text("ab/", max_size=10))
def test_globs_agree_with_the_regular_expression_they_mean(pattern: str, path: str) -> None:
    assert matches(pattern, path) is (as_expression(pattern).fullmatch(path) is not None)


def test_a_pattern_made_to_be_slow_is_not() -> None:
    begin = time.process_time()
    assert not matches("**a" * 100 + "b", "a" * 2000)
    assert time.process_time() - begin < 5


KEY, OTHER = PrivateKey.generate().public.line, PrivateKey.generate().public.line


def approvers(*principals: Principal, roles: tuple[Role, ...] = ()) -> Approvers:
    return Approvers("signed", {one.name: one for one in principals}, {role.name: role for role in roles})


def test_authority_is_the_union_of_a_principals_roles_and_nothing_else() -> None:
    roles = (Role("one", ("policies/*",), 1), Role("two", ("inventory/**",), 1), Role("all", ("**",), 1))
    site = approvers(Principal("anna", (KEY,), ("one", "two", "no-such-role")), roles=roles)
    assert may_change("anna", "policies/qos.yaml", site)
    assert may_change("anna", "inventory/slurm.d/slurm.conf", site)
    assert not may_change("anna", "rego/site/x.rego", site)
    assert not may_change("nobody", "policies/qos.yaml", site)


def test_a_role_for_several_principals_gives_one_signature_nothing() -> None:
    site = approvers(Principal("anna", (KEY,), ("pair",)), roles=(Role("pair", ("**",), 2),))
    assert not may_change("anna", "policies/qos.yaml", site)


def test_keys_stand_for_their_principal_with_or_without_a_comment() -> None:
    keys = keyring(approvers(Principal("anna", (KEY, f"{OTHER} anna@laptop"), ())))
    assert sorted(keys.holders.values()) == ["anna", "anna"]
    assert keys.unusable == ()


def test_a_key_that_two_claim_is_nobodys() -> None:
    keys = keyring(approvers(Principal("anna", (KEY,), ()), Principal("bjorn", (f"{KEY} x", OTHER), ())))
    assert list(keys.holders.values()) == ["bjorn"]
    assert "anna and bjorn" in keys.unusable[0]


@pytest.mark.parametrize(
    "line",
    ["", "ssh-ed25519", "ssh-ed25519 ????", "ssh-ed25519 AAAA", f"ssh-rsa {KEY[12:]}"],
    ids=["empty", "kind alone", "no base64", "cut short", "another kind"],
)
def test_a_key_that_cannot_be_read_is_named_and_costs_the_others_nothing(line: str) -> None:
    keys = keyring(approvers(Principal("anna", (line, OTHER), ())))
    assert list(keys.holders.values()) == ["anna"]
    assert "a key of anna cannot be used" in keys.unusable[0]
