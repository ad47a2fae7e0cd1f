"""Ten thousand rounds of the model: held from the guard on, nobody is left on the nodes at the start; from the start on, many are."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from renderer.model.site import Site
from renderer.rules.guard import guard, unbounded
from renderer.rules.subject import Subject
from tests.overrun import TICK, Chance, Ending, freed, may_start
from tests.unit.slurm_renderer.eight_nodes import site as eight_nodes

ROUNDS, SITES = 10_000, 200


@dataclass(frozen=True, slots=True)
class Drawn:
    """A site's configuration, as the guard reads it and as the model does."""

    site: Site
    kill_wait: int
    over_minutes: int
    prolog: float
    epilog: float


def drawn(chance: random.Random) -> Drawn:
    """A site with hooks and overtime that slurm.d declares; hooks may take all the time that they are given."""
    kill_wait, over, timeout = (
        chance.randrange(0, 301),
        chance.choice((0, 0, 0, 1, 5)),
        chance.randrange(1, 400),
    )
    lines = [f"OverTimeLimit={over}"] if over else []
    hooks = {name: chance.random() < 0.4 for name in ("Prolog", "Epilog")}
    lines += [f"{name}=/etc/slurm/hook" for name, there in hooks.items() if there]
    lines += [f"PrologEpilogTimeout={timeout}"] if any(hooks.values()) else []
    base = eight_nodes()
    site = replace(
        base,
        slurm_d={"slurm.conf": "".join(f"{line}\n" for line in lines)},
        qos=replace(base.qos, grace_seconds=kill_wait),
        partitions={"train": base.partitions["train"]},
    )
    longest = [
        timeout * chance.choice((0.1, 0.9, 1.0)) if hooks[name] else 0.0 for name in ("Prolog", "Epilog")
    ]
    return Drawn(site, kill_wait, over, *longest)


def ending(chance: random.Random, given: Drawn, latest: float) -> Ending:
    """A job that starts as late as Slurm lets it, or a little earlier."""
    limit = chance.randrange(1, 4)
    begins = latest - 60 * limit - chance.choice((0.0, 0.0, chance.uniform(0, 45)))
    leaves = chance.choice((None, None, chance.uniform(0, 400)))
    return Ending(begins, limit, leaves, given.prolog, given.epilog)


def test_at_the_declared_start_the_nodes_are_free_and_without_the_guard_they_often_are_not() -> None:
    chance = random.Random(20261204)
    overran = 0
    for _ in range(SITES):
        given = drawn(chance)
        assert list(unbounded(Subject(given.site, {}))) == []
        ahead = guard(given.site).seconds
        for _ in range(ROUNDS // SITES):
            luck = Chance(chance.uniform(0, TICK), chance.random(), chance.random())
            for held_from in (-float(ahead), 0.0):
                job = ending(chance, given, held_from)
                assert may_start(job.begins, job.limit_minutes, held_from)
                free = freed(job, luck, given.kill_wait, given.over_minutes)
                if held_from:
                    assert free <= 0, (given, job, luck)
                else:
                    overran += free > 0
    assert overran > ROUNDS / 2
