"""Taking things away: close first, list the jobs, end them only where confirmed, wait, then remove; else it waits."""

from __future__ import annotations

from collections.abc import Sequence

from reconciler.errors import Terminal
from reconciler.plan.action import Action
from reconciler.targets.contract import Applied, Fence
from reconciler.targets.slurm import jobs, reservations
from reconciler.targets.slurm.client import Client
from renderer.model.site import Site


def close(client: Client, site: Site, actions: Sequence[Action], fence: Fence) -> None:
    """No new job and no pending one starts under an account that is to go."""
    names = [action.change.key.name for action in actions if action.change.key.kind == "account"]
    if names:
        where = ("account", "where", f"name={','.join(names)}", f"cluster={site.cluster.slurm.cluster_name}")
        client.write(
            "sacctmgr",
            "-i",
            "modify",
            *where,
            "set",
            "GrpJobs=0",
            "GrpSubmitJobs=0",
            timeout=fence.remaining(),
        )


def remove(
    client: Client, site: Site, action: Action, confirmed: frozenset[str], waiting: set[str], fence: Fence
) -> Applied:
    """One removal. `waiting` are accounts that stay for now; an account stays with them if it is above one."""
    key = action.change.key
    left = jobs.hit(action.change, jobs.active(client))
    if left and "jobs" in confirmed:
        left = jobs.end(client, left, fence)
    if left:
        waiting.add(key.name.partition("/")[0])
        ids = ", ".join(job.id for job in left[:10])
        return Applied(
            action, f"closed; jobs {ids} still there; they end by themselves or with --confirm jobs"
        )
    if key.kind == "account" and _above(action, waiting):
        return Applied(action, "closed; waits for the accounts below it")
    return _remove(client, site, action, fence)


def _above(action: Action, waiting: set[str]) -> bool:
    name = action.change.key.name
    return name in waiting or any(other.startswith(f"{name}-") for other in waiting)


def _remove(client: Client, site: Site, action: Action, fence: Fence) -> Applied:
    key, cluster = action.change.key, f"cluster={site.cluster.slurm.cluster_name}"
    if key.kind == "reservation":
        reservations.remove(client, key.name, fence.remaining())
    elif key.kind == "association":
        account, _, user = key.name.partition("/")
        _leave_default(client, user, account, cluster, fence)
        client.write(
            "sacctmgr",
            "-i",
            "delete",
            "user",
            "where",
            f"name={user}",
            f"account={account}",
            cluster,
            timeout=fence.remaining(),
        )
    elif key.kind == "account":
        client.write(
            "sacctmgr",
            "-i",
            "delete",
            "account",
            "where",
            f"name={key.name}",
            cluster,
            timeout=fence.remaining(),
        )
    elif key.kind == "qos":
        return _remove_qos(client, action, cluster, fence)
    else:
        raise Terminal(f"{key.kind} {key.name}: Slurm has no such kind to remove")
    return Applied(action)


def _remove_qos(client: Client, action: Action, cluster: str, fence: Fence) -> Applied:
    """slurmdbd removes a QOS that is in use without a word, and leaves its jobs with none; hence the look before."""
    name = action.change.key.name
    users = [
        row["Account"]
        for row in client.table("assoc", ("Account", "DefaultQOS", "QOS"), cluster)
        if row["DefaultQOS"] == name or name in row["QOS"].split(",")
    ]
    if users:
        return Applied(action, f"still granted to {', '.join(sorted(set(users))[:5])}")
    client.write("sacctmgr", "-i", "delete", "qos", "where", f"name={name}", timeout=fence.remaining())
    return Applied(action)


def _leave_default(client: Client, user: str, account: str, cluster: str, fence: Fence) -> None:
    """A user's default account can't go while others stay: another one, first by name, becomes the default."""
    rows = list(client.table("assoc", ("Account",), cluster, f"user={user}"))
    others = sorted({row["Account"] for row in rows} - {account, ""})
    default = [row["DefaultAccount"] for row in client.table("user", ("DefaultAccount",), f"name={user}")]
    if others and account in default:
        where = ("user", "where", f"name={user}", cluster)
        client.write(
            "sacctmgr",
            "-i",
            "modify",
            *where,
            "set",
            f"DefaultAccount={others[0]}",
            timeout=fence.remaining(),
        )
