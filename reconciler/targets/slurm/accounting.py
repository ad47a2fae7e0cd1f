"""The commands that change accounts, people and QOS in slurmdbd."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from reconciler.plan.action import Change
from reconciler.targets.contract import Fence
from reconciler.targets.slurm.accounting_fields import ACCOUNT, QOS, TIMES, TRES
from reconciler.targets.slurm.client import Client
from reconciler.targets.slurm.preempting import CLOSED, in_steps
from renderer.model.site import Site
from renderer.notation import tres
from renderer.resource import Resource
from renderer.rules.qos import NOBODY

_NAMES = 500
"""In one command: a command line has an end."""


def set_words(kind: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """`Name=value` for every field that differs, what is to be unset as Slurm unsets it (-1)."""
    names = QOS if kind == "qos" else ACCOUNT
    changed = (field for field in names if before.get(field, "") != after.get(field, ""))
    return [
        f"{names[field]}={_written(field, str(before.get(field, '')), str(after.get(field, '')))}"
        for field in changed
    ]


def _written(field: str, before: str, after: str) -> str:
    if field in TRES:
        wanted = tres.parse(after)
        held = (part.partition("=")[0] for part in before.split(",") if part)
        gone = {name: -1 for name in held if name not in wanted}
        return ",".join(f"{name}={amount}" for name, amount in sorted((wanted | gone).items()))
    if field in TIMES and field != "grace_time":
        return _time(after)
    if field in ("parent", "description", "organization", "qos", "preempt_mode"):
        return after
    if field == "preempt":
        return after or NOBODY
    return after or "-1"


def _time(after: str) -> str:
    if not after:
        return "-1"
    total = int(after)
    return f"{total // 86400}-{total // 3600 % 24:02d}:{total // 60 % 60:02d}:{total % 60:02d}"


def create(client: Client, site: Site, resources: Sequence[Resource], fence: Fence) -> None:
    """Add resources of one kind; people of one account in one command."""
    cluster = f"cluster={site.cluster.slurm.cluster_name}"
    for resource in resources:
        kind, name = resource.key.kind, resource.key.name
        if kind == "qos":
            _add(client, ("qos", name, *set_words(kind, {}, resource.fields)), fence)
        elif kind == "account":
            _add(client, ("account", name, cluster, *set_words(kind, {}, resource.fields)), fence)
        elif kind == "coordinator":
            account, user = resource.fields["account"], resource.fields["user"]
            _add(client, ("coordinator", f"account={account}", f"names={user}"), fence)
    for (account, fairshare), users in _by_account(resources).items():
        _add(
            client, ("user", ",".join(users), f"account={account}", cluster, f"fairshare={fairshare}"), fence
        )


def _add(client: Client, words: tuple[str, ...], fence: Fence) -> None:
    fence.check()
    client.write("sacctmgr", "-i", "add", *words, timeout=fence.remaining())


def _by_account(resources: Sequence[Resource]) -> dict[tuple[str, str], list[str]]:
    found: dict[tuple[str, str], list[str]] = {}
    for resource in resources:
        if resource.key.kind == "association":
            fields = resource.fields
            found.setdefault((fields["account"], fields["fairshare"]), []).append(fields["user"])
    return found


def update(client: Client, site: Site, changes: Sequence[Change], fence: Fence) -> None:
    """Change what differs. Neighbours whose fields change alike are changed by one command: each costs a third of a second."""
    for (kind, account, words), group in groupby(in_steps(changes), key=_alike):
        if f"Preempt={NOBODY}" in words:
            _add(client, ("qos", NOBODY, *CLOSED), fence)
        names = [change.key.name.rpartition("/")[2] for change in group]
        for start in range(0, len(names), _NAMES):
            some = ",".join(names[start : start + _NAMES])
            for where, said in _commands(site, kind, account, some, words):
                _modify(client, where, said, fence)


def _alike(change: Change) -> tuple[str, str, tuple[str, ...]]:
    """Kind, account of a person, and the words of the change."""
    kind, after = change.key.kind, change.after or {}
    account = str(after["account"]) if kind == "association" else ""
    return kind, account, tuple(set_words(kind, change.before or {}, after))


def _commands(
    site: Site, kind: str, account: str, names: str, words: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Sequence[str]]]:
    """(which, what to set). An account's texts belong to the account, the rest to its association here."""
    cluster = f"cluster={site.cluster.slurm.cluster_name}"
    if kind == "association":
        yield ("user", "where", f"name={names}", f"account={account}", cluster), words
    elif kind == "qos":
        yield ("qos", "where", f"name={names}"), words
    else:
        texts = [word for word in words if word.startswith(("Description=", "Organization="))]
        yield ("account", "where", f"name={names}"), texts
        yield ("account", "where", f"name={names}", cluster), [word for word in words if word not in texts]


def _modify(client: Client, where: tuple[str, ...], words: Sequence[str], fence: Fence) -> None:
    if words:
        fence.check()
        client.write("sacctmgr", "-i", "modify", *where, "set", *words, timeout=fence.remaining())
