"""policies/reservations/*.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from renderer.load import checks
from renderer.load.fields import DURATION, HOSTS, INSTANT, NAME, Rules, choice, listed, number, required, text
from renderer.model.reservations import Reservation
from renderer.notation.durations import seconds
from renderer.notation.hostlist import expand
from renderer.notation.times import instant

SCHEMA: Rules = {
    "name": required(NAME),
    "program": {**text(checks.reference), "excludes": "programs"},
    "programs": listed(checks.references),
    "start": required(INSTANT),
    "end": {**INSTANT, "excludes": "duration"},
    "duration": DURATION,
    "hosts": HOSTS,
    "nodes": number(1),
    "gpus": number(1),
    "recurrence": choice("none", "daily", "weekly"),
    "purpose": required(choice("dated", "maintenance", "evaluation")),
    "contact": required(text()),
}
ENDLESS = timedelta(days=3650)


def build(document: Mapping[str, Any]) -> Reservation:
    """The reservation. Without end or with an endless duration, which the rules refuse, it lasts ten years."""
    start = instant(document["start"])
    length = seconds(document["duration"]) if "duration" in document else None
    end = (
        instant(document["end"])
        if "end" in document
        else start + (timedelta(seconds=length) if length else ENDLESS)
    )
    programs = [*document.get("programs", ()), *([document["program"]] if "program" in document else [])]
    return Reservation(
        name=document["name"],
        programs=tuple(dict.fromkeys(programs)),
        start=start,
        end=end,
        hosts=expand(document["hosts"]) if "hosts" in document else (),
        nodes=document.get("nodes"),
        gpus=document.get("gpus"),
        recurrence=document.get("recurrence", "none"),
        purpose=document["purpose"],
        contact=document["contact"],
    )
