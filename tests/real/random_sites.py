"""Sites drawn at random within what validation allows: tiers, tenants, people, partitions, reservations, on the rig's eight nodes."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from renderer.model.partitions import Partition
from renderer.model.qos import Qos, QosTiers
from renderer.model.reservations import Reservation
from renderer.model.site import Site
from renderer.model.tenants import Grant, Limits, Members, Program, ProgramMembers, Quota, Tenant
from tests.real.slurm_harness import HOSTS, USERS

TIERS = ("scavenger", "low", "mid", "high", "urgent")
TENANTS = ("weather", "health", "language")
PROGRAMS = ("nowcast", "screening")


def random_site(base: Site, dice: random.Random) -> Site:
    """The base with everything that lives in slurmdbd, partitions and reservations drawn anew."""
    qos = _tiers(dice)
    tenants = {name: _tenant(name, tuple(qos.tiers), dice) for name in _some(TENANTS, dice, most=2)}
    slurm = replace(base.cluster.slurm, owns_qos=TIERS)
    return replace(
        base,
        cluster=replace(base.cluster, slurm=slurm),
        qos=qos,
        tenants=tenants,
        members={name: _members(tenants[name], dice) for name in tenants if dice.random() < 0.9},
        partitions=_partitions(base, tuple(qos.tiers), tuple(tenants), dice),
        reservations=_reservations(tenants, dice),
    )


def _some(
    names: tuple[str, ...], dice: random.Random, least: int = 1, most: int | None = None
) -> tuple[str, ...]:
    return tuple(sorted(dice.sample(names, dice.randint(least, most or len(names)))))


def _tiers(dice: random.Random) -> QosTiers:
    names = sorted(dice.sample(TIERS, dice.randint(2, len(TIERS))), key=TIERS.index)
    priorities = sorted(dice.sample(range(1, 60000), len(names)))
    tiers = {
        name: Qos(
            name=name,
            priority=priorities[index],
            preempts=tuple(names[: dice.randint(0, index)]),
            exempt_seconds=dice.choice((0, 0, 600)),
            max_wall_seconds=dice.choice((None, 3600, 93660)),
            limits=dict(dice.sample(sorted(_LIMITS.items()), dice.randint(0, len(_LIMITS)))),
            usage_factor=dice.choice((0.0, 0.25, 1.0, 2.5)),
            flags=dice.choice(((), ("DenyOnLimit",), ("DenyOnLimit", "NoDecay"))),
            kubernetes_priority=index,
        )
        for index, name in enumerate(names)
    }
    return QosTiers(60, tiers)


_LIMITS = {
    "grp_tres": "gres/gpu=40",
    "max_tres_per_job": "gres/gpu=16,node=2",
    "max_tres_per_user": "gres/gpu=24",
    "max_tres_per_account": "gres/gpu=32",
    "max_jobs_per_user": "9",
    "max_submit_jobs_per_user": "50",
}


def _tenant(name: str, tiers: tuple[str, ...], dice: random.Random) -> Tenant:
    programs = {item: _program(name, item, tiers, dice) for item in _some(PROGRAMS, dice)}
    return Tenant(name, tiers[-1], "open", ("north",), dice.randint(1, 100), _quota(dice), None, programs)


def _program(tenant: str, name: str, tiers: tuple[str, ...], dice: random.Random) -> Program:
    qos = _some(tiers, dice)
    return Program(
        tenant,
        name,
        ("north",),
        dice.randint(1, 100),
        qos,
        dice.choice(qos),
        _quota(dice),
        None,
        (),
        _limits(dice),
    )


def _limits(dice: random.Random) -> Limits:
    return Limits(
        dice.choice(("", "gres/gpu=8", "gres/gpu=4,node=1")),
        dice.choice((None, 0, 20)),
        dice.choice((None, 200)),
        dice.choice((None, 3600, 172800)),
    )


def _quota(dice: random.Random) -> Quota:
    model = dice.choice((None, "any", "h200"))
    return Quota({} if model is None else {model: Grant(0, dice.randint(0, 64))}, {})


def _members(tenant: Tenant, dice: random.Random) -> Members:
    programs = {name: ProgramMembers(_some(USERS, dice, 0), ()) for name in tenant.programs}
    people = sorted({user for part in programs.values() for user in part.users})
    coordinators = tuple(user for user in people if dice.random() < 0.3)
    return Members(tenant.name, (), coordinators, programs)


def _partitions(
    base: Site, tiers: tuple[str, ...], tenants: tuple[str, ...], dice: random.Random
) -> dict[str, Partition]:
    found = {
        "train": replace(
            base.partitions["train"],
            hosts=_some(base.planes.training, dice, 2),
            max_time=dice.choice((86400, 172800)),
            allow_qos=dice.choice(((), _some(tiers, dice))),
        )
    }
    if dice.random() < 0.5:
        found["evaluate"] = replace(
            base.partitions["evaluate"], max_time=3600, allow_tenants=_some(tenants, dice)
        )
    return found


def _reservations(tenants: Mapping[str, Tenant], dice: random.Random) -> dict[str, Reservation]:
    """Apart in time, or on hosts of their own where they recur, so that none stands in another's way."""
    day = datetime.now(UTC).replace(hour=9, minute=0, second=0, microsecond=0)
    programs = tuple(program.reference for tenant in tenants.values() for program in tenant.programs.values())
    found = {}
    for number in range(dice.randint(0, 3)):
        start, what = day + timedelta(days=20 + 10 * number), dice.choice(("hosts", "nodes", "gpus"))
        found[f"run{number}"] = Reservation(
            name=f"run{number}",
            programs=_some(programs, dice),
            start=start,
            end=start + timedelta(hours=dice.randint(1, 100)),
            hosts=HOSTS[:2] if what == "hosts" else (),
            nodes=2 if what == "nodes" else None,
            gpus=16 if what == "gpus" else None,
            recurrence="none",
            purpose="dated" if dice.random() < 0.5 else "evaluation",
            contact="ops@polar.example",
        )
    if dice.random() < 0.5:
        start = day + timedelta(days=2)
        found["care"] = Reservation(
            "care", (), start, start + timedelta(hours=2), HOSTS[-1:], None, None,
            "daily" if dice.random() < 0.5 else "weekly", "maintenance", "ops@polar.example",
        )  # fmt: skip
    return found
