"""Key paths to lines and columns. Only files with findings come here: marks cost more than the rest of loading."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

import yaml

from renderer.load.document import Refused, compose
from renderer.load.files import kind_of
from renderer.load.limits import refusal
from renderer.problem import Finding, Keys, Problem


def locate(findings: Iterable[Finding], files: Mapping[str, bytes]) -> list[Problem]:
    """A problem for each finding. A key path that leads nowhere points at the deepest part that exists."""
    by_path: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        by_path[finding.path].append(finding)
    return [
        problem
        for path, found in by_path.items()
        for problem in _located(found, _root(path, files.get(path)))
    ]


def _root(path: str, data: bytes | None) -> yaml.Node | None:
    if data is None or kind_of(path) is None or refusal(data) is not None:
        return None
    try:
        return compose(data)
    except (Refused, yaml.YAMLError):
        return None


def _located(found: list[Finding], root: yaml.Node | None) -> Iterable[Problem]:
    for item in found:
        line, column = _mark(root, item.keys, item.on_key) if root is not None else _raw(item.keys)
        yield Problem(item.path, line, column, item.rule, item.what, item.remedy, item.severity)


def _raw(keys: Keys) -> tuple[int, int]:
    """In a file that is no YAML, a finding's keys are its line and column."""
    line, column = (*keys, 0, 0)[:2]
    return (line, column) if isinstance(line, int) and isinstance(column, int) else (0, 0)


def _mark(root: yaml.Node, keys: Keys, on_key: bool) -> tuple[int, int]:
    node, key_node = root, root
    for key in keys:
        step = _step(node, key)
        if step is None:
            break
        key_node, node = step
    chosen = key_node if on_key or _hangs(node, key_node) else node
    return chosen.start_mark.line + 1, chosen.start_mark.column + 1


def _hangs(node: yaml.Node, key_node: yaml.Node) -> bool:
    """A block collection begins below its key, with what is not meant: its first entry."""
    return isinstance(node, yaml.CollectionNode) and key_node.start_mark.line < node.start_mark.line


def _step(node: yaml.Node, key: str | int) -> tuple[yaml.Node, yaml.Node] | None:
    if isinstance(node, yaml.MappingNode):
        return next(((name, value) for name, value in node.value if name.value == key), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(key, int) and key < len(node.value):
        return node.value[key], node.value[key]
    return None
