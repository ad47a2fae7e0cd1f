"""inventory/nodes.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from renderer.load import checks
from renderer.load.fields import HOSTS, NAME, Rules, listed, many, mapping, named, number, required, text
from renderer.model.nodes import Gpu, Nic, Node, NodeGroup, Nodes, NodeType, Power
from renderer.notation.hostlist import expand

_NIC: Rules = {
    "name": required(text(checks.word)),
    "rail": required(number(1, 64)),
    "gbps": required(number(1, 10000)),
}
_GPU: Rules = {
    "model": required(NAME),
    "count": required(number(1, 1024)),
    "mig_profile": text(checks.word),
    "slurm_type": required(text(checks.word)),
    "kubernetes_resource": required(text(checks.word)),
    "file": text(),
    "autodetect": {"type": "string", "allowed": ["nvml", "nvidia", "rsmi", "oneapi"]},
}
_TYPE: Rules = {
    "cpus": required(number(1, 65535)),
    "sockets": required(number(1, 1024)),
    "cores_per_socket": required(number(1, 65535)),
    "threads_per_core": required(number(1, 64)),
    "memory_mb": required(number(1)),
    "mem_spec_limit_mb": number(0),
    "nics": many(_NIC),
    "gpus": many(_GPU),
    "power_watts": mapping({"idle": required(number(0, 10**6)), "max": required(number(1, 10**6))}),
}
_GROUP: Rules = {
    "hosts": required(HOSTS),
    "type": required(NAME),
    "rack": text(checks.word),
    "zone": required(NAME),
    "features": listed(checks.words),
    "weight": number(0, 2**32 - 2),
    "address": text(checks.word),
    "hostname": text(checks.word),
    "port": text(),
}
SCHEMA: Rules = {
    "types": required(named(mapping(_TYPE))),
    "groups": required({**many(_GROUP), "minlength": 1}),
}


def build(document: Mapping[str, Any]) -> Nodes:
    """Types, groups and every host. A host of two groups is the first's; a group of an unknown type has no hosts here."""
    types = {name: _type(name, part) for name, part in document["types"].items()}
    groups = tuple(_group(part) for part in document["groups"])
    by_name: dict[str, Node] = {}
    for group in groups:
        if group.type in types:
            for host in group.hosts:
                by_name.setdefault(host, Node(host, types[group.type], group))
    return Nodes(types, groups, by_name)


def _type(name: str, part: Mapping[str, Any]) -> NodeType:
    power = part.get("power_watts")
    return NodeType(
        name=name,
        cpus=part["cpus"],
        sockets=part["sockets"],
        cores_per_socket=part["cores_per_socket"],
        threads_per_core=part["threads_per_core"],
        memory_mb=part["memory_mb"],
        mem_spec_limit_mb=part.get("mem_spec_limit_mb"),
        nics=tuple(Nic(**nic) for nic in part.get("nics", ())),
        gpus=tuple(Gpu(**gpu) for gpu in part.get("gpus", ())),
        power=Power(**power) if power else None,
    )


def _group(part: Mapping[str, Any]) -> NodeGroup:
    return NodeGroup(
        hosts=expand(part["hosts"]),
        type=part["type"],
        rack=part.get("rack"),
        zone=part["zone"],
        features=tuple(part.get("features", ())),
        weight=part.get("weight", 1),
        address=part.get("address"),
        hostname=part.get("hostname"),
        port=part.get("port"),
    )
