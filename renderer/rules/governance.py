"""Who decides: roles that exist, keys that are keys, freezes that make sense."""

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
            if not _of_the_site(path):
                yield _no_path(subject, "approvers", ("roles", name, "paths", index), path)


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


def freezes(subject: Subject) -> Iterator[Finding]:
    """A freeze ends after it begins, has a name of its own, and names paths of the site."""
    seen: set[str] = set()
    for index, freeze in enumerate(subject.site.freezes):
        place = ("freezes", index)
        if freeze.end <= freeze.start:
            keys, what, remedy = (*place, "end"), "ends before it begins", "mend start or end"
            yield subject.fault("freezes", "", keys, "period", what, remedy)
        if freeze.name in seen:
            keys, what = (*place, "name"), f"there is another freeze named {freeze.name}"
            yield subject.fault("freezes", "", keys, "freeze-name", what, "give each a name of its own")
        seen.add(freeze.name)
        for number, path in enumerate(freeze.paths):
            if not _of_the_site(path):
                yield _no_path(subject, "freezes", (*place, "paths", number), path)


def _of_the_site(path: str) -> bool:
    return path.startswith(_FOLDERS) and ".." not in path.split("/")


def _no_path(subject: Subject, kind: str, keys: tuple[str | int, ...], path: str) -> Finding:
    what, remedy = f"{path[:80]} is no path of the site", f"begin with {', '.join(_FOLDERS)}"
    return subject.fault(kind, "", keys, "site-path", what, remedy)
