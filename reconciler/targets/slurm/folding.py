"""What accounts have used, which a removal adds to the account above: their share history isn't theirs any more afterwards."""

from __future__ import annotations

from collections.abc import Mapping

from reconciler.targets.slurm.client import Client
from renderer.resource import Key, Resource

_HOUR = 3600


def folding(client: Client, found: Mapping[Key, Resource], wanted: Mapping[Key, Resource]) -> tuple[str, ...]:
    """A sentence for each account that is to go and has used something (RawUsage: decayed seconds as billed)."""
    leaving = sorted(key.name for key in found if key.kind == "account" and key not in wanted)
    if not leaving:
        return ()
    said = client.read("sshare", "-nP", "-A", ",".join(leaving), "-o", "Account,User,RawUsage")
    rows = [[cell.strip() for cell in line.split("|")] for line in said.splitlines() if line.count("|") == 2]
    used = {account: int(usage) for account, user, usage in rows if not user and usage.isdigit()}
    return tuple(
        f"account {name} goes with {used[name] / _HOUR:.1f} billed hours of usage (decayed, sshare), which count for "
        f"{found[Key('slurm', 'account', name)].fields['parent']} from then on; made again it starts at nothing"
        for name in leaving
        if used.get(name)
    )
