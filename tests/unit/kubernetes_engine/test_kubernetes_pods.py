"""How much a pod holds."""

from __future__ import annotations

from typing import Any

import pytest

from reconciler.targets.kubernetes.jobs import requested


def container(**amounts: str) -> dict[str, Any]:
    return {"resources": {"requests": {name.replace("_", "/"): amount for name, amount in amounts.items()}}}


@pytest.mark.parametrize(
    ("containers", "first", "held"),
    [
        ([], [], {}),
        ([container(v_gpu="2", cpu="4"), container(v_gpu="1")], [], {"v/gpu": 3}),
        ([container(v_gpu="2")], [container(v_gpu="4"), container(v_gpu="3")], {"v/gpu": 4}),
        ([{"resources": {}}, {}], [], {}),
    ],
)
def test_containers_add_up_and_init_containers_take_turns(
    containers: list[Any], first: list[Any], held: dict[str, int]
) -> None:
    assert requested({"spec": {"containers": containers, "initContainers": first}}) == held
