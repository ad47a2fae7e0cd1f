"""What a site's own Rego file may be: a package of its own, with static rules, that looks at no other package of Charter's."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from reconciler.errors import Terminal

_KINDS = ("change", "admission")
_OPEN = (("charter", "usage"), ("charter", "revision"))


def check_source(path: str, parsed: bytes) -> None:
    """Check `opa parse --format json` of a file. Raises Terminal with file:line of the first thing that is refused."""
    module = json.loads(parsed)
    package = _path(module["package"]["path"])
    if len(package) != 5 or package[:3] != ["data", "charter", "site"] or package[3] not in _KINDS:
        raise _refused(
            path,
            module["package"],
            f"package {'.'.join(package[1:])}",
            "name it charter.site.change.NAME or charter.site.admission.NAME",
        )
    for term, where in _references(module, module["package"]):
        _check_reference(path, term, where, package)
    _check_rules(path, module)


def _check_reference(
    path: str, term: list[dict[str, Any]], where: dict[str, Any], package: list[str]
) -> None:
    second = term[1] if len(term) > 1 else {"type": "missing", "value": ""}
    if second["type"] != "string":
        raise _refused(
            path, where, "a reference to all of data", "name what is looked up: data.site, data.charter.usage"
        )
    names = tuple(str(part["value"]) for part in term[1:] if part["type"] == "string")
    own = list(names[: len(package) - 1]) == package[1:]
    if names[0] == "charter" and not own and names[:2] not in _OPEN:
        raise _refused(
            path,
            where,
            f"a reference to data.{'.'.join(names)}",
            "rules of a site look at input, data.site and themselves",
        )


def _check_rules(path: str, module: dict[str, Any]) -> None:
    tables = [rule for rule in module.get("rules", []) if _head(rule) == "rules"]
    if len(tables) != 1 or tables[0].get("default") or not _is_static(tables[0]):
        where = tables[0] if tables else module["package"]
        raise _refused(
            path,
            where,
            "`rules` is not one static table",
            'write rules := {"id": {"severity": "deny", "subjects": "input.head.tenants"}}',
        )


def _is_static(rule: dict[str, Any]) -> bool:
    value = rule["head"].get("value", {})
    return _is_true(rule.get("body", [])) and value.get("type") == "object" and not list(_non_literals(value))


def _is_true(body: list[dict[str, Any]]) -> bool:
    if not body:
        return True
    terms = body[0].get("terms") if len(body) == 1 else None
    return isinstance(terms, dict) and terms.get("type") == "boolean" and terms.get("value") is True


def _non_literals(term: Any) -> Iterator[Any]:
    if isinstance(term, dict):
        if term.get("type") in (
            "var",
            "ref",
            "call",
            "arraycomprehension",
            "objectcomprehension",
            "setcomprehension",
        ):
            yield term
        yield from _non_literals(term.get("value"))
    elif isinstance(term, list):
        for item in term:
            yield from _non_literals(item)


def _head(rule: dict[str, Any]) -> str:
    reference = rule["head"].get("ref") or [{"value": rule["head"].get("name")}]
    return str(reference[0]["value"])


def _references(node: Any, where: dict[str, Any]) -> Iterator[tuple[list[dict[str, Any]], dict[str, Any]]]:
    """Every reference that begins with `data`, imports among them, and any bare `data`; but not the package clause."""
    if isinstance(node, dict):
        here = node if "location" in node else where
        if (
            node.get("type") == "ref"
            and node["value"][0].get("value") == "data"
            and node["value"][0].get("type") == "var"
        ):
            yield node["value"], here
            for part in node["value"][1:]:
                yield from _references(part, here)
            return
        if node.get("type") == "var" and node.get("value") == "data":
            yield [node], here
        for key, value in node.items():
            if key not in ("package", "location"):
                yield from _references(value, here)
    elif isinstance(node, list):
        for item in node:
            yield from _references(item, where)


def _path(terms: list[dict[str, Any]]) -> list[str]:
    return [str(term["value"]) for term in terms]


def _refused(path: str, where: dict[str, Any], what: str, remedy: str) -> Terminal:
    location = where.get("location") or {}
    return Terminal(f"{path}:{location.get('row', 1)}: {what} is refused; {remedy}")
