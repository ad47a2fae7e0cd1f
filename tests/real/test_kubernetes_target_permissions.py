"""The permissions that docs/kubernetes.md lists are enough for the whole life of a site."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reconciler.targets.contract import Mark
from reconciler.targets.kubernetes.boundary import Forbidden
from renderer.model.tenants import Grant
from tests.engines.kubernetes import KubernetesRig
from tests.real.kubernetes_driver import Driver

pytestmark = pytest.mark.real
PAGE = Path(__file__).parents[2] / "docs" / "kubernetes.md"
ROW = re.compile(
    r"^\| ([a-z, ]+?)(?: in `[a-z-]+`)? \| ((?:get|list|create|patch|update|delete|, )+) \|$", re.MULTILINE
)


@pytest.fixture
def driver(kubernetes_rig: KubernetesRig) -> Iterator[Driver]:
    """A driver whose restricted account is taken away afterwards."""
    with Driver(kubernetes_rig.kubeconfig) as found:
        yield found
        found.forget_account()


def documented() -> list[dict[str, Any]]:
    rows = ROW.findall(PAGE.read_text())
    return [
        {"apiGroups": [""], "resources": what.split(", "), "verbs": verbs.split(", ")} for what, verbs in rows
    ]


def test_the_documented_permissions_carry_a_site_from_its_first_apply_to_its_last(driver: Driver) -> None:
    rules = documented()
    assert len(rules) == 5
    driver.target = driver.with_only(rules)
    driver.node("big-n1")
    tenant = f"t{secrets.token_hex(3)}"
    planes = driver.plane("big-n1")
    for sequence, limits in enumerate(({"one": 8, "two": 8}, {"one": 4})):
        site = driver.site(
            {f"{tenant}/{name}": {"h200": Grant(0, limit)} for name, limit in limits.items()}, planes=planes
        )
        driver.target.identify(site)
        driver.target.jobs(driver.changes(site))
        driver.target.stamp(Mark(sequence + 1, None))
        assert [item.pending for item in driver.sync(site) if item.pending] == []
    assert not driver.exists(f"{tenant}-two")


def test_what_is_not_granted_is_refused_in_check_by_name(driver: Driver) -> None:
    rules = [rule for rule in documented() if "nodes" not in rule["resources"]]
    driver.target = driver.with_only(
        [*rules, {"apiGroups": [""], "resources": ["nodes"], "verbs": ["get", "list"]}]
    )
    driver.node("big-n1")
    with pytest.raises(Forbidden, match=r"trying Node big-n1: forbidden: .*cannot patch"):
        driver.check(driver.site({}, planes=driver.plane("big-n1")))
