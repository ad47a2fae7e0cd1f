"""inventory/site.yaml on its own, and against the tiers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from renderer.problem import Finding
from renderer.rules.subject import Subject

_JURISDICTION = re.compile(r"[A-Z]{2}\Z")
_RELEASE = re.compile(r"\d{2}\.(?:02|05|08|11)\Z")
_PIN = re.compile(r"\d+(?:\.\d+){0,2}\Z")
_UID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")


def cluster(subject: Subject) -> Iterator[Finding]:
    """Jurisdiction, time zone, version pins, cluster UID, zones of data classes."""
    site = subject.site.cluster
    if not _JURISDICTION.match(site.jurisdiction):
        yield _fault(
            subject,
            ("jurisdiction",),
            f"{site.jurisdiction!r} is no ISO 3166 code",
            "write two capital letters, such as IS",
        )
    if not is_time_zone(site.timezone):
        yield _fault(
            subject,
            ("timezone",),
            f"there is no time zone {site.timezone!r}",
            "write one such as Europe/Berlin",
        )
    if not _PIN.match(site.charter):
        yield _fault(
            subject,
            ("charter",),
            f"{site.charter!r} is no version",
            'write the release that may apply this, such as "0.1"',
        )
    if not _RELEASE.match(site.slurm.version):
        yield _fault(
            subject,
            ("slurm", "version"),
            f"{site.slurm.version!r} is no Slurm release",
            'write one such as "24.11"',
        )
    if not _UID.match(site.kubernetes.cluster_uid):
        remedy = "ask the cluster: kubectl get namespace kube-system -o jsonpath={.metadata.uid}"
        yield _fault(subject, ("kubernetes", "cluster_uid"), "this is no UID", remedy)
    if site.slurm.auth.type == "slurm" and site.slurm.version < "23.11":
        yield _fault(
            subject, ("slurm", "auth", "type"), f"Slurm {site.slurm.version} has no auth/slurm", "use munge"
        )
    for name, zones in site.data_classes.items():
        for index, zone in enumerate(zones):
            if zone not in site.zones:
                known = dict.fromkeys(site.zones)
                yield subject.unknown("cluster", "", ("data_classes", name, index), "zone", zone, known)


def engines(subject: Subject) -> Iterator[Finding]:
    """Every tier is one that Charter may own."""
    owns = subject.site.cluster.slurm.owns_qos
    for name in subject.site.qos.tiers:
        if name not in owns:
            remedy = "add it to slurm.owns_qos in inventory/site.yaml, once no other cluster of this slurmdbd uses the name"
            yield subject.fault("qos", "", (name,), "qos-owned", f"Charter may not own a QOS {name}", remedy)


def is_time_zone(name: str) -> bool:
    """True for a name of the time zone database."""
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


def _fault(subject: Subject, keys: tuple[str, ...], what: str, remedy: str) -> Finding:
    return subject.fault("cluster", "", keys, "cluster", what, remedy)
