"""Removal on a real API server: announced, confirmed, awaited, and never a limit lifted on the way."""

from __future__ import annotations

import secrets
from collections.abc import Iterator

import pytest

from renderer.model.tenants import Grant
from renderer.resource import Key
from tests.engines.kubernetes import KubernetesRig
from tests.real.kubernetes_driver import Driver
from tests.unit.kubernetes_engine.small_site import Quotas

pytestmark = pytest.mark.real


@pytest.fixture
def driver(kubernetes_rig: KubernetesRig) -> Iterator[Driver]:
    """A driver on a cluster without anything of Charter's."""
    with Driver(kubernetes_rig.kubeconfig) as found:
        yield found


@pytest.fixture
def tenant() -> str:
    """A name no other test uses."""
    return f"t{secrets.token_hex(3)}"


def quotas(tenant: str, **limits: int) -> Quotas:
    return {f"{tenant}/{program}": {"h200": Grant(0, limit)} for program, limit in limits.items()}


def test_a_removed_programme_is_gone_when_apply_returns(driver: Driver, tenant: str) -> None:
    driver.sync(driver.site(quotas(tenant, one=8, two=8)))
    applied = driver.sync(driver.site(quotas(tenant, two=8)), only=("Namespace", "ResourceQuota"))
    assert {(item.action.change.verb, item.pending) for item in applied} == {("delete", "")}
    assert not driver.exists(f"{tenant}-one")
    assert driver.exists(f"{tenant}-two")


def test_checking_a_removal_removes_nothing(driver: Driver, tenant: str) -> None:
    driver.sync(driver.site(quotas(tenant, one=8)))
    before, _ = driver.quiet()
    driver.check(driver.site({}))
    assert driver.quiet()[0] == before


def test_a_namespace_with_pods_waits_for_confirmation_and_keeps_its_limit(
    driver: Driver, tenant: str
) -> None:
    driver.sync(driver.site(quotas(tenant, one=8)))
    driver.pod(f"{tenant}-one", "serving", gpus=4)
    gone = driver.site({})
    waiting = driver.sync(gone, only=("Namespace", "ResourceQuota"))
    assert {("serving" in item.pending, "--confirm namespaces" in item.pending) for item in waiting} == {
        (True, True)
    }
    assert len(waiting) == 2
    assert driver.quota(f"{tenant}-one") == {"requests.nvidia.com/gpu": "8"}
    done = driver.sync(gone, confirmed=frozenset({"namespaces"}), only=("Namespace", "ResourceQuota"))
    assert [item.pending for item in done] == ["", ""]
    assert not driver.exists(f"{tenant}-one")


def test_data_goes_only_with_a_confirmation_of_its_own(driver: Driver, tenant: str) -> None:
    driver.sync(driver.site(quotas(tenant, one=8)))
    driver.claim(f"{tenant}-one", "weights")
    gone = driver.site({})
    for item in driver.sync(gone, confirmed=frozenset({"namespaces"}), only=("Namespace", "ResourceQuota")):
        assert "--confirm storage" in item.pending
    assert driver.exists(f"{tenant}-one")
    driver.sync(gone, confirmed=frozenset({"namespaces", "storage"}), only=("Namespace", "ResourceQuota"))
    assert not driver.exists(f"{tenant}-one")


def test_what_a_finalizer_holds_is_pending_with_the_cluster_s_own_reason(driver: Driver, tenant: str) -> None:
    driver.sync(driver.site(quotas(tenant, one=8)))
    driver.configmap(f"{tenant}-one", "held", finalizers=["example.com/hold"])
    gone = driver.site({})
    waiting = driver.sync(gone, only=("Namespace", "ResourceQuota"), seconds=12)
    assert all(item.pending.startswith("pending removal: being deleted") for item in waiting)
    assert any("example.com/hold" in item.pending for item in waiting)
    again = driver.site(quotas(tenant, one=8))
    assert {change.verb for change in driver.changes(again)} == {"create"}
    back = driver.sync(again, only=("Namespace", "ResourceQuota"), seconds=6)
    assert all("still being deleted" in item.pending for item in back)
    driver.release(f"{tenant}-one", "held")
    assert [item.pending for item in driver.sync(again, only=("Namespace", "ResourceQuota"))] == ["", ""]
    assert driver.quota(f"{tenant}-one") == {"requests.nvidia.com/gpu": "8"}


def test_the_plan_names_the_pods_that_a_removal_or_a_cut_would_hit(driver: Driver, tenant: str) -> None:
    driver.sync(driver.site(quotas(tenant, one=8, two=8)))
    driver.pod(f"{tenant}-one", "serving", gpus=4)
    driver.pod(f"{tenant}-two", "larger", gpus=6)
    driver.used(f"{tenant}-two", "6")
    changes = driver.changes(driver.site(quotas(tenant, two=4)))
    hit = driver.target.jobs(changes)
    (serving,) = hit[Key("kubernetes", "Namespace", f"{tenant}-one")]
    assert (serving.id, serving.gpus, serving.account) == (f"{tenant}-one/serving", 4, f"{tenant}-one")
    (larger,) = hit[Key("kubernetes", "ResourceQuota", f"{tenant}-two/gpu")]
    assert (larger.id, larger.gpus, larger.state) == (f"{tenant}-two/larger", 6, "Pending")
    assert driver.target.jobs(driver.changes(driver.site(quotas(tenant, one=8, two=6)))) == {}
