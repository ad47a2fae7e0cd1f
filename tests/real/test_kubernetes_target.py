"""The Kubernetes target on a real API server with its controllers: what is written, what is left alone, what is refused."""

from __future__ import annotations

import secrets
from collections.abc import Iterator

import pytest

from reconciler.errors import ConfigurationRefused, Conflict, Stale, Unreachable, WrongCluster
from reconciler.targets.contract import Mark
from renderer.model.tenants import Grant
from tests.engines.kubernetes import KubernetesRig
from tests.real.kubernetes_driver import Driver
from tests.unit.kubernetes_engine.small_site import ONE_MODEL, Quotas, small_site

pytestmark = pytest.mark.real


@pytest.fixture
def driver(kubernetes_rig: KubernetesRig) -> Iterator[Driver]:
    """A driver on a cluster without anything of Charter's; what a test made is removed again."""
    with Driver(kubernetes_rig.kubeconfig) as found:
        yield found


@pytest.fixture
def tenant() -> str:
    """A name no other test uses: a namespace takes a while to go."""
    return f"t{secrets.token_hex(3)}"


def quotas(tenant: str, **limits: int) -> Quotas:
    return {f"{tenant}/{program}": {"h200": Grant(0, limit)} for program, limit in limits.items()}


def test_everything_is_made_from_nothing_and_reads_back_without_a_difference(
    driver: Driver, tenant: str
) -> None:
    driver.node("big-n1")
    driver.node("big-n2")
    site = driver.site(quotas(tenant, one=8, two=2000))
    applied = driver.sync(site)
    assert [item.pending for item in applied] == [""] * 6
    assert driver.quota(f"{tenant}-one") == {"requests.nvidia.com/gpu": "8"}
    assert driver.quota(f"{tenant}-two") == {"requests.nvidia.com/gpu": "2k"}
    labels = driver.api.read_namespace(f"{tenant}-one").metadata.labels
    assert labels["pod-security.kubernetes.io/enforce"] == "restricted"
    assert driver.api.read_node("big-n1").metadata.labels["charter.dev/unit"] == "big-leaf-r1"
    assert driver.changes(site) == ()


def test_a_second_apply_writes_nothing(driver: Driver, tenant: str) -> None:
    driver.node("big-n1")
    driver.node("big-n2")
    site = driver.site(quotas(tenant, one=8))
    untouched = driver.writes()
    driver.sync(site)
    driver.target.stamp(Mark(1, "identity"))
    before = driver.quiet()
    assert before[1] >= untouched + 6, "two objects, two nodes, a namespace and a mark were written uncounted"
    driver.sync(site)
    driver.target.stamp(Mark(1, "identity"))
    assert driver.quiet() == before


def test_applying_what_is_there_already_leaves_the_version_as_it_was(driver: Driver, tenant: str) -> None:
    site = driver.site(quotas(tenant, one=8))
    driver.sync(site)
    before, _ = driver.quiet()
    driver.apply(site, driver.creations(site))
    assert driver.versions() == before


def test_a_quota_change_is_one_update_and_is_enforced_when_apply_returns(driver: Driver, tenant: str) -> None:
    driver.sync(driver.site(quotas(tenant, one=8, two=4)))
    (applied,) = driver.sync(driver.site(quotas(tenant, one=12, two=4)), only="ResourceQuota")
    assert (applied.action.change.verb, applied.pending) == ("update", "")
    live = driver.api.read_namespaced_resource_quota("gpu", f"{tenant}-one")
    assert live.status.hard == {"requests.nvidia.com/gpu": "12"}


def test_a_pod_over_the_quota_is_refused_by_the_cluster(driver: Driver, tenant: str) -> None:
    driver.sync(driver.site(quotas(tenant, one=8)))
    driver.pod(f"{tenant}-one", "fits", gpus=8)
    with pytest.raises(driver.ApiException, match="exceeded quota"):
        driver.pod(f"{tenant}-one", "over", gpus=1)


def test_a_pod_that_may_become_root_is_refused_by_the_cluster(driver: Driver, tenant: str) -> None:
    driver.sync(driver.site(quotas(tenant, one=8)))
    with pytest.raises(driver.ApiException, match="violates PodSecurity"):
        driver.pod(f"{tenant}-one", "root", gpus=1, security=False)


def test_a_field_no_longer_desired_is_given_up(driver: Driver, tenant: str) -> None:
    two = {**ONE_MODEL, "old": (type(ONE_MODEL["big"][0])("a100", 8, "a100", "example.com/old"),)}
    driver.sync(driver.site(quotas(tenant, one=8), two))
    assert "requests.example.com/old" in driver.quota(f"{tenant}-one")
    driver.sync(driver.site(quotas(tenant, one=8)))
    assert driver.quota(f"{tenant}-one") == {"requests.nvidia.com/gpu": "8"}


def test_drift_in_an_unowned_field_is_nobody_s_business_and_in_an_owned_one_is_seen(
    driver: Driver, tenant: str
) -> None:
    site = driver.site(quotas(tenant, one=8))
    driver.sync(site)
    driver.label(f"{tenant}-one", {"team": "blue"})
    assert driver.changes(site) == ()
    driver.label(f"{tenant}-one", {"charter.dev/tenant": None})
    assert [change.key.name for change in driver.changes(site)] == [f"{tenant}-one"]
    driver.sync(site)
    assert driver.api.read_namespace(f"{tenant}-one").metadata.labels["team"] == "blue"
    assert driver.changes(site) == ()


