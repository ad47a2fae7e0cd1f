"""The fabric: known ends, each switch declared once, every rail of every host cabled."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from renderer.model.fabric import Link
from renderer.problem import Finding
from renderer.rules.hosts import unknown_hosts
from renderer.rules.subject import Subject, shown


def wiring(subject: Subject) -> Iterator[Finding]:
    """Switches, links, rails, NVLink domains."""
    fabric = subject.site.fabric
    tiers: dict[str, int] = {}
    rails = {name: group.rail for group in fabric.switches for name in group.names}
    for index, group in enumerate(fabric.switches):
        twice = [name for name in group.names if name in tiers or name in subject.site.nodes.by_name]
        if twice:
            keys = ("switches", index, "names")
            yield subject.fault(
                "fabric",
                "",
                keys,
                "switch-twice",
                f"{shown(twice)} is declared already",
                "keep each name once",
            )
        tiers |= dict.fromkeys(group.names, group.tier)
    for index, link in enumerate(fabric.links):
        yield from _link(subject, index, link, tiers)
        yield from _crossed(subject, index, link, rails)
    yield from _rails(subject, rails)
    yield from _domains(subject)


def _link(subject: Subject, index: int, link: Link, tiers: dict[str, int]) -> Iterator[Finding]:
    if not link.ends:
        yield subject.fault(
            "fabric", "", ("links", index), "link-ends", "needs exactly one of hosts and from", "add one"
        )
    if link.ends_are_hosts:
        yield from unknown_hosts(subject, "fabric", ("links", index, "hosts"), link.ends)
    else:
        yield from _switches(subject, index, "from", link.ends, tiers)
    yield from _switches(subject, index, "to", link.to, tiers)
    yield from _upward(subject, index, link, tiers)


def _upward(subject: Subject, index: int, link: Link, tiers: dict[str, int]) -> Iterator[Finding]:
    """Cables run up: hosts to leaves, a switch to one of a higher tier. Anything else has no place in a tree."""
    highest = (
        0 if link.ends_are_hosts else max((tiers[name] for name in link.ends if name in tiers), default=0)
    )
    wrong = [
        name
        for name in link.to
        if name in tiers and (tiers[name] != 1 if link.ends_are_hosts else tiers[name] <= highest)
    ]
    if wrong:
        what = f"{shown(wrong)} is of tier {tiers[wrong[0]]}"
        remedy = "cable hosts to tier 1" if link.ends_are_hosts else "cable a switch to a higher tier"
        yield subject.fault("fabric", "", ("links", index, "to"), "link-tier", what, remedy)


def _domains(subject: Subject) -> Iterator[Finding]:
    seen: set[str] = set()
    for index, domain in enumerate(subject.site.fabric.nvlink_domains):
        keys = ("nvlink_domains", index, "hosts")
        yield from unknown_hosts(subject, "fabric", keys, domain.hosts)
        twice = [host for host in domain.hosts if host in seen]
        if twice:
            what = f"{shown(twice)} is in another domain already"
            yield subject.fault("fabric", "", keys, "nvlink-overlap", what, "keep each host in one domain")
        seen |= set(domain.hosts)


def _crossed(subject: Subject, index: int, link: Link, rails: dict[str, int | None]) -> Iterator[Finding]:
    wrong = [name for name in link.to if link.rail is not None and rails.get(name) not in (None, link.rail)]
    if wrong:
        what = f"{shown(wrong)} is of rail {rails[wrong[0]]}, the link of rail {link.rail}"
        yield subject.fault("fabric", "", ("links", index, "rail"), "rail-crossed", what, "make them agree")


def _switches(
    subject: Subject, index: int, field: str, names: tuple[str, ...], tiers: dict[str, int]
) -> Iterator[Finding]:
    strange = [name for name in names if name not in tiers]
    if strange:
        what = f"{shown(strange)} is no declared switch"
        yield subject.fault(
            "fabric",
            "",
            ("links", index, field),
            "switch-unknown",
            what,
            "declare it under switches, or mend the name",
        )


def _rails(subject: Subject, rail_of: dict[str, int | None]) -> Iterator[Finding]:
    """A link without a rail has its switches'."""
    cabled: dict[str, set[int | None]] = defaultdict(set)
    for link in subject.site.fabric.links:
        if link.ends_are_hosts:
            reached = {link.rail} if link.rail is not None else {rail_of.get(name) for name in link.to}
            for host in link.ends:
                cabled[host] |= reached
    lacking: dict[tuple[int, ...], list[str]] = defaultdict(list)
    for name, node in subject.site.nodes.by_name.items():
        missing = {nic.rail for nic in node.type.nics} - cabled[name]
        if missing:
            lacking[tuple(sorted(missing))].append(name)
    for rails, names in lacking.items():
        what = f"{shown(names)} has no cable on rail {', '.join(map(str, rails))}"
        yield subject.fault(
            "fabric",
            "",
            ("links",),
            "rail-uncabled",
            what,
            "add the link, or remove the nic from the node type",
        )
