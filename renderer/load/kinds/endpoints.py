"""policies/endpoints/*.yaml and policies/images/*.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from renderer.load import checks
from renderer.load.fields import NAME, Rules, choice, listed, mapping, number, required, text
from renderer.model.endpoints import Endpoint, Replicas
from renderer.model.governance import Image

_COUNT = required(number(0, 100_000))
SCHEMA: Rules = {
    "name": required(NAME),
    "program": required(text(checks.reference)),
    "image": required(text(checks.image)),
    "replicas": required(mapping({"min": _COUNT, "max": _COUNT, "surge": number(0, 100_000)})),
    "gpu_model": required(NAME),
    "gpus_per_replica": required(number(1, 1024)),
    "metric": required(text(checks.word)),
    "metric_target": required(number(1)),
    "workload": required(choice("managed", "external")),
    "selector": {"type": "dict", "check_with": checks.keys_are_labels, "valuesrules": text(checks.word)},
}
IMAGE: Rules = {
    "name": required(NAME),
    "repository": required(text(checks.word)),
    "digest": required(text(checks.digest)),
    "signatures": listed(checks.words),
}


def build(document: Mapping[str, Any]) -> Endpoint:
    """The endpoint; one replica more while it is replaced, unless it says otherwise."""
    replicas = document["replicas"]
    return Endpoint(
        name=document["name"],
        program=document["program"],
        image=document["image"],
        replicas=Replicas(replicas["min"], replicas["max"], replicas.get("surge", 1)),
        gpu_model=document["gpu_model"],
        gpus_per_replica=document["gpus_per_replica"],
        metric=document["metric"],
        metric_target=document["metric_target"],
        workload=document["workload"],
        selector=dict(document.get("selector", {})),
    )


def build_image(document: Mapping[str, Any]) -> Image:
    """The approved image."""
    return Image(
        document["name"], document["repository"], document["digest"], tuple(document.get("signatures", ()))
    )
