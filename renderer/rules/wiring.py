"""The fabric: known ends, each switch declared once, every rail of every host cabled."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from renderer.model.fabric import Link
from renderer.notation.hostlist import fold
from renderer.problem import Finding
from renderer.rules.hosts import unknown_hosts
from renderer.rules.subject import Subject


def wiring(subject: Subject) -> Iterator[Finding]:
    """Switches, links, rails, NVLink domains."""
    fabric = subject.site.fabric
    tiers: dict[str, int] = {}
    for index, group in enumerate(fabric.switches):
        twice = [name for name in group.names if name in tiers or name in subject.site.nodes.by_name]
        if twice:
            keys = ("switches", index, "names")
            yield subject.fault(
                "fabric",
                "",
                keys,
                "switch-twice",
                f"{fold(twice)} is declared already",
                "keep each name once",
            )
        tiers |= dict.fromkeys(group.names, group.tier)
    for index, link in enumerate(fabric.links):
        yield from _link(subject, index, link, tiers)
    yield from _rails(subject)
    for index, domain in enumerate(fabric.nvlink_domains):
        yield from unknown_hosts(subject, "fabric", ("nvlink_domains", index, "hosts"), domain.hosts)


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


def _switches(
    subject: Subject, index: int, field: str, names: tuple[str, ...], tiers: dict[str, int]
) -> Iterator[Finding]:
    strange = [name for name in names if name not in tiers]
    if strange:
        what = f"{fold(strange)[:200]} is no declared switch"
        yield subject.fault(
            "fabric",
            "",
            ("links", index, field),
            "switch-unknown",
            what,
            "declare it under switches, or mend the name",
        )


def _rails(subject: Subject) -> Iterator[Finding]:
    cabled: dict[str, set[int]] = defaultdict(set)
    for link in subject.site.fabric.links:
        if link.ends_are_hosts and link.rail is not None:
            for host in link.ends:
                cabled[host].add(link.rail)
    lacking: dict[tuple[int, ...], list[str]] = defaultdict(list)
    for name, node in subject.site.nodes.by_name.items():
        missing = {nic.rail for nic in node.type.nics} - cabled[name]
        if missing:
            lacking[tuple(sorted(missing))].append(name)
    for rails, names in lacking.items():
        what = f"{fold(names)[:200]} has no cable on rail {', '.join(map(str, rails))}"
        yield subject.fault(
            "fabric",
            "",
            ("links",),
            "rail-uncabled",
            what,
            "add the link, or remove the nic from the node type",
        )
