"""What the site says becomes namespaces, quotas and node labels."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from renderer import kubernetes
from renderer.errors import RenderError
from renderer.model.partitions import Planes
from renderer.model.site import Site
from renderer.model.tenants import Grant
from renderer.resource import Key
from tests.unit.kubernetes_engine.small_site import H200, SLICE, TWO_MODELS, small_site


def fields(site: Site, kind: str, name: str) -> Any:
    by_key = {resource.key: resource.fields for resource in kubernetes.render(site)}
    return by_key[Key("kubernetes", kind, name)]


def hard(site: Site, namespace: str = "health-scan") -> dict[str, str]:
    found: dict[str, str] = fields(site, "ResourceQuota", f"{namespace}/gpu")["spec"]["hard"]
    return found


def grant(**limits: int) -> dict[str, dict[str, Grant]]:
    return {"health/scan": {model: Grant(0, limit) for model, limit in limits.items()}}


def test_a_programme_has_a_namespace_that_says_whose_it_is_and_what_its_pods_must_meet() -> None:
    assert fields(small_site(grant()), "Namespace", "health-scan") == {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {
            "name": "health-scan",
            "labels": {
                "app.kubernetes.io/managed-by": "charter",
                "charter.dev/data-class": "open",
                "charter.dev/program": "scan",
                "charter.dev/site": "polar",
                "charter.dev/tenant": "health",
                "pod-security.kubernetes.io/enforce": "restricted",
                "pod-security.kubernetes.io/enforce-version": "v1.37",
                "pod-security.kubernetes.io/warn": "restricted",
                "pod-security.kubernetes.io/warn-version": "v1.37",
            },
        },
    }


@pytest.mark.parametrize("reference", ["charter/system", "kube/system"])
def test_a_namespace_that_somebody_else_keeps_is_refused_by_name(reference: str) -> None:
    with pytest.raises(RenderError, match=reference.replace("/", "-")):
        kubernetes.render(small_site({reference: {}}))


def test_namespaces_come_before_quotas_and_those_before_nodes() -> None:
    kinds = [resource.key.kind for resource in kubernetes.render(small_site(grant(h200=8)))]
    assert kinds == ["Namespace", "ResourceQuota", "Node", "Node"]


def test_the_inference_limit_is_what_may_be_requested() -> None:
    assert hard(small_site(grant(h200=24))) == {"requests.nvidia.com/gpu": "24"}


def test_a_programme_without_inference_quota_gets_no_gpu_of_any_kind() -> None:
    assert hard(small_site(grant(), TWO_MODELS)) == {
        "requests.nvidia.com/gpu": "0",
        "requests.nvidia.com/mig-3g.71gb": "0",
    }


def test_each_model_is_held_by_its_own_resource() -> None:
    assert hard(small_site(grant(h200=8, slice=14), TWO_MODELS)) == {
        "requests.nvidia.com/gpu": "8",
        "requests.nvidia.com/mig-3g.71gb": "14",
    }


def test_any_is_the_one_resource_of_the_plane_that_serves() -> None:
    planes = Planes(("cut-n1", "cut-n2"), ("big-n1",), ("big-n2",), None)
    assert hard(small_site(grant(any=12), TWO_MODELS, planes)) == {
        "requests.nvidia.com/gpu": "12",
        "requests.nvidia.com/mig-3g.71gb": "0",
    }


@pytest.mark.parametrize(("model", "together", "held"), [(8, 12, "8"), (16, 12, "12")])
def test_any_and_a_model_hold_together(model: int, together: int, held: str) -> None:
    assert hard(small_site(grant(h200=model, any=together))) == {"requests.nvidia.com/gpu": held}


def test_any_leaves_room_for_a_model_that_is_not_named() -> None:
    gpus = {"big": (H200,), "old": (type(H200)("a100", 8, "a100", "nvidia.com/gpu"),)}
    assert hard(small_site(grant(h200=8, any=12), gpus)) == {"requests.nvidia.com/gpu": "12"}


def test_two_models_of_one_resource_name_add_up() -> None:
    gpus = {"big": (H200,), "old": (type(H200)("a100", 8, "a100", "nvidia.com/gpu"),)}
    assert hard(small_site(grant(h200=8, a100=4), gpus)) == {"requests.nvidia.com/gpu": "12"}


def test_what_no_quota_can_hold_is_refused_at_the_door_and_said() -> None:
    site = small_site(grant(any=12), TWO_MODELS)
    assert set(hard(site).values()) == {"0"}
    (remark,) = kubernetes.remarks(site)
    assert "health/scan" in remark
    assert "nvidia.com/gpu, nvidia.com/mig-3g.71gb" in remark


def test_what_can_be_held_needs_no_remark() -> None:
    assert kubernetes.remarks(small_site(grant(h200=8, slice=2), TWO_MODELS)) == ()


def test_a_node_is_labelled_with_where_it_is_and_is_not_claimed() -> None:
    planes = Planes(("big-n1",), (), ("big-n2",), None)
    assert fields(small_site(grant(), planes=planes), "Node", "big-n1")["metadata"] == {
        "name": "big-n1",
        "labels": {
            "charter.dev/gpu-model": "h200",
            "charter.dev/plane": "training",
            "charter.dev/rack": "rack-big",
            "charter.dev/unit": "big-leaf-r1",
            "charter.dev/zone": "north",
        },
    }


def test_models_of_one_node_are_named_together() -> None:
    site = small_site(grant(), {"mix": (SLICE, H200)})
    assert fields(site, "Node", "mix-n1")["metadata"]["labels"]["charter.dev/gpu-model"] == "h200_slice"


def test_a_host_in_no_plane_is_left_alone() -> None:
    site = small_site(grant(), planes=Planes((), ("big-n1",), (), None))
    assert [item.key.name for item in kubernetes.render(site) if item.key.kind == "Node"] == ["big-n1"]


@given(st.randoms(use_true_random=False))
def test_the_order_of_what_is_written_does_not_matter(chance: random.Random) -> None:
    quotas = {name: {"h200": Grant(0, 4), "slice": Grant(0, 2)} for name in ("b/two", "a/one", "b/one")}
    hosts = ["big-n1", "big-n2", "cut-n1", "cut-n2"]
    straight = small_site(quotas, TWO_MODELS, Planes((), tuple(hosts), (), None))
    chance.shuffle(hosts)
    mixed = small_site(
        {name: _shuffled(quotas[name], chance) for name in _shuffled(quotas, chance)},
        _shuffled(TWO_MODELS, chance),
        Planes((), tuple(hosts), (), None),
    )
    assert repr(kubernetes.render(mixed)) == repr(kubernetes.render(straight))


def _shuffled(items: Any, chance: random.Random) -> Any:
    order = list(items)
    chance.shuffle(order)
    return {name: items[name] for name in order}
