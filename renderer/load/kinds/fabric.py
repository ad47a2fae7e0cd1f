"""inventory/fabric.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from renderer.load import checks
from renderer.load.fields import HOSTS, Rules, choice, many, number, required, text
from renderer.model.fabric import Fabric, Link, NvlinkDomain, SwitchGroup
from renderer.notation.hostlist import expand

_RAIL = number(1, 64)
_SWITCHES: Rules = {
    "names": required(HOSTS),
    "tier": required(number(1, 8)),
    "rail": _RAIL,
    "rack": text(checks.word),
}
_LINK: Rules = {
    "hosts": {**HOSTS, "excludes": "from"},
    "from": HOSTS,
    "to": required(HOSTS),
    "rail": _RAIL,
    "gbps": required(number(1, 10000)),
    "count": number(1, 1024),
}
_DOMAIN: Rules = {"hosts": required(HOSTS), "cluster_uuid": text(checks.word), "clique_id": number(0)}
SCHEMA: Rules = {
    "kind": required(choice("infiniband", "roce")),
    "rails": required(_RAIL),
    "planes": number(1, 8),
    "switches": required(many(_SWITCHES)),
    "links": required(many(_LINK)),
    "nvlink_domains": many(_DOMAIN),
}


def build(document: Mapping[str, Any]) -> Fabric:
    """The wiring."""
    return Fabric(
        kind=document["kind"],
        rails=document["rails"],
        planes=document.get("planes", 1),
        switches=tuple(_switches(part) for part in document["switches"]),
        links=tuple(_link(part) for part in document["links"]),
        nvlink_domains=tuple(
            NvlinkDomain(expand(part["hosts"]), part.get("cluster_uuid"), part.get("clique_id"))
            for part in document.get("nvlink_domains", ())
        ),
    )


def _switches(part: Mapping[str, Any]) -> SwitchGroup:
    return SwitchGroup(expand(part["names"]), part["tier"], part.get("rail"), part.get("rack"))


def _link(part: Mapping[str, Any]) -> Link:
    ends = part.get("hosts") or part.get("from")
    return Link(
        ends=expand(ends) if ends else (),
        ends_are_hosts="hosts" in part,
        to=expand(part["to"]),
        rail=part.get("rail"),
        gbps=part["gbps"],
        count=part.get("count", 1),
    )
