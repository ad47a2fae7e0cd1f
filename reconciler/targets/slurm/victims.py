"""Whom a job would preempt: slurmctld's own answer, by a submission that is only tested."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from reconciler.errors import Terminal
from reconciler.targets.slurm import jobs
from reconciler.targets.slurm.client import Client

_PREEMPTS = re.compile(r"Preempts: ([0-9,_\[\]-]+)")
_STARTS = re.compile(r"Job \d+ to start at (\S+) .*?(?:on nodes (\S+))?(?: in partition (\S+))?\s*$", re.M)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A job that nobody submits. `minutes` is its limit; `user` submits it, since slurmctld asks who may use the account."""

    user: str
    account: str
    qos: str
    nodes: int
    gpus_per_node: int
    minutes: int
    partition: str | None


@dataclass(frozen=True, slots=True)
class Answer:
    """When and where it would start, and the jobs that would be preempted for it."""

    start: str
    nodes: str
    victims: tuple[jobs.Record, ...]


def victims(client: Client, wanted: Wanted) -> Answer:
    """Raises Terminal with slurmctld's own sentence where it would not take the job at all."""
    said = client.test("sbatch", "--test-only", *_words(wanted), "--wrap=true")
    started = _STARTS.search(said)
    if started is None:
        raise Terminal(f"slurmctld would not take this job: {' '.join(said.split())[:300]}")
    found = _PREEMPTS.search(said)
    ids = set(found[1].split(",")) if found else set()
    hit = tuple(
        record
        for record in jobs.active(client)
        if record.job.id.partition("_")[0] in ids or record.job.id in ids
    )
    return Answer(started[1], started[2] or "", hit)


def _words(wanted: Wanted) -> Sequence[str]:
    gpus = [f"--gpus-per-node={wanted.gpus_per_node}"] if wanted.gpus_per_node else []
    partition = [f"--partition={wanted.partition}"] if wanted.partition else []
    return (
        f"--uid={wanted.user}", f"--account={wanted.account}", f"--qos={wanted.qos}", f"--nodes={wanted.nodes}",
        f"--time={wanted.minutes}", *gpus, *partition,
    )  # fmt: skip
