"""Cerberus as the judge of shape, made to report findings.

One validator a mapping schema is made and kept: Cerberus would otherwise build a new one for every nested mapping, which
costs more than judging it. Errors become findings where they arise, while the schema is at hand to say what was expected.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any, ClassVar

from cerberus import TypeDefinition, Validator, errors

from renderer.load.checks import Complaint
from renderer.load.limits import MAX_FAULTS
from renderer.load.wording import missing, unknown, wording
from renderer.problem import Finding, Keys

_SCALARS = frozenset({str, int, bool, float, type(None)})
_MAX_ACCEPTED = 4096
_PLAIN_MAPPING = frozenset({"type", "schema"})


class _TooMany(Exception):
    pass


class Shape(Validator):  # type: ignore[misc]
    """The judge of one mapping schema, and through its own judges of what is below."""

    types_mapping: ClassVar[dict[str, TypeDefinition]] = {
        **Validator.types_mapping,
        "integer": TypeDefinition("integer", (int,), (bool,)),
    }
    """Python's True is an int, and Cerberus takes it for one: `limit: true` would be a limit of 1."""
    mandatory_validations = ()
    """Cerberus would ask of every value whether it may be null; here none may, and the type says so."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.findings: list[Finding] = []
        self.path = ""
        self._wraps_item = False
        self._judges: dict[int, tuple[Any, Shape]] = {}
        self._accepted: set[tuple[Any, ...]] = set()

    def findings_of(self, path: str, document: Mapping[str, Any]) -> tuple[Finding, ...]:
        """All faults of a document (at most MAX_FAULTS), none if its shape is right. Keys are paths in the document."""
        self.findings, self.path = [], path
        with contextlib.suppress(_TooMany):
            self.validate(document, normalize=False)
        return tuple(self.findings)

    def _error(self, field: Any, error: Any = None, *_info: Any) -> None:
        """Called by Cerberus for every fault."""
        finding = self._finding(field, error)
        self._errors.append(finding)
        self.findings.append(finding)
        if len(self.findings) >= MAX_FAULTS:
            raise _TooMany

    def _finding(self, field: Any, error: Any) -> Finding:
        keys = self._keys(field)
        if isinstance(error, Complaint):
            return Finding(self.path, (*keys, *error.keys), error.rule, error.what, error.remedy)
        if error is errors.UNKNOWN_FIELD:
            what, remedy = unknown(field, list(self.schema))
            return Finding(self.path, keys, "shape-unknown", what, remedy, on_key=True)
        if error is errors.REQUIRED_FIELD:
            return Finding(self.path, keys[:-1], "shape-missing", *missing(field))
        rule, what, remedy = wording(error, keys[-1], self.document.get(field), self.schema[field])
        return Finding(self.path, keys, rule, what, remedy)

    def _keys(self, field: Any) -> Keys:
        return self.document_path if self._wraps_item else (*self.document_path, field)

    def _validate_schema(self, schema: Any, field: Any, value: Any) -> None:
        """{'type': ['dict', 'string'], 'anyof': [{'check_with': 'schema'}, {'check_with': 'bulk_schema'}]}"""
        if isinstance(value, list):
            self._each(schema, field, enumerate(value))
        elif isinstance(value, dict):
            self._judge(schema, schema)._below(self, self._keys(field), value)

    def _validate_valuesrules(self, schema: Any, field: Any, value: Any) -> None:
        """{'type': ['dict', 'string'], 'check_with': 'bulk_schema', 'forbidden': ['rename', 'rename_handler']}"""
        if isinstance(value, dict):
            self._each(schema, field, value.items())

    def _each(self, rules: Any, field: Any, items: Any) -> None:
        keys = self._keys(field)
        inner = rules["schema"] if rules.keys() == _PLAIN_MAPPING and rules["type"] == "dict" else None
        for key, item in items:
            if inner is not None and type(item) is dict:
                self._judge(inner, inner)._below(self, (*keys, key), item)
            else:
                self._judge(rules, {"item": rules}, wraps_item=True)._below(
                    self, (*keys, key), {"item": item}
                )

    def _judge(self, key: Any, schema: Any, wraps_item: bool = False) -> Shape:
        known = self._judges.get(id(key))
        if known is None:
            judge = Shape(schema)
            judge._wraps_item = wraps_item
            known = self._judges[id(key)] = (key, judge)
        return known[1]

    def _below(self, above: Shape, keys: Keys, document: Mapping[str, Any]) -> None:
        seen = _fingerprint(document)
        if seen is not None and seen in self._accepted:
            return
        self.findings, self.path, self.document_path = above.findings, above.path, keys
        right = self.validate(document, normalize=False)
        if right and seen is not None and len(self._accepted) < _MAX_ACCEPTED:
            self._accepted.add(seen)


def _fingerprint(document: Mapping[str, Any]) -> tuple[Any, ...] | None:
    """Equal for mappings that Cerberus must judge equally; None where values nest. A large site repeats the same few grants."""
    if not all(type(value) in _SCALARS for value in document.values()):
        return None
    return (*document.items(), *map(type, document.values()))
