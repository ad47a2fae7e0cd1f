"""policies/approvers, waivers, freezes and failures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from renderer.load import checks
from renderer.load.fields import (
    BOOLEAN,
    HOSTS,
    INSTANT,
    NAME,
    NAMES,
    Rules,
    choice,
    listed,
    many,
    mapping,
    named,
    number,
    required,
    text,
)
from renderer.model.governance import DRAIN_ON, Approvers, Failures, Freeze, Principal, Role, Waiver
from renderer.notation.hostlist import expand
from renderer.notation.times import instant

_PRINCIPAL: Rules = {"keys": required({**listed(checks.texts), "minlength": 1}), "roles": required(NAMES)}
_ROLE: Rules = {"paths": required({**listed(checks.texts), "minlength": 1}), "threshold": number(1, 100)}
APPROVERS: Rules = {
    "require": required(choice("none", "signed", "approved")),
    "principals": required(named(mapping(_PRINCIPAL))),
    "roles": required(named(mapping(_ROLE))),
}
_WAIVER: Rules = {
    "rule": required(text(checks.word)),
    "subject": required(text()),
    "reason": required(text()),
    "until": required(INSTANT),
}
WAIVERS: Rules = {"waivers": required(many(_WAIVER))}
_FREEZE: Rules = {
    "name": required(NAME),
    "start": required(INSTANT),
    "end": required(INSTANT),
    "paths": required(listed(checks.texts)),
    "reason": required(text()),
}
FREEZES: Rules = {"freezes": required(many(_FREEZE))}
FAILURES: Rules = {
    "drain_on": required(listed(checks.one_of("causes", DRAIN_ON))),
    "health_check_interval_seconds": number(5, 3600),
    "site_check": text(checks.absolute_path),
    "excluded": HOSTS,
    "requeue": required(BOOLEAN),
    "max_retries": required(number(0, 100)),
}


def build_approvers(document: Mapping[str, Any]) -> Approvers:
    """Who may change what."""
    principals = {
        name: Principal(name, tuple(part["keys"]), tuple(part["roles"]))
        for name, part in document["principals"].items()
    }
    roles = {
        name: Role(name, tuple(part["paths"]), part.get("threshold", 1))
        for name, part in document["roles"].items()
    }
    return Approvers(document["require"], principals, roles)


def build_waivers(document: Mapping[str, Any]) -> tuple[Waiver, ...]:
    """Rules excused for a time."""
    return tuple(
        Waiver(part["rule"], part["subject"], part["reason"], instant(part["until"]))
        for part in document["waivers"]
    )


def build_freezes(document: Mapping[str, Any]) -> tuple[Freeze, ...]:
    """Periods without change."""
    return tuple(
        Freeze(
            part["name"], instant(part["start"]), instant(part["end"]), tuple(part["paths"]), part["reason"]
        )
        for part in document["freezes"]
    )


def build_failures(document: Mapping[str, Any]) -> Failures:
    """What a failure causes."""
    return Failures(
        drain_on=tuple(document["drain_on"]),
        interval_seconds=document.get("health_check_interval_seconds", 60),
        site_check=document.get("site_check"),
        excluded=tuple(expand(document["excluded"])) if "excluded" in document else (),
        requeue=document["requeue"],
        max_retries=document["max_retries"],
    )
