"""What differs between desired and observed: pure set arithmetic over keys, then equality of fields.

A resource that is live but neither desired nor owned is not mentioned here at all: it is foreign, and foreign things
are reported by the observation and never touched.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reconciler.plan.action import Change
from renderer.resource import Key, Resource


def differences(
    desired: Sequence[Resource], observed: Mapping[Key, Resource], owned: frozenset[Key]
) -> tuple[Change, ...]:
    """Creates and updates in the order of `desired`, then deletes of what is owned, observed and no longer desired."""
    wanted = {resource.key for resource in desired}
    surplus = sorted(
        (key for key in observed.keys() & owned if key not in wanted),
        key=lambda key: (key.engine, key.kind, key.name),
    )
    kept = tuple(
        change for resource in desired if (change := _difference(resource, observed.get(resource.key)))
    )
    return kept + tuple(Change(key, "delete", observed[key].fields, None) for key in surplus)


def _difference(wanted: Resource, live: Resource | None) -> Change | None:
    if live is None:
        return Change(wanted.key, "create", None, wanted.fields)
    if live.fields == wanted.fields:
        return None
    return Change(wanted.key, "update", live.fields, wanted.fields)
