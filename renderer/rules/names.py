"""A file is named as what it holds, and no two programmes become one account or namespace."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.notation.names import MAX_NAME
from renderer.problem import Finding
from renderer.rules.subject import Subject

_FIELD = {"members": "tenant"}
_TAKEN = frozenset({"root", "default", "kube-system", "kube-public", "kube-node-lease", "charter-system"})


def file_names(subject: Subject) -> Iterator[Finding]:
    """The object's name is its file's."""
    for (kind, name), path in subject.paths.items():
        stem = path.rpartition("/")[2].removesuffix(".yaml")
        if name and stem != name:
            field = _FIELD.get(kind, "name")
            yield Finding(
                path,
                (field,),
                "file-name",
                f"{field} is {name}, the file is {stem}.yaml",
                "make them the same",
            )


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