def test_a_field_that_another_manager_took_is_a_conflict_that_names_it(driver: Driver, tenant: str) -> None:
    site = driver.site(quotas(tenant, one=8))
    driver.sync(site)
    body = {"spec": {"hard": {"requests.nvidia.com/gpu": "64"}}}
    driver.api.patch_namespaced_resource_quota("gpu", f"{tenant}-one", body, field_manager="somebody")
    with pytest.raises(Conflict, match=r'\.spec\.hard.*"somebody"') as refused:
        driver.check(site)
    assert refused.value.exit_code == 4
    assert driver.quota(f"{tenant}-one") == {"requests.nvidia.com/gpu": "64"}


def test_a_foreign_namespace_is_reported_and_survives_everything(driver: Driver, tenant: str) -> None:
    driver.namespace(f"{tenant}-foreign")
    site = driver.site(quotas(tenant, one=8))
    driver.sync(site)
    assert f"{tenant}-foreign" in [key.name for key in driver.observe(site).foreign]
    driver.sync(driver.site({}), confirmed=frozenset({"namespaces"}))
    assert driver.exists(f"{tenant}-foreign")
    assert not driver.exists(f"{tenant}-one")


def test_an_unlabelled_namespace_of_a_desired_name_is_a_conflict_and_stays_as_it_is(
    driver: Driver, tenant: str
) -> None:
    driver.namespace(f"{tenant}-one")
    before = driver.api.read_namespace(f"{tenant}-one").metadata.resource_version
    site = driver.site(quotas(tenant, one=8))
    with pytest.raises(Conflict, match=f"kubectl label namespace {tenant}-one"):
        driver.check(site)
    with pytest.raises(Conflict):
        driver.apply(site, driver.creations(site))
    assert driver.api.read_namespace(f"{tenant}-one").metadata.resource_version == before


def test_a_namespace_of_ours_is_adopted_after_the_state_was_lost_but_never_removed(
    driver: Driver, tenant: str
) -> None:
    site = driver.site(quotas(tenant, one=8))
    driver.sync(site)
    driver.owned = frozenset()
    assert driver.changes(site) == ()
    assert driver.changes(driver.site({})) == ()
    assert f"{tenant}-one" in [key.name for key in driver.observe(driver.site({})).foreign]


def test_another_cluster_is_refused_with_nothing_written(driver: Driver) -> None:
    writes = driver.writes()
    with pytest.raises(WrongCluster, match="11111111-2222") as refused:
        driver.target.identify(small_site({}))
    assert refused.value.exit_code == 1
    assert driver.writes() == writes


def test_the_right_cluster_is_known(driver: Driver) -> None:
    driver.target.identify(driver.site({}))


def test_an_absent_node_is_pending_and_no_ghost_appears(driver: Driver, tenant: str) -> None:
    applied = driver.sync(driver.site(quotas(tenant, one=8)))
    waiting = {item.action.change.key.name: item.pending for item in applied if item.pending}
    assert waiting.keys() == {"big-n1", "big-n2"}
    assert "joined" in waiting["big-n1"]
    assert driver.api.list_node().items == []


def test_a_node_that_leaves_the_site_loses_our_labels_and_keeps_its_own(driver: Driver) -> None:
    driver.node("big-n1")
    driver.node("big-n2")
    driver.sync(driver.site({}))
    empty = driver.site({}, planes=driver.plane("big-n1"))
    driver.sync(empty)
    assert driver.api.read_node("big-n2").metadata.labels == {"mine": "1"}
    assert driver.api.read_node("big-n1").metadata.labels["charter.dev/plane"] == "inference"
    assert driver.changes(empty) == ()


def test_the_engine_s_refusal_is_seen_in_check_before_the_namespace_exists(
    driver: Driver, tenant: str
) -> None:
    odd = {"big": (type(ONE_MODEL["big"][0])("h200", 8, "h200", "not a resource/name!"),)}
    with pytest.raises(ConfigurationRefused, match="not a resource"):
        driver.check(driver.site(quotas(tenant, one=8), odd))
    assert not driver.exists(f"{tenant}-one")


def test_check_writes_nothing(driver: Driver, tenant: str) -> None:
    before, _ = driver.quiet()
    driver.check(driver.site(quotas(tenant, one=8)))
    assert driver.versions() == before


def test_a_lower_sequence_number_is_refused(driver: Driver) -> None:
    driver.target.stamp(Mark(7, None))
    driver.target.stamp(Mark(8, "later"))
    with pytest.raises(Stale, match=r"sequence 8, this is 7") as refused:
        driver.target.stamp(Mark(7, "earlier"))
    assert refused.value.exit_code == 4
    assert driver.observe(driver.site({})).mark == Mark(8, "later")


def test_a_server_that_is_away_is_transient(driver: Driver) -> None:
    with pytest.raises(Unreachable):
        driver.at("https://127.0.0.1:1").identify(driver.site({}))


def test_a_server_that_another_authority_vouches_for_is_not_trusted(driver: Driver) -> None:
    with pytest.raises(Exception, match="TLS verification failed"):
        driver.untrusting().identify(driver.site({}))
