"""What a site's own Rego file may be: in a package of its own, with static rules, blind to every other package of Charter's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from reconciler.errors import Terminal
from reconciler.gate.tables import check_table
from reconciler.system.documents import json_mapping

_KINDS = ("change", "admission")
_OPEN = (("charter", "usage"), ("charter", "revision"))
_DEPTH = 50
_NAME = re.compile(r"[a-z][a-z0-9_]*\Z")


def check_sources(parsed: Mapping[str, bytes]) -> None:
    """Check the files of a site, each as `opa parse --format json` gives it. Raises Terminal with file:line of what is refused."""
    tables: dict[tuple[str, ...], str] = {}
    packages: dict[tuple[str, ...], tuple[str, dict[str, Any]]] = {}
    for path, content in sorted(parsed.items()):
        module = _module(path, content)
        package = _package(path, module)
        if any(note.get("entrypoint") for note in module.get("annotations", [])):
            what, remedy = "an entrypoint", "remove it: Charter asks for its own verdicts only"
            raise refused(path, module["package"], what, remedy)
        packages.setdefault(tuple(package), (path, module["package"]))
        for term, where in _references(module, module["package"]):
            _check_reference(path, term, where, package)
        for rule in module.get("rules", []):
            if _is_table(rule):
                _only_one(path, rule, tuple(package), tables)
    for name, (path, where) in packages.items():
        if name not in tables:
            raise refused(path, where, "a package without `rules`", _EXAMPLE)


def _module(path: str, content: bytes) -> dict[str, Any]:
    try:
        return json_mapping(content)
    except ValueError as error:
        raise Terminal(f"{path}:1: can't be judged ({error}); write it flat") from None


def check_nesting(path: str, source: bytes) -> None:
    """Raise Terminal where brackets stand deeper than anybody writes them: compilers take minutes over that."""
    depth = 0
    for number, line in enumerate(source.split(b"\n"), 1):
        for mark in re.findall(rb"[][(){}]", line):
            depth += 1 if mark in b"[({" else -1
            if depth > _DEPTH:
                raise Terminal(
                    f"{path}:{number}: brackets nested deeper than {_DEPTH} are refused; write it flat"
                )


_EXAMPLE = 'write rules := {"id": {"severity": "deny", "subjects": "input.head.tenants"}}'


def refused(path: str, where: Mapping[str, Any], what: str, remedy: str) -> Terminal:
    """The error for a node of the syntax tree."""
    location = where.get("location") or {}
    return Terminal(f"{path}:{location.get('row', 1)}: {what} is refused; {remedy}")


def _package(path: str, module: dict[str, Any]) -> list[str]:
    package = [str(term["value"]) for term in module["package"]["path"]]
    allowed = len(package) == 5 and package[:3] == ["data", "charter", "site"] and package[3] in _KINDS
    if not allowed or not _NAME.match(package[4]):
        what = f"package {'.'.join(package[1:])}"
        remedy = "name it charter.site.change.NAME or charter.site.admission.NAME"
        raise refused(path, module["package"], what, remedy)
    return package


def _only_one(
    path: str, rule: dict[str, Any], package: tuple[str, ...], tables: dict[tuple[str, ...], str]
) -> None:
    if package in tables:
        raise refused(path, rule, f"a second `rules` beside {tables[package]}'s", "keep one in a package")
    tables[package] = path
    fault = check_table(rule)
    if fault is not None:
        raise refused(path, rule, f"`rules` {fault}", _EXAMPLE)


def _is_table(rule: dict[str, Any]) -> bool:
    reference = rule["head"].get("ref") or [{"value": rule["head"].get("name")}]
    return str(reference[0]["value"]) == "rules"


def _check_reference(
    path: str, term: list[dict[str, Any]], where: dict[str, Any], package: list[str]
) -> None:
    names = _leading(term[1:])
    if not names:
        what, remedy = "a reference to all of data", "name what is looked up: data.site, data.charter.usage"
        raise refused(path, where, what, remedy)
    own = list(names[: len(package) - 1]) == package[1:]
    if names[0] == "charter" and not own and names[:2] not in _OPEN:
        remedy = "rules of a site look at input, data.site, data.charter.usage and themselves"
        raise refused(path, where, f"a reference to data.{'.'.join(names)}", remedy)


def _leading(terms: list[dict[str, Any]]) -> tuple[str, ...]:
    """The constant names a reference begins with: what follows a variable may be anything, so it proves nothing."""
    found: list[str] = []
    for part in terms:
        if part["type"] != "string":
            break
        found.append(str(part["value"]))
    return tuple(found)


def _references(node: Any, where: dict[str, Any]) -> Iterator[tuple[list[dict[str, Any]], dict[str, Any]]]:
    """Every reference that begins with `data`, imports among them, and any bare `data`; but not the package clause."""
    if isinstance(node, list):
        for item in node:
            yield from _references(item, where)
    if not isinstance(node, dict):
        return
    here = node if "location" in node else where
    if node.get("type") == "ref" and _is_data(node["value"][0]):
        yield node["value"], here
        yield from _references(node["value"][1:], here)
        return
    if _is_data(node):
        yield [node], here
    for key, value in node.items():
        if key not in ("package", "location"):
            yield from _references(value, here)


def _is_data(node: Any) -> bool:
    return isinstance(node, dict) and node.get("type") == "var" and node.get("value") == "data"
