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
    """No new job and no pending one starts under what is to go: GrpSubmitJobs alone would let pending ones start."""
    open_still = [action.change for action in actions if not _closed(action)]
    accounts = [change.key.name for change in open_still if change.key.kind == "account"]
    if accounts:
        _close(client, site, ("account", "where", f"name={','.join(accounts)}"), fence)
    for change in open_still:
        account, _, user = change.key.name.partition("/")
        if change.key.kind == "association" and account not in accounts:
            _close(client, site, ("user", "where", f"name={user}", f"account={account}"), fence)


def _closed(action: Action) -> bool:
    before = action.change.before or {}
    return before.get("grp_jobs") == "0" and before.get("grp_submit_jobs") == "0"


def _close(client: Client, site: Site, where: tuple[str, ...], fence: Fence) -> None:
    fence.check()
    cluster = f"cluster={site.cluster.slurm.cluster_name}"
    words = ("sacctmgr", "-i", "modify", *where, cluster, "set", "GrpJobs=0", "GrpSubmitJobs=0")
    client.write(*words, timeout=fence.remaining())


def remove(
    client: Client, site: Site, action: Action, confirmed: frozenset[str], waiting: set[str], fence: Fence
) -> Applied:
    """One removal. `waiting` are accounts that stay for now; an account stays with them if it is above one."""
    key = action.change.key
    left = jobs.hit(action.change, jobs.active(client), {})
    if left and "jobs" in confirmed:
        left = jobs.end(client, left, fence)
    if left:
        _keep(action, waiting)
        ids = ", ".join(job.id for job in left[:10])
        return Applied(
            action, f"closed; jobs {ids} still there; they end by themselves or with --confirm jobs"
        )
    if key.kind == "account" and key.name in waiting:
        _keep(action, waiting)
        return Applied(action, "closed; waits for the accounts below it")
    return _remove(client, site, action, fence)


def _keep(action: Action, waiting: set[str]) -> None:
    """Its account stays for now, and so does the one above it."""
    waiting.add(action.change.key.name.partition("/")[0])
    parent = (action.change.before or {}).get("parent")
    if parent:
        waiting.add(str(parent))


def _remove(client: Client, site: Site, action: Action, fence: Fence) -> Applied:
    key, cluster = action.change.key, f"cluster={site.cluster.slurm.cluster_name}"
    if key.kind == "reservation":
        reservations.remove(client, key.name, fence.remaining())
    elif key.kind == "association":
        _remove_association(client, key.name, cluster, fence)
    elif key.kind == "coordinator":
        account, _, user = key.name.partition("/")
        _delete(client, ("coordinator", "where", f"account={account}", f"names={user}"), fence)
    elif key.kind == "account":
        _delete(client, ("account", "where", f"name={key.name}", cluster), fence)
        if not _associated(client, f"account={key.name}"):
            _delete(client, ("account", "where", f"name={key.name}"), fence)
    elif key.kind == "qos":
        return _remove_qos(client, action, fence)
    else:
        raise Terminal(f"{key.kind} {key.name}: Slurm has no such kind to remove")
    return Applied(action)


def _remove_association(client: Client, name: str, cluster: str, fence: Fence) -> None:
    account, _, user = name.partition("/")
    _leave_default(client, user, account, cluster, fence)
    _delete(client, ("user", "where", f"name={user}", f"account={account}", cluster), fence)
    levels = [row["Admin"] for row in client.table("user", ("Admin",), f"name={user}")]
    if levels == ["None"] and not _associated(client, f"user={user}"):
        _delete(client, ("user", "where", f"name={user}"), fence)


def _associated(client: Client, condition: str) -> bool:
    """With a cluster named, sacctmgr deletes associations and leaves the account or user itself: other clusters share it."""
    return any(True for _ in client.table("assoc", ("Account",), condition))


def _delete(client: Client, words: tuple[str, ...], fence: Fence) -> None:
    client.write("sacctmgr", "-i", "delete", *words, timeout=fence.remaining())


def _remove_qos(client: Client, action: Action, fence: Fence) -> Applied:
    """slurmdbd removes a QOS that is in use without a word, and leaves its jobs with none; hence the look before.

    A QOS belongs to all clusters of a slurmdbd, so grants on any of them keep it.
    """
    name = action.change.key.name
    users = [
        row["Account"]
        for row in client.table("assoc", ("Account", "DefaultQOS", "QOS"))
        if row["DefaultQOS"] == name or name in row["QOS"].split(",")
    ]
    if users:
        return Applied(action, f"still granted to {', '.join(sorted(set(users))[:5])}")
    _delete(client, ("qos", "where", f"name={name}"), fence)
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
