"""What of a live object is compared: what Charter applied and what it wants, nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reconciler.targets.kubernetes.kinds import NAMESPACE, NODE, RESOURCE_QUOTA
from reconciler.targets.kubernetes.live import is_going, is_labelled, is_ours, key_of, plain, project
from renderer.resource import Key


def applied(fields: dict[str, Any], manager: str = "charter", operation: str = "Apply") -> dict[str, Any]:
    return {"manager": manager, "operation": operation, "fieldsType": "FieldsV1", "fieldsV1": fields}


def quota(hard: dict[str, str], *managed: dict[str, Any]) -> dict[str, Any]:
    return {
        "metadata": {
            "name": "gpu",
            "namespace": "a-b",
            "uid": "u",
            "resourceVersion": "7",
            "labels": {"ours": "1", "theirs": "2"},
            "managedFields": list(managed),
        },
        "spec": {"hard": hard},
        "status": {"used": {}},
    }


OURS: dict[str, Any] = {
    "f:metadata": {"f:labels": {"f:ours": {}}},
    "f:spec": {"f:hard": {"f:x": {}, "f:y": {}}},
}
HEADER = {"apiVersion": "v1", "kind": "ResourceQuota"}


def test_only_the_fields_that_charter_applied_are_seen() -> None:
    live = quota(
        {"x": "1", "y": "2", "z": "3"}, applied(OURS), applied({"f:status": {}}, "controller", "Update")
    )
    assert project(RESOURCE_QUOTA, live, None) == {
        **HEADER,
        "metadata": {"name": "gpu", "namespace": "a-b", "labels": {"ours": "1"}},
        "spec": {"hard": {"x": "1", "y": "2"}},
    }


def test_a_wanted_field_that_another_holds_is_seen() -> None:
    live = quota({"z": "3"}, applied({"f:spec": {"f:hard": {"f:z": {}}}}, "somebody"))
    wanted = {**HEADER, "metadata": {"name": "gpu"}, "spec": {"hard": {"z": "4"}}}
    assert project(RESOURCE_QUOTA, live, wanted)["spec"] == {"hard": {"z": "3"}}


def test_a_wanted_field_that_is_gone_is_missing() -> None:
    wanted = {**HEADER, "metadata": {"name": "gpu"}, "spec": {"hard": {"y": "2"}}}
    assert project(RESOURCE_QUOTA, quota({}, applied(OURS)), wanted)["spec"] == {"hard": {}}


def test_an_update_by_the_same_name_is_not_an_apply() -> None:
    live = quota({"x": "1"}, applied(OURS, operation="Update"))
    assert "spec" not in project(RESOURCE_QUOTA, live, None)


def test_a_list_is_compared_as_a_whole() -> None:
    fields: dict[str, Any] = {"f:spec": {"f:taints": {'k:{"key":"a"}': {"f:effect": {}}}}}
    live = {"metadata": {"name": "n", "managedFields": [applied(fields)]}, "spec": {"taints": [{"key": "a"}]}}
    assert project(NODE, live, None)["spec"] == {"taints": [{"key": "a"}]}


def test_the_dot_of_a_field_set_is_no_field() -> None:
    live = quota({"x": "1"}, applied({"f:spec": {"f:hard": {".": {}, "f:x": {}}}}))
    assert project(RESOURCE_QUOTA, live, None)["spec"] == {"hard": {"x": "1"}}


@pytest.mark.parametrize(
    ("stored", "written"), [("8", "8"), ("2k", "2000"), ("0", "0"), ("1500m", "1500m"), ("1Ki", "1024")]
)
def test_a_whole_quantity_is_digits(stored: str, written: str) -> None:
    assert plain(stored) == written


@given(
    st.dictionaries(st.from_regex(r"[a-z]{1,6}", fullmatch=True), st.integers(0, 10**6).map(str), max_size=5)
)
def test_what_was_applied_and_kept_reads_back_as_it_was_written(hard: dict[str, str]) -> None:
    wanted = {
        **HEADER,
        "metadata": {"name": "gpu", "namespace": "a-b", "labels": {"ours": "1"}},
        "spec": {"hard": hard},
    }
    managed: dict[str, Any] = {
        "f:metadata": {"f:labels": {"f:ours": {}}},
        "f:spec": {"f:hard": {f"f:{name}": {} for name in hard}},
    }
    assert project(RESOURCE_QUOTA, quota(hard, applied(managed)), wanted) == wanted


@pytest.mark.parametrize(
    ("labels", "ours"),
    [
        ({"app.kubernetes.io/managed-by": "charter", "charter.dev/site": "polar"}, True),
        ({"app.kubernetes.io/managed-by": "charter", "charter.dev/site": "other"}, False),
        ({"app.kubernetes.io/managed-by": "helm", "charter.dev/site": "polar"}, False),
        ({"app.kubernetes.io/managed-by": "charter"}, False),
        (None, False),
    ],
)
def test_ours_is_what_says_so_for_this_site(labels: dict[str, str] | None, ours: bool) -> None:
    assert is_ours({"metadata": {"name": "a", "labels": labels}}, "polar") is ours


def test_keys_are_those_of_the_renderer() -> None:
    assert key_of(RESOURCE_QUOTA, quota({})) == Key("kubernetes", "ResourceQuota", "a-b/gpu")
    assert key_of(NAMESPACE, {"metadata": {"name": "a-b"}}) == Key("kubernetes", "Namespace", "a-b")


def test_going_and_labelled_are_told_from_metadata() -> None:
    assert is_going({"metadata": {"deletionTimestamp": "2026-12-01T00:00:00Z"}})
    assert not is_going({"metadata": {}})
    assert is_labelled({"metadata": {"labels": {"charter.dev/plane": "inference"}}})
    assert not is_labelled({"metadata": {"labels": {"kubernetes.io/hostname": "n"}}})
