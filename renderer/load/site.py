"""A whole site: every file read, then the rules over what could be read. All problems in one run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from renderer.load.budget import host_budget
from renderer.load.digest import site_digest
from renderer.load.files import PATHS, Kind, Read, kind_of, missing, read
from renderer.load.kinds.partitions import build as build_partitions
from renderer.load.limits import (
    MAX_FAULTS,
    MAX_FILES,
    MAX_RESERVATIONS,
    MAX_SITE,
    MAX_SITE_HOSTS,
    MAX_SITE_VALUES,
    text_refusal,
    values,
)
from renderer.load.positions import locate
from renderer.load.refused import Refused
from renderer.load.secrets import secrets_in
from renderer.model.governance import Approvers
from renderer.model.site import Site
from renderer.problem import Finding, Problem
from renderer.rules import ALL
from renderer.rules.subject import Subject

_SLURM_D = "inventory/slurm.d/"
_REGO = "rego/site/"
_MAX_PROBLEMS = 1000
_NAMES = {"members": "tenant"}
"""Kinds whose objects are named by another field than `name`."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """`site` is None where any problem is an error; `problems` are sorted, warnings among them."""

    site: Site | None
    problems: tuple[Problem, ...]


@dataclass(slots=True)
class _Parts:
    """What was read so far, by kind: {path: data}. `unread` are (kind, name) of what is declared but could not be read, the
    name empty for a kind of one file: nothing may be concluded from their absence."""

    by_kind: dict[str, dict[str, Any]]
    unread: set[tuple[str, str]]
    findings: list[Finding]
    problems: list[Problem]


def load(files: Mapping[str, bytes | Refused]) -> Loaded:
    """The site that these files (site-relative POSIX paths) are. Never raises, whatever the bytes."""
    content = {path: data for path, data in files.items() if isinstance(data, bytes)}
    too_much = _too_much(content)
    if too_much is not None:
        return Loaded(None, (too_much,))
    parts = _Parts({}, set(), list(missing(files)), [])
    for finding in parts.findings:
        _mark_unread(finding.path, parts)
    with host_budget(MAX_SITE_HOSTS):
        for path in sorted(files):
            _take(path, files[path], parts)
    site = _site(parts, content)
    parts.findings += _rules(site, parts)
    severities = {found.severity for found in parts.findings} | {found.severity for found in parts.problems}
    return Loaded(None if "error" in severities else site, _reported(parts, content))


def _reported(parts: _Parts, content: Mapping[str, bytes]) -> tuple[Problem, ...]:
    """Sorted; of too many the errors are kept first, so that no cut makes a site look better than it is."""
    located = [*parts.problems, *locate(_few(parts.findings), content)]
    located.sort(key=lambda problem: (problem.severity != "error", problem))
    return tuple(sorted(located[:_MAX_PROBLEMS]))


def _few(findings: list[Finding]) -> Iterator[Finding]:
    seen: Counter[str] = Counter()
    for finding in sorted(findings, key=lambda finding: finding.severity != "error"):
        seen[finding.path] += 1
        if seen[finding.path] <= MAX_FAULTS:
            yield finding


def _too_much(content: Mapping[str, bytes]) -> Problem | None:
    size = sum(map(len, content.values()))
    reservations = sum(path.startswith("policies/reservations/") for path in content)
    if reservations > MAX_RESERVATIONS:
        return Problem(
            "policies/reservations",
            0,
            0,
            "site-size",
            f"{reservations} reservations; a site may have {MAX_RESERVATIONS}",
            "remove those that have ended",
        )
    if len(content) > MAX_FILES:
        return Problem(
            "",
            0,
            0,
            "site-size",
            f"{len(content)} files; a site may have {MAX_FILES}",
            "move what isn't the site out of it",
        )
    if size > MAX_SITE:
        return Problem(
            "",
            0,
            0,
            "site-size",
            f"{size} bytes; a site may have {MAX_SITE}",
            "move what isn't the site out of it",
        )
    if sum(map(values, content.values())) > MAX_SITE_VALUES:
        return Problem(
            "", 0, 0, "site-size", f"more than {MAX_SITE_VALUES} values", "move what isn't the site out of it"
        )
    return None


def _take(path: str, content: bytes | Refused, parts: _Parts) -> None:
    if isinstance(content, Refused):
        parts.problems.append(
            Problem(path, 0, 0, "file-refused", content.reason, "replace it by a regular file, or remove it")
        )
        _mark_unread(path, parts)
        return
    parts.problems += secrets_in(path, content)
    kind = kind_of(path)
    if kind is None:
        parts.findings += _other(path)
        parts.problems += _no_text(path, content)
        return
    _keep(path, kind, read(path, kind, content), parts)


def _keep(path: str, kind: Kind, result: Read, parts: _Parts) -> None:
    parts.findings += result.findings
    parts.problems += result.problems
    misnamed = () if result.data is None or kind.single else tuple(_misnamed(path, kind, result.data))
    parts.findings += misnamed
    if misnamed:
        parts.unread.add((kind.name, _name(kind, result.data)))
    if result.data is None or misnamed:
        _mark_unread(path, parts)
    else:
        parts.by_kind.setdefault(kind.name, {})[path] = result.data


def _misnamed(path: str, kind: Kind, data: Any) -> Iterator[Finding]:
    """Two files could otherwise claim one name, and one of them would silently not count."""
    name, stem = _name(kind, data), _stem(path)
    if name != stem:
        field = _NAMES.get(kind.name, "name")
        what = f"{field} is {name}, the file is {stem[:80]}.yaml"
        yield Finding(path, (field,), "file-name", what, "make them the same")


def _other(path: str) -> Iterator[Finding]:
    known = path.startswith((_SLURM_D, _REGO)) or not path.endswith((".yaml", ".yml", ".json"))
    if not known:
        yield Finding(
            path,
            (),
            "file-unknown",
            "no kind of file has this place",
            "see docs/site-format.md for the folders",
        )


def _no_text(path: str, content: bytes) -> Iterator[Problem]:
    fault = text_refusal(content) if path.startswith((_SLURM_D, _REGO)) else None
    if fault is not None:
        yield Problem(path, *fault)


def _name(kind: Kind, data: Any) -> str:
    name: str = getattr(data, _NAMES.get(kind.name, "name"))
    return name


def _mark_unread(path: str, parts: _Parts) -> None:
    kind = kind_of(path)
    if kind is not None:
        parts.unread.add((kind.name, "" if kind.single else _stem(path)))


def _rules(site: Site, parts: _Parts) -> Iterator[Finding]:
    subject = Subject(site, _paths(parts), frozenset(parts.unread))
    for family in ALL:
        if all(subject.is_read(kind) for kind in family.needs):
            yield from family.rule(subject)


def _paths(parts: _Parts) -> dict[tuple[str, str], str]:
    """(kind, object's name) to the file that holds it."""
    named = {
        (kind, _stem(path)): path
        for kind, found in parts.by_kind.items()
        if kind not in PATHS
        for path in found
    }
    return named | {(kind, ""): path for kind, path in PATHS.items()}


def _site(parts: _Parts, content: Mapping[str, bytes]) -> Site:
    one: dict[str, Any] = {kind: next(iter(parts.by_kind.get(kind, {}).values()), None) for kind in PATHS}
    nodes = one["nodes"]
    return Site(
        cluster=one["cluster"],
        nodes=nodes,
        fabric=one["fabric"],
        slurm_d=_texts(content, _SLURM_D),
        tenants=_named(parts, "tenants"),
        members=_named(parts, "members"),
        qos=one["qos"],
        partitions=build_partitions(one["partitions"], nodes)
        if nodes and one["partitions"] is not None
        else {},
        planes=one["planes"],
        reservations=_named(parts, "reservations"),
        endpoints=_named(parts, "endpoints"),
        images=_named(parts, "images"),
        approvers=one["approvers"] or Approvers("approved", {}, {}),
        waivers=one["waivers"] or (),
        freezes=one["freezes"] or (),
        failures=one["failures"],
        rego={
            path.removeprefix(_REGO): data for path, data in sorted(content.items()) if path.startswith(_REGO)
        },
        digest=site_digest(content),
    )


def _named(parts: _Parts, kind: str) -> dict[str, Any]:
    return {_stem(path): data for path, data in parts.by_kind.get(kind, {}).items()}


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".yaml")


def _texts(content: Mapping[str, bytes], folder: str) -> dict[str, str]:
    return {
        path.removeprefix(folder): data.decode("utf-8", errors="replace")
        for path, data in sorted(content.items())
        if path.startswith(folder)
    }
