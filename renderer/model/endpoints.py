"""policies/endpoints: inference services."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Replicas:
    """How many run, and how many more while they are being replaced."""

    min: int
    max: int
    surge: int


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A service of a programme (`tenant/programme`); `selector` names an external workload."""

    name: str
    program: str
    image: str
    replicas: Replicas
    gpu_model: str
    gpus_per_replica: int
    metric: str
    metric_target: int
    workload: Literal["managed", "external"]
    selector: Mapping[str, str]
