"""What a large site costs where nothing, or one limit, has changed: seconds of processor for each step, sacctmgr's own time apart.

Its answers are made from what the site renders, in the form in which sacctmgr shows it. Exit 1 where the plan of no change takes more
than SECONDS beyond loading and rendering, or one changed limit more than one command.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TypeVar

from reconciler.plan.action import Action
from reconciler.plan.build import Before, Sight, actions_of
from reconciler.targets.slurm import accounting, accounting_seen
from reconciler.targets.slurm.accounting_fields import QOS, TIMES
from renderer.load import load
from renderer.model.site import Site
from renderer.model.tenants import Grant, Quota
from renderer.resource import Key, Resource
from renderer.slurm import render
from tests.bench.generate import generate
from tests.unit.slurm_target.fake_slurm import FakeClient, OpenFence

SECONDS = 5.0
KINDS = ("qos", "account", "association", "coordinator")
NOW = datetime(2026, 12, 1, 8, tzinfo=UTC)
T = TypeVar("T")


def main() -> int:
    """Load, render, observe, compare; then the same with one limit changed."""
    site = _timed("load", lambda: load(generate()).site)
    assert site is not None
    desired = _timed("render", lambda: _accounting(site))
    print(f"{len(desired)} accounts, people and tiers")
    answers = shown(desired)
    seconds = time.process_time()
    found = _timed(
        "observe",
        lambda: accounting_seen.observe(FakeClient(answers), site, {item.key: item for item in desired})[0],
    )
    actions = _timed("compare", lambda: _actions(desired, found, site))
    seconds = time.process_time() - seconds
    changed = _actions(_accounting(_with_one_limit(site)), found, site)
    client = FakeClient()
    accounting.update(client, site, [action.change for action in changed], OpenFence())
    print(f"no change: {len(actions)} actions, {seconds:.2f} s; one limit: {len(client.writes)} command")
    return 0 if not actions and seconds <= SECONDS and len(client.writes) == 1 else 1


def shown(desired: Sequence[Resource]) -> dict[str, str]:
    """sacctmgr's tables as it would print them after the site was applied."""
    rows: dict[str, list[str]] = {"qos": [], "account": [], "assoc": ["root|||1|||||||||"]}
    coordinators = {
        item.fields["account"]: item.fields["user"] for item in desired if item.key.kind == "coordinator"
    }
    for item in desired:
        fields, name = item.fields, item.key.name
        if item.key.kind == "qos":
            rows["qos"].append("|".join([name, *(_shown(field, fields.get(field, "")) for field in QOS)]))
        elif item.key.kind == "account":
            about = (fields["description"], fields["organization"], coordinators.get(name, ""))
            rows["account"].append("|".join([name, *about]))
            own = ("grp_tres", "default_qos", "qos", *("grp_jobs", "grp_submit_jobs"))
            rows["assoc"].append(
                "|".join(
                    [
                        name,
                        "",
                        fields["parent"],
                        fields["fairshare"],
                        *(fields[key] for key in own),
                        "",
                        "",
                        "",
                        "",
                    ]
                )
            )
        elif item.key.kind == "association":
            rows["assoc"].append(f"{fields['account']}|{fields['user']}||{fields['fairshare']}|||||||||")
    return {
        f"sacctmgr -nP show {entity}": "".join(f"{row}\n" for row in lines) for entity, lines in rows.items()
    }


def _shown(field: str, value: str) -> str:
    """Times as sacctmgr prints them."""
    return (
        f"{int(value) // 3600:02d}:{int(value) // 60 % 60:02d}:{int(value) % 60:02d}"
        if field in TIMES and value
        else value
    )


def _accounting(site: Site) -> list[Resource]:
    return [item for item in render(site, NOW)[0] if item.key.kind in KINDS]


def _actions(desired: Sequence[Resource], found: dict[Key, Resource], site: Site) -> Sequence[Action]:
    sight = Sight("slurm", tuple(desired), found, (), lambda _change: "none", lambda _changes: {}, NOW)
    return actions_of(sight, Before(frozenset(found), {}), site.cluster.manage)[0]


def _with_one_limit(site: Site) -> Site:
    name = sorted(site.tenants)[len(site.tenants) // 2]
    tenant = site.tenants[name]
    quota = Quota(
        {model: Grant(grant.guarantee, grant.limit + 1) for model, grant in tenant.quota.training.items()}, {}
    )
    return replace(site, tenants={**site.tenants, name: replace(tenant, quota=quota)})


def _timed(what: str, work: Callable[[], T]) -> T:
    before = time.process_time()
    result = work()
    print(f"{what:10}{time.process_time() - before:7.2f} s")
    return result


if __name__ == "__main__":
    sys.exit(main())
