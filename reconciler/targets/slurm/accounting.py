"""Accounts, people and QOS: how they read in slurmdbd, and the commands that change them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from reconciler.errors import Conflict
from reconciler.plan.action import Change
from reconciler.targets.contract import Fence
from reconciler.targets.slurm.client import Client
from reconciler.targets.slurm.preempting import CLOSED, NOBODY, in_steps, prey
from renderer.model.site import Site
from renderer.notation import tres
from renderer.notation.durations import seconds
from renderer.notation.error import NotationError
from renderer.resource import Key, Resource

_QOS = {
    "priority": "Priority",
    "preempt": "Preempt",
    "preempt_mode": "PreemptMode",
    "grace_time": "GraceTime",
    "preempt_exempt_time": "PreemptExemptTime",
    "max_wall": "MaxWall",
    "grp_tres": "GrpTRES",
    "max_tres_per_job": "MaxTRESPerJob",
    "max_tres_per_user": "MaxTRESPerUser",
    "max_tres_per_account": "MaxTRESPerAccount",
    "max_jobs_per_user": "MaxJobsPerUser",
    "max_submit_jobs_per_user": "MaxSubmitJobsPerUser",
    "usage_factor": "UsageFactor",
    "flags": "Flags",
}
_SHOWN = {
    "max_tres_per_job": "MaxTRES",
    "max_tres_per_user": "MaxTRESPU",
    "max_tres_per_account": "MaxTRESPA",
}
_SHOWN |= {"max_jobs_per_user": "MaxJobsPU", "max_submit_jobs_per_user": "MaxSubmitPU"}
_ACCOUNT = {
    "parent": "Parent",
    "description": "Description",
    "organization": "Organization",
    "fairshare": "Fairshare",
    "grp_tres": "GrpTRES",
    "default_qos": "DefaultQOS",
    "qos": "QOS",
    "grp_jobs": "GrpJobs",
    "grp_submit_jobs": "GrpSubmitJobs",
}
_NAMES = 500
"""In one command: a command line has an end."""
_TRES = frozenset({"grp_tres", "max_tres_per_job", "max_tres_per_user", "max_tres_per_account"})
_LISTS = frozenset({"flags", "qos"})
_TIMES = frozenset({"grace_time", "max_wall", "preempt_exempt_time"})
_ROW = (
    "Account",
    "User",
    "ParentName",
    "Fairshare",
    "GrpTRES",
    "DefaultQOS",
    "QOS",
    "GrpJobs",
    "GrpSubmitJobs",
)


def observe(
    client: Client, site: Site, wanted: Mapping[Key, Resource]
) -> tuple[dict[Key, Resource], list[Key]]:
    """(what Charter could own, what is foreign). Raises Conflict for a declared account that lives elsewhere."""
    found: dict[Key, Resource] = {}
    foreign: list[Key] = []
    for resource in _qos(client):
        owned = resource.key.name in site.cluster.slurm.owns_qos
        if owned:
            found[resource.key] = resource
        else:
            foreign.append(resource.key)
    for resource, ours in _associations(client, site):
        if ours:
            found[resource.key] = _as_root(resource, wanted, site)
        elif resource.key in wanted:
            root = site.cluster.slurm.account_root
            raise Conflict(
                f"{resource.key.kind} {resource.key.name} exists outside of {root}; rename the tenant, "
                f"or move it: sacctmgr modify account where name={resource.key.name.partition('/')[0]} set parent={root}"
            )
        else:
            foreign.append(resource.key)
    return found, foreign


def _as_root(resource: Resource, wanted: Mapping[Key, Resource], site: Site) -> Resource:
    """Of the root account Charter sets only that it exists; its own settings are the operator's."""
    root = Key("slurm", "account", site.cluster.slurm.account_root)
    return wanted.get(root, resource) if resource.key == root else resource


def _qos(client: Client) -> Iterator[Resource]:
    columns = {field: _SHOWN.get(field, name) for field, name in _QOS.items()}
    for row in client.table("qos", ("Name", *columns.values())):
        if row["Name"] == NOBODY:
            continue
        fields = {field: _canonical(field, row[column]) for field, column in columns.items()}
        yield Resource(Key("slurm", "qos", row["Name"]), fields)


