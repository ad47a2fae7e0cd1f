"""Hosts: each in one group and one plane, of a type that adds up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from renderer.model.nodes import NodeType
from renderer.notation.devices import device_files
from renderer.notation.error import NotationError
from renderer.notation.hostlist import expand, fold
from renderer.problem import Finding, Keys
from renderer.rules.subject import Subject, shown


def groups(subject: Subject) -> Iterator[Finding]:
    """Types, zones, ports and overlaps of the groups; sense of the types."""
    nodes, site = subject.site.nodes, subject.site.cluster
    for name, kind in nodes.types.items():
        yield from _type(subject, name, kind)
    seen: dict[str, int] = {}
    for index, group in enumerate(nodes.groups):
        keys: Keys = ("groups", index)
        if group.type not in nodes.types:
            yield subject.unknown("nodes", "", (*keys, "type"), "node type", group.type, nodes.types)
        if group.zone not in site.zones:
            yield subject.unknown("nodes", "", (*keys, "zone"), "zone", group.zone, dict.fromkeys(site.zones))
        yield from _port(subject, keys, group.port, group.hosts)
        twice = [host for host in group.hosts if host in seen]
        if twice:
            what = f"{shown(twice)} stands in group {seen[twice[0]] + 1} already"
            yield subject.fault(
                "nodes", "", (*keys, "hosts"), "host-overlap", what, "keep each host in one group"
            )
        seen |= dict.fromkeys(group.hosts, index)


def _port(subject: Subject, keys: Keys, port: str | None, hosts: tuple[str, ...]) -> Iterator[Finding]:
    if port is None or port.isdigit():
        return
    try:
        given = expand(f"p{port}")
    except NotationError as error:
        yield subject.fault(
            "nodes", "", (*keys, "port"), "notation-port", error.what, "write 6818 or [6818-6825]"
        )
        return
    if len(given) != len(hosts):
        what = f"{len(given)} ports for {len(hosts)} hosts"
        yield subject.fault(
            "nodes", "", (*keys, "port"), "port-count", what, "give one port, or as many as hosts"
        )
    elif expand(fold(hosts)) != hosts:
        what = "ports follow the order of hosts, and these are not in natural order"
        yield subject.fault("nodes", "", (*keys, "hosts"), "port-order", what, f"write {fold(hosts)[:200]}")


def _type(subject: Subject, name: str, kind: NodeType) -> Iterator[Finding]:
    keys: Keys = ("types", name)
    if kind.sockets * kind.cores_per_socket * kind.threads_per_core != kind.cpus:
        what = f"cpus is {kind.cpus}, sockets * cores * threads is {kind.sockets * kind.cores_per_socket * kind.threads_per_core}"
        yield subject.fault(
            "nodes", "", (*keys, "cpus"), "cpu-count", what, "make them agree; slurmd -C says what a host has"
        )
    for index, gpu in enumerate(kind.gpus):
        if (gpu.file is None) == (gpu.autodetect is None):
            yield subject.fault(
                "nodes",
                "",
                (*keys, "gpus", index),
                "gpu-device",
                "needs exactly one of file and autodetect",
                "keep one",
            )
        elif gpu.file is not None and gpu.mig_profile is None:
            yield from _devices(subject, (*keys, "gpus", index, "file"), gpu.file, gpu.count)


def _devices(subject: Subject, keys: Keys, file: str, count: int) -> Iterator[Finding]:
    if not file.startswith("/"):
        yield subject.fault(
            "nodes", "", keys, "gpu-device", f"{file!r} is no absolute path", "write /dev/nvidia[0-7]"
        )
        return
    try:
        found = len(device_files(file))
    except NotationError as error:
        yield subject.fault("nodes", "", keys, "gpu-device", error.what, "write /dev/nvidia[0-7]")
        return
    if found != count:
        yield subject.fault(
            "nodes", "", keys, "gpu-device", f"{found} device files for {count} GPUs", "make them agree"
        )


def planes(subject: Subject) -> Iterator[Finding]:
    """Planes name known hosts, each once, and no GPU host is in none."""
    site = subject.site
    seen: dict[str, str] = {}
    for plane, hosts in (
        ("training", site.planes.training),
        ("inference", site.planes.inference),
        ("flexible", site.planes.flexible),
    ):
        yield from unknown_hosts(subject, "planes", (plane, "hosts"), hosts)
        twice = [host for host in hosts if host in seen]
        if twice:
            what = f"{shown(twice)} is in plane {seen[twice[0]]} already"
            yield subject.fault(
                "planes", "", (plane, "hosts"), "plane-overlap", what, "keep each host in one plane"
            )
        seen |= dict.fromkeys(hosts, plane)
    left = [name for name, node in site.nodes.by_name.items() if node.type.gpus and name not in seen]
    if left:
        yield subject.fault(
            "planes",
            "",
            (),
            "plane-missing",
            f"{shown(left)} is in no plane",
            "put it into one",
            "warning",
        )


def unknown_hosts(
    subject: Subject, kind: str, keys: Keys, hosts: Sequence[str], name: str = ""
) -> Iterator[Finding]:
    """A finding where hosts are named that the inventory doesn't have."""
    strange = _absent(subject, [host for host in hosts if host not in subject.site.nodes.by_name])
    if strange:
        what = f"{shown(strange)} is not in inventory/nodes.yaml"
        yield subject.fault(kind, name, keys, "host-unknown", what, "mend the host list, or add the hosts")


def _absent(subject: Subject, hosts: list[str]) -> list[str]:
    """Those in no group at all: a group of an unknown type is reported at its own place."""
    if not hosts:
        return hosts
    nodes = subject.site.nodes
    untyped = {host for group in nodes.groups if group.type not in nodes.types for host in group.hosts}
    return [host for host in hosts if host not in untyped]
