"""No two tenants or programmes become one account or namespace, and none becomes somebody else's."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.notation.names import MAX_NAME
from renderer.problem import Finding
from renderer.rules.subject import Subject

_TAKEN = frozenset({"root", "default", "kube-system", "kube-public", "kube-node-lease", "charter-system"})


def collisions(subject: Subject) -> Iterator[Finding]:
    """Accounts and namespaces are distinct, short enough, and nobody else's."""
    root = subject.site.cluster.slurm.account_root
    seen = dict.fromkeys([root, *subject.site.tenants], "")
    for tenant in subject.site.tenants.values():
        if tenant.name == root or tenant.name in _TAKEN:
            yield subject.fault(
                "tenants",
                tenant.name,
                ("name",),
                "name-taken",
                f"{tenant.name} is taken",
                "choose another name",
            )
        for program in tenant.programs.values():
            keys = ("programs", program.name)
            if len(program.account) > MAX_NAME:
                what = f"{program.account} is longer than {MAX_NAME} characters"
                yield subject.fault(
                    "tenants", tenant.name, keys, "name-length", what, "shorten one of the two names"
                )
            if program.account in seen or program.account in _TAKEN:
                what = f"account and namespace {program.account} would be two things"
                yield subject.fault(
                    "tenants", tenant.name, keys, "name-collision", what, "rename one of them"
                )
            seen[program.account] = ""
