"""Which nodes answer, since when, and waiting for them to come back after their daemons were restarted.

slurmctld makes a reservation by node count from the nodes that answer: right after a restart it refuses one, or makes it
smaller without a word.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import UTC, datetime

from reconciler.targets.contract import Fence
from reconciler.targets.slurm.client import Client

_SECONDS = 60.0
_POLL = 0.3
_SILENT = ("*", "UNKNOWN", "NOT_RESPONDING")


def silent(client: Client) -> frozenset[str]:
    """Nodes that don't answer slurmctld."""
    return frozenset(
        record["NodeName"]
        for record in client.records("nodes")
        if any(mark in record.get("State", "") for mark in _SILENT)
    )


def started_before(client: Client, since: float) -> bool:
    """True while a node that is up runs a slurmd older than `since` (epoch seconds), or one that has not registered yet."""
    return any(
        _start(record) < since for record in client.records("nodes") if "DOWN" not in record.get("State", "")
    )


def epoch(text: str) -> float:
    """Seconds since 1970 of Slurm's time in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


def _start(record: Mapping[str, str]) -> float:
    text = record.get("SlurmdStartTime", "")
    return epoch(text) if text[:1].isdigit() else 0.0


def await_nodes(client: Client, before: frozenset[str], fence: Fence) -> None:
    """Wait until only nodes that were silent `before` are; a node that stays away is no reason to stop, so not for ever."""
    until = time.monotonic() + min(_SECONDS, fence.remaining() / 2)
    while silent(client) - before and time.monotonic() < until:
        time.sleep(_POLL)
