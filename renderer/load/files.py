"""Which file is of which kind, and each read to data or to findings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from renderer.load.document import parse
from renderer.load.fields import Rules
from renderer.load.kinds import (
    cluster,
    endpoints,
    fabric,
    governance,
    nodes,
    partitions,
    qos,
    reservations,
    tenants,
)
from renderer.load.shape import Shape
from renderer.problem import Finding, Problem

Build = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Kind:
    """Files of one kind: how their paths look, their schema, how they become data. `single`: there is one such file. `flat`: keys
    that the schema does not name are judged as one mapping under this key, which the file doesn't have."""

    name: str
    pattern: re.Pattern[str]
    schema: Rules
    build: Build
    single: bool = True
    needed: bool = False
    flat: str | None = None


def _kind(
    name: str, path: str, schema: Rules, build: Build, *, needed: bool = False, flat: str | None = None
) -> Kind:
    pattern = re.compile(re.escape(path).replace(r"\*", "[^/]+"))
    return Kind(name, pattern, schema, build, single="*" not in path, needed=needed, flat=flat)


KINDS = (
    _kind("cluster", "inventory/site.yaml", cluster.SCHEMA, cluster.build, needed=True),
    _kind("nodes", "inventory/nodes.yaml", nodes.SCHEMA, nodes.build, needed=True),
    _kind("fabric", "inventory/fabric.yaml", fabric.SCHEMA, fabric.build, needed=True),
    _kind("tenants", "policies/tenants/*.yaml", tenants.SCHEMA, tenants.build),
    _kind("members", "policies/members/*.yaml", tenants.MEMBERS, tenants.build_members),
    _kind("qos", "policies/qos.yaml", qos.SCHEMA, qos.build, needed=True, flat="tiers"),
    _kind("partitions", "policies/partitions.yaml", partitions.SCHEMA, dict, needed=True, flat="partitions"),
    _kind("planes", "policies/planes.yaml", partitions.PLANES, partitions.build_planes, needed=True),
    _kind("reservations", "policies/reservations/*.yaml", reservations.SCHEMA, reservations.build),
    _kind("endpoints", "policies/endpoints/*.yaml", endpoints.SCHEMA, endpoints.build),
    _kind("images", "policies/images/*.yaml", endpoints.IMAGE, endpoints.build_image),
    _kind(
        "approvers", "policies/approvers.yaml", governance.APPROVERS, governance.build_approvers, needed=True
    ),
    _kind("waivers", "policies/waivers.yaml", governance.WAIVERS, governance.build_waivers),
    _kind("freezes", "policies/freezes.yaml", governance.FREEZES, governance.build_freezes),
    _kind("failures", "policies/failures.yaml", governance.FAILURES, governance.build_failures),
)
PATHS = {kind.name: kind.pattern.pattern.replace("\\", "") for kind in KINDS if kind.single}


def kind_of(path: str) -> Kind | None:
    """The kind of a path, None for one that is no YAML kind."""
    return next((kind for kind in KINDS if kind.pattern.fullmatch(path)), None)


@dataclass(frozen=True, slots=True)
class Read:
    """One file: its data where its shape is right, else findings (by keys) or problems (located by the parser)."""

    data: Any = None
    findings: tuple[Finding, ...] = ()
    problems: tuple[Problem, ...] = ()


def read(path: str, kind: Kind, content: bytes) -> Read:
    """Parse, judge the shape, build."""
    document, faults = parse(content)
    if faults:
        return Read(problems=tuple(Problem(path, *fault) for fault in faults))
    if not isinstance(document, dict):
        return Read(
            findings=(
                Finding(path, (), "shape-type", "the file is not a mapping", "write `field: value` lines"),
            )
        )
    findings = _shape(kind, document, path)
    return Read(findings=findings) if findings else Read(data=kind.build(document))


def _shape(kind: Kind, document: Mapping[str, Any], path: str) -> tuple[Finding, ...]:
    judge = _judge(kind.name)
    if kind.flat is None:
        return judge.findings_of(path, document)
    beside = {key: value for key, value in document.items() if key in kind.schema and key != kind.flat}
    flat = {key: value for key, value in document.items() if key not in beside}
    found = judge.findings_of(path, {**beside, kind.flat: flat})
    return tuple(_without(kind.flat, finding) for finding in found)


def _without(first: str, finding: Finding) -> Finding:
    return replace(finding, keys=finding.keys[1:]) if finding.keys[:1] == (first,) else finding


@cache
def _judge(name: str) -> Shape:
    return Shape(next(kind.schema for kind in KINDS if kind.name == name))


def missing(paths: Mapping[str, object]) -> Iterator[Finding]:
    """A finding for each file that every site has and this one lacks."""
    for kind in KINDS:
        path = PATHS.get(kind.name, "")
        if kind.needed and path not in paths:
            yield Finding(
                path, (), "file-missing", "the file is missing", "add it; docs/site-format.md shows one"
            )
