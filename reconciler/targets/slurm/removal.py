"""Taking things away: close first, list the jobs, end them only where confirmed, wait, then remove; else it waits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from reconciler.errors import Terminal
from reconciler.plan.action import Action
from reconciler.targets.contract import Applied, Fence
from reconciler.targets.slurm import jobs, reservations
from reconciler.targets.slurm.client import Client
from renderer.model.site import Site

_NAMES = 500
"""In one command: a command line has an end."""


def close(client: Client, site: Site, actions: Sequence[Action], fence: Fence) -> None:
    """No new job and no pending one starts under what is to go: GrpSubmitJobs alone would let pending ones start."""
    open_still = [action.change for action in actions if not _closed(action)]
    accounts = [change.key.name for change in open_still if change.key.kind == "account"]
    if accounts:
        _close(client, site, ("account", "where", f"name={','.join(accounts)}"), fence)
    people: dict[str, list[str]] = defaultdict(list)
    for change in open_still:
        account, _, user = change.key.name.partition("/")
        if change.key.kind == "association" and account not in accounts:
            people[account].append(user)
    for account, users in people.items():
        for start in range(0, len(users), _NAMES):
            some = ",".join(users[start : start + _NAMES])
            _close(client, site, ("user", "where", f"name={some}", f"account={account}"), fence)


def _closed(action: Action) -> bool:
    before = action.change.before or {}
    return before.get("grp_jobs") == "0" and before.get("grp_submit_jobs") == "0"


def _close(client: Client, site: Site, where: tuple[str, ...], fence: Fence) -> None:
    fence.check()
    cluster = f"cluster={site.cluster.slurm.cluster_name}"
    words = ("sacctmgr", "-i", "modify", *where, cluster, "set", "GrpJobs=0", "GrpSubmitJobs=0")
    client.write(*words, timeout=fence.remaining())


def remove(
    client: Client, site: Site, actions: Sequence[Action], confirmed: frozenset[str], fence: Fence
) -> Iterator[Applied]:
    """The removals in their order. Neighbours of a kind under one account go by one command: each costs a third of a second.

    An account stays for now while jobs are left under it, and so does each above it.
    """
    waiting: set[str] = set()
    for (kind, above), group in groupby(actions, key=_place):
        fence.check()
        ready = []
        for action in group:
            why = _why_it_stays(client, action, confirmed, waiting, fence)
            if why:
                yield Applied(action, why)
            else:
                ready.append(action)
        for start in range(0, len(ready), _NAMES):
            yield from _remove(client, site, kind, above, ready[start : start + _NAMES], fence)


def _place(action: Action) -> tuple[str, str]:
    """Kind, and the account that it is in."""
    key = action.change.key
    if key.kind == "account":
        return key.kind, str((action.change.before or {}).get("parent", ""))
    return key.kind, key.name.rpartition("/")[0]


def _why_it_stays(
    client: Client, action: Action, confirmed: frozenset[str], waiting: set[str], fence: Fence
) -> str:
    key = action.change.key
    left = jobs.hit(action.change, jobs.active(client), {})
    if left and "jobs" in confirmed:
        left = jobs.end(client, left, fence)
    if left:
        _keep(action, waiting)
        ids = ", ".join(job.id for job in left[:10])
        return f"closed; jobs {ids} still there; they end by themselves or with --confirm jobs"
    if key.kind == "account" and key.name in waiting:
        _keep(action, waiting)
        return "closed; waits for the accounts below it"
    return ""


def _keep(action: Action, waiting: set[str]) -> None:
    """Its account stays for now, and so does the one above it."""
    waiting.add(action.change.key.name.partition("/")[0])
    parent = (action.change.before or {}).get("parent")
    if parent:
        waiting.add(str(parent))


def _remove(
    client: Client, site: Site, kind: str, account: str, actions: Sequence[Action], fence: Fence
) -> Iterator[Applied]:
    cluster = f"cluster={site.cluster.slurm.cluster_name}"
    names = [action.change.key.name.rpartition("/")[2] for action in actions]
    if kind == "qos":
        yield from _remove_qos(client, actions, fence)
        return
    if not names:
        return
    if kind == "reservation":
        for name in names:
            fence.check()
            reservations.remove(client, name, fence.remaining())
    elif kind == "association":
        _remove_people(client, names, account, cluster, fence)
    elif kind == "coordinator":
        _delete(client, ("coordinator", "where", f"account={account}", f"names={','.join(names)}"), fence)
    elif kind == "account":
        _delete(client, ("account", "where", f"name={','.join(names)}", cluster), fence)
        _delete_unused(client, "account", names, fence)
    else:
        raise Terminal(f"{kind} {names[0]}: Slurm has no such kind to remove")
    yield from map(Applied, actions)


def _remove_people(client: Client, users: Sequence[str], account: str, cluster: str, fence: Fence) -> None:
    """Administrators stay as users, without an account.

    Those who leave the cluster altogether go apart: in one command with others slurmdbd may say that their default account can't go
    (seen on 22.05.8).
    """
    names = ",".join(users)
    known = list(client.table("user", ("User", "DefaultAccount", "Admin"), f"name={names}"))
    others: dict[str, set[str]] = defaultdict(set)
    for row in client.table("assoc", ("Account", "User"), cluster, f"user={names}"):
        others[row["User"]] |= {row["Account"]} - {account, ""}
    leaving, staying = ([user for user in users if bool(others[user]) is stays] for stays in (False, True))
    defaults = {row["User"] for row in known if row["DefaultAccount"] == account}
    _leave_default(client, {user: min(others[user]) for user in staying if user in defaults}, cluster, fence)
    for some in filter(None, (leaving, staying)):
        _delete(client, ("user", "where", f"name={','.join(some)}", f"account={account}", cluster), fence)
    _delete_unused(client, "user", [row["User"] for row in known if row["Admin"] == "None"], fence)


def _delete_unused(client: Client, entity: str, names: Sequence[str], fence: Fence) -> None:
    """With a cluster named, sacctmgr deletes associations and leaves the account or user itself: other clusters share it."""
    if not names:
        return
    field = entity.capitalize()
    used = {row[field] for row in client.table("assoc", (field,), f"{entity}={','.join(names)}")}
    gone = sorted(set(names) - used)
    if gone:
        _delete(client, (entity, "where", f"name={','.join(gone)}"), fence)


def _delete(client: Client, words: tuple[str, ...], fence: Fence) -> None:
    fence.check()
    client.write("sacctmgr", "-i", "delete", *words, timeout=fence.remaining())


def _remove_qos(client: Client, actions: Sequence[Action], fence: Fence) -> Iterator[Applied]:
    """slurmdbd removes a QOS that is in use without a word, and leaves its jobs with none; hence the look before.

    A QOS belongs to all clusters of a slurmdbd, so grants on any of them keep it.
    """
    users: dict[str, set[str]] = defaultdict(set)
    for row in client.table("assoc", ("Account", "DefaultQOS", "QOS")) if actions else ():
        for name in (row["DefaultQOS"], *row["QOS"].split(",")):
            users[name].add(row["Account"])
    for action in actions:
        name = action.change.key.name
        if users[name]:
            yield Applied(action, f"still granted to {', '.join(sorted(users[name])[:5])}")
        else:
            _delete(client, ("qos", "where", f"name={name}"), fence)
            yield Applied(action)


def _leave_default(client: Client, moved: Mapping[str, str], cluster: str, fence: Fence) -> None:
    """A user's default account can't go while others stay: another one, first by name, becomes the default."""
    for default in sorted(set(moved.values())):
        some = ",".join(user for user in moved if moved[user] == default)
        fence.check()
        words = ("user", "where", f"name={some}", cluster, "set", f"DefaultAccount={default}")
        client.write("sacctmgr", "-i", "modify", *words, timeout=fence.remaining())
