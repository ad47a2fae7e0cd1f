"""YAML bytes to plain values: the subset of YAML 1.1 that means the same to everybody who reads it.

libyaml parses and composes; the values are made here, because the stock constructor loses duplicate keys, executes tags and
takes `no`, `012`, `1:30` and dates for something else than they look like. Anchors, aliases, merge keys, tags and further
documents are refused: a policy is read by people, at one place.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import yaml
from yaml import CSafeLoader

from renderer.load.limits import MAX_DEPTH, MAX_FAULTS, Fault, refusal, suspicious

_STR = "tag:yaml.org,2002:str"
_PLAIN = re.compile(
    r"(null|~|)|(true|false)|(-?(?:0|[1-9][0-9]{0,17}))|(-?(?:0|[1-9][0-9]{0,17})\.[0-9]{1,18})"
)
_TAGS = (
    "tag:yaml.org,2002:null",
    "tag:yaml.org,2002:bool",
    "tag:yaml.org,2002:int",
    "tag:yaml.org,2002:float",
)
_MAKE: dict[str, Callable[[str], Any]] = {
    _TAGS[0]: lambda _text: None,
    _TAGS[1]: lambda text: text == "true",
    _TAGS[2]: int,
    _TAGS[3]: float,
}
_FIRST = frozenset("nt~f-0123456789")


class Loader(CSafeLoader):
    """libyaml's loader with the few plain scalars that are not text."""

    def resolve(self, kind: Any, value: Any, implicit: Any) -> str:
        """Tag of an untagged node."""
        if kind is yaml.ScalarNode:
            if implicit[0] and (not value or value[0] in _FIRST):
                match = _PLAIN.fullmatch(value)
                if match is not None and match.lastindex is not None:
                    return _TAGS[match.lastindex - 1]
            return _STR
        return "tag:yaml.org,2002:seq" if kind is yaml.SequenceNode else "tag:yaml.org,2002:map"

    def descend_resolver(self, parent: Any, index: Any) -> None:
        """Path resolvers are not used."""

    def ascend_resolver(self) -> None:
        """Path resolvers are not used."""


class Refused(Exception):
    """A construct that YAML has and a site may not use."""

    def __init__(self, mark: yaml.Mark, rule: str, what: str, remedy: str) -> None:
        super().__init__(what)
        self.fault: Fault = (mark.line + 1, mark.column + 1, rule, what, remedy)


def parse(data: bytes) -> tuple[Any, tuple[Fault, ...]]:
    """The document, or None and why not. A document with faults is never used. Never raises."""
    refused = refusal(data)
    if refused is not None:
        return None, (refused,)
    try:
        node = compose(data)
    except Refused as error:
        return None, (error.fault,)
    except yaml.MarkedYAMLError as error:
        return None, (_syntax(error),)
    except yaml.YAMLError as error:
        return None, ((0, 0, "yaml-syntax", _line(str(error)), "write plain YAML"),)
    if node is None:
        return None, ((0, 0, "yaml-empty", "the file is empty", "write its content, or remove the file"),)
    faults: list[Fault] = []
    return _value(node, 1, faults), tuple(faults[:MAX_FAULTS])


def compose(data: bytes) -> yaml.Node | None:
    """The node tree with its marks. Raises YAMLError, or a refusal of this module's."""
    if suspicious(data):
        _inspect(data)
    loader = Loader(data)
    try:
        node: yaml.Node | None = loader.get_single_node()
        return node
    finally:
        loader.dispose()


def _inspect(data: bytes) -> None:
    """Refuse anchors, tags and deep nesting, event by event: neither time nor memory grows with them."""
    depth = 0
    loader = Loader(data)
    try:
        while loader.check_event():
            event: Any = loader.get_event()
            _refuse_construct(event)
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > MAX_DEPTH:
                raise _too_deep(event.start_mark)
    finally:
        loader.dispose()


def _refuse_construct(event: Any) -> None:
    if getattr(event, "anchor", None) is not None:
        raise Refused(
            event.start_mark, "yaml-anchor", f"anchor or alias {event.anchor[:40]!r}", "write it out"
        )
    if getattr(event, "tag", None) is not None:
        raise Refused(event.start_mark, "yaml-tag", f"tag {event.tag[:60]!r}", "write the plain value")


def _too_deep(mark: yaml.Mark) -> Refused:
    return Refused(mark, "yaml-depth", f"nested more than {MAX_DEPTH} deep", "no kind of file nests so deep")


def _value(node: yaml.Node, depth: int, faults: list[Fault]) -> Any:
    if type(node) is yaml.ScalarNode:
        make = _MAKE.get(node.tag)
        return node.value if make is None else make(node.value)
    if depth > MAX_DEPTH:
        faults.append(_too_deep(node.start_mark).fault)
        return None
    if type(node) is yaml.SequenceNode:
        return [_value(item, depth + 1, faults) for item in node.value]
    return _mapping(node, depth, faults)


def _mapping(node: yaml.Node, depth: int, faults: list[Fault]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in node.value:
        if key.tag != _STR or key.value == "<<":
            faults.append(_bad_key(key))
        elif key.value in found:
            line, column = key.start_mark.line + 1, key.start_mark.column + 1
            what = f"{key.value[:60]!r} is written twice in one mapping"
            faults.append((line, column, "yaml-duplicate", what, "keep one"))
        else:
            found[key.value] = _value(value, depth + 1, faults)
    return found


def _bad_key(key: yaml.Node) -> Fault:
    line, column = key.start_mark.line + 1, key.start_mark.column + 1
    if key.tag == _STR:
        return line, column, "yaml-merge", "a merge key", "write the fields out"
    return line, column, "yaml-key", "a key that is no text", "quote it"


def _syntax(error: yaml.MarkedYAMLError) -> Fault:
    mark = error.problem_mark or error.context_mark
    what = _line(" ".join(filter(None, (error.context, error.problem))))
    if "single document" in what:
        what = "a second document"
    line, column = (mark.line + 1, mark.column + 1) if mark is not None else (0, 0)
    return line, column, "yaml-syntax", what, _SYNTAX_REMEDY.get(what, "mend the YAML at this place")


_SYNTAX_REMEDY = {
    "a second document": "keep one document a file",
    "while scanning for the next token found character that cannot start any token": "indent with spaces, quote special characters",
}


def _line(text: str) -> str:
    return " ".join(text.split())[:200]
