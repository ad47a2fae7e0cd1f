"""policies/reservations: who holds what when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal


@dataclass(frozen=True, slots=True)
class Reservation:
    """Capacity held for programmes, by exactly one of hosts, nodes or gpus.

    `start` and `end` are aware; of a recurring one they are the first occurrence.
    """

    name: str
    programs: tuple[str, ...]
    """References `tenant/programme`; empty for maintenance."""
    start: datetime
    end: datetime
    hosts: tuple[str, ...]
    nodes: int | None
    gpus: int | None
    recurrence: Literal["none", "daily", "weekly"]
    purpose: Literal["dated", "maintenance", "evaluation"]
    contact: str

    @property
    def accounts(self) -> tuple[str, ...]:
        """Slurm accounts of the programmes."""
        return tuple(reference.replace("/", "-") for reference in self.programs)
