"""Accounts, people and QOS as they read in slurmdbd."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from reconciler.errors import Conflict
from reconciler.targets.slurm.accounting_fields import LISTS, QOS, SHOWN, TIMES, TRES
from reconciler.targets.slurm.client import Client
from reconciler.targets.slurm.preempting import prey
from renderer.model.site import Site
from renderer.notation import tres
from renderer.notation.durations import seconds
from renderer.notation.error import NotationError
from renderer.resource import Key, Resource
from renderer.rules.qos import NOBODY

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
    "MaxTRES",
    "MaxJobs",
    "MaxSubmitJobs",
    "MaxWall",
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
    columns = {field: SHOWN.get(field, name) for field, name in QOS.items()}
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
    fields |= {name: limit for name, limit in _limits(row).items() if limit}
    return Resource(Key("slurm", "association", f"{row['Account']}/{row['User']}"), fields)


def _account(row: Mapping[str, str], described: Mapping[str, Mapping[str, str]]) -> Resource:
    about = described.get(row["Account"], {})
    raw = {
        "parent": row["ParentName"],
        "description": about.get("Description", ""),
        "organization": about.get("Organization", ""),
        "fairshare": row["Fairshare"],
        "default_qos": row["DefaultQOS"],
        "qos": row["QOS"],
    }
    return Resource(
        Key("slurm", "account", row["Account"]),
        {name: _canonical(name, value) for name, value in raw.items()} | _limits(row),
    )


def _limits(row: Mapping[str, str]) -> dict[str, str]:
    """Field to limit, "" where there is none."""
    columns = {
        "grp_tres": "GrpTRES",
        "grp_jobs": "GrpJobs",
        "grp_submit_jobs": "GrpSubmitJobs",
        "max_tres_per_job": "MaxTRES",
        "max_jobs_per_user": "MaxJobs",
        "max_submit_jobs_per_user": "MaxSubmitJobs",
        "max_wall": "MaxWall",
    }
    return {field: _canonical(field, row[column]) for field, column in columns.items()}


def _canonical(field: str, value: str) -> str:
    """One form for equal values. What this code can't read (a stranger's QOS may hold anything) stays as it came."""
    try:
        return _read(field, value)
    except NotationError:
        return value


def _read(field: str, value: str) -> str:
    if field in TRES:
        return tres.text(tres.parse(value))
    if field == "preempt":
        return prey(value)
    if field in LISTS:
        return ",".join(sorted(filter(None, value.split(","))))
    if field in TIMES and value:
        total = seconds(value)
        return "" if total is None or (field == "preempt_exempt_time" and not total) else str(total)
    return value
