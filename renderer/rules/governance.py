"""Who decides: roles that exist, keys that are keys, periods that make sense."""

from __future__ import annotations

import base64
import binascii
from collections import defaultdict
from collections.abc import Iterator

from renderer.problem import Finding
from renderer.rules.subject import Subject

_FOLDERS = ("inventory/", "policies/", "rego/site/", "**")
_KINDS = (
    "ssh-ed25519",
    "sk-ssh-ed25519@openssh.com",
    "ecdsa-sha2-nistp256",
    "ecdsa-sha2-nistp384",
    "ssh-rsa",
)


def approvers(subject: Subject) -> Iterator[Finding]:
    """Principals hold declared roles and each key is one principal's."""
    site = subject.site.approvers
    holders: dict[str, list[str]] = defaultdict(list)
    for name, principal in site.principals.items():
        for index, role in enumerate(principal.roles):
            if role not in site.roles:
                yield subject.unknown(
                    "approvers", "", ("principals", name, "roles", index), "role", role, site.roles
                )
        for index, key in enumerate(principal.keys):
            keys = ("principals", name, "keys", index)
            if not _is_key(key):
                yield subject.fault(
                    "approvers",
                    "",
                    keys,
                    "key",
                    "this is no SSH public key",
                    "paste the .pub file: ssh-ed25519 AAAA…",
                )
            holders[" ".join(key.split()[:2])].append(name)
            if len(set(holders[" ".join(key.split()[:2])])) > 1:
                what = f"the key is {holders[' '.join(key.split()[:2])][0]}'s too"
                yield subject.fault(
                    "approvers", "", keys, "key-shared", what, "give each principal keys of their own"
                )
    if site.require != "none" and not site.principals:
        yield subject.fault(
            "approvers", "", ("require",), "approvers-none", "nobody could sign", "add principals first"
        )
    yield from _thresholds(subject)
    yield from _paths(subject)


def _paths(subject: Subject) -> Iterator[Finding]:
    for name, role in subject.site.approvers.roles.items():
        for index, path in enumerate(role.paths):
            if not path.startswith(_FOLDERS) or ".." in path.split("/"):
                what, remedy = f"{path[:80]} is no path of the site", f"begin with {', '.join(_FOLDERS)}"
                keys = ("roles", name, "paths", index)
                yield subject.fault("approvers", "", keys, "role-path", what, remedy)


def _thresholds(subject: Subject) -> Iterator[Finding]:
    site = subject.site.approvers
    for name, role in site.roles.items():
        holding = sum(name in principal.roles for principal in site.principals.values())
        if not holding:
            what, remedy = f"nobody holds the role {name}", "give it to a principal, or remove it"
            yield subject.fault("approvers", "", ("roles", name), "role-unheld", what, remedy, "warning")
        elif role.threshold > holding:
            what = f"needs {role.threshold} approvals, {holding} principals hold the role"
            remedy = "lower the threshold or give the role to more"
            yield subject.fault("approvers", "", ("roles", name), "threshold", what, remedy)


def _is_key(text: str) -> bool:
    parts = text.split()
    if len(parts) < 2 or parts[0] not in _KINDS:
        return False
    try:
        blob = base64.b64decode(parts[1], validate=True)
    except (binascii.Error, ValueError):
        return False
    return blob[4 : 4 + len(parts[0])] == parts[0].encode() and int.from_bytes(blob[:4], "big") == len(
        parts[0]
    )


def periods(subject: Subject) -> Iterator[Finding]:
    """A freeze ends after it begins."""
    for index, freeze in enumerate(subject.site.freezes):
        if freeze.end <= freeze.start:
            yield subject.fault(
                "freezes",
                "",
                ("freezes", index, "end"),
                "period",
                "ends before it begins",
                "mend start or end",
            )