def _associations(client: Client, site: Site) -> Iterator[tuple[Resource, bool]]:
    """WOPLimits: what an account has itself, not what it inherits."""
    described = _described(client)
    rows = list(client.table("assoc", _ROW, "WOPLimits", f"cluster={site.cluster.slurm.cluster_name}"))
    parents = {row["Account"]: row["ParentName"] for row in rows if not row["User"]}
    inside = _inside(parents, site.cluster.slurm.account_root)
    for row in rows:
        if row["Account"] == "root":
            continue
        yield (_association(row) if row["User"] else _account(row, described)), row["Account"] in inside
    for resource in _coordinators(described, parents):
        yield resource, resource.fields["account"] in inside


def _described(client: Client) -> dict[str, dict[str, str]]:
    columns = ("Account", "Description", "Organization", "Coordinators")
    return {row["Account"]: row for row in client.table("account", columns, "withcoord")}


def _coordinators(
    described: Mapping[str, Mapping[str, str]], parents: Mapping[str, str]
) -> Iterator[Resource]:
    """Each account's own: sacctmgr shows those of the accounts above as well."""
    shown = {name: set(filter(None, row["Coordinators"].split(","))) for name, row in described.items()}
    for account, users in shown.items():
        for user in sorted(users - shown.get(parents.get(account, ""), set())):
            yield Resource(
                Key("slurm", "coordinator", f"{account}/{user}"), {"account": account, "user": user}
            )


def _inside(parents: Mapping[str, str], root: str) -> set[str]:
    """Accounts at or below the root account."""
    found = {root} & parents.keys()
    grown = True
    while grown:
        more = {account for account, parent in parents.items() if parent in found} - found
        found |= more
        grown = bool(more)
    return found


def _association(row: Mapping[str, str]) -> Resource:
    """A limit on it is shown only where there is one: a closure that was begun, or somebody's hand."""
    fields = {"account": row["Account"], "user": row["User"], "fairshare": row["Fairshare"]}
    closed = {"grp_jobs": row["GrpJobs"], "grp_submit_jobs": row["GrpSubmitJobs"]}
    fields |= {name: limit for name, limit in closed.items() if limit}
    return Resource(Key("slurm", "association", f"{row['Account']}/{row['User']}"), fields)


def _account(row: Mapping[str, str], described: Mapping[str, Mapping[str, str]]) -> Resource:
    about = described.get(row["Account"], {})
    raw = {
        "parent": row["ParentName"],
        "description": about.get("Description", ""),
        "organization": about.get("Organization", ""),
        "fairshare": row["Fairshare"],
        "grp_tres": row["GrpTRES"],
        "default_qos": row["DefaultQOS"],
        "qos": row["QOS"],
        "grp_jobs": row["GrpJobs"],
        "grp_submit_jobs": row["GrpSubmitJobs"],
    }
    return Resource(
        Key("slurm", "account", row["Account"]),
        {name: _canonical(name, value) for name, value in raw.items()},
    )


def _canonical(field: str, value: str) -> str:
    """One form for equal values. What this code can't read (a stranger's QOS may hold anything) stays as it came."""
    try:
        return _read(field, value)
    except NotationError:
        return value


def _read(field: str, value: str) -> str:
    if field in _TRES:
        return tres.text(tres.parse(value))
    if field == "preempt":
        return prey(value)
    if field in _LISTS:
        return ",".join(sorted(filter(None, value.split(","))))
    if field in _TIMES and value:
        total = seconds(value)
        return "" if total is None or (field == "preempt_exempt_time" and not total) else str(total)
    return value


def set_words(kind: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """`Name=value` for every field that differs, what is to be unset as Slurm unsets it (-1)."""
    names = _QOS if kind == "qos" else _ACCOUNT
    changed = (field for field in names if before.get(field, "") != after.get(field, ""))
    return [
        f"{names[field]}={_written(field, str(before.get(field, '')), str(after.get(field, '')))}"
        for field in changed
    ]


def _written(field: str, before: str, after: str) -> str:
    if field in _TRES:
        wanted = tres.parse(after)
        held = (part.partition("=")[0] for part in before.split(",") if part)
        gone = {name: -1 for name in held if name not in wanted}
        return ",".join(f"{name}={amount}" for name, amount in sorted((wanted | gone).items()))
    if field in _TIMES and field != "grace_time":
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
