"""The format and the rules are documented as they are: no field and no rule is missing from its page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from renderer.load import load
from renderer.load.files import KINDS, kind_of
from tests.sites import valid

ROOT = Path(__file__).parents[3]
FORMAT = (ROOT / "docs" / "site-format.md").read_text()
RULES = (ROOT / "docs" / "rules.md").read_text()


def _fields(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        for key, rules in schema.items():
            if isinstance(rules, dict) and key not in ("schema", "valuesrules", "keysrules"):
                yield key
            yield from _fields(rules)


def test_every_field_is_documented() -> None:
    flat = {"tiers", "partitions"}
    fields = {field for kind in KINDS for field in _fields(kind.schema)} - flat
    assert len(fields) > 100
    assert [field for field in sorted(fields) if f"`{field}`" not in FORMAT] == []


def test_every_rule_is_documented_and_every_documented_rule_exists() -> None:
    sources = [
        path.read_text()
        for folder in ("load", "rules")
        for path in (ROOT / "renderer" / folder).rglob("*.py")
    ]
    written = {word for source in sources for word in re.findall(r'"([a-z]+(?:-[a-z0-9]+)*)"', source)}
    rows = [line.split("|")[1] for line in RULES.splitlines() if line.startswith("| ") and "rule" not in line]
    documented = {rule.strip() for row in rows for rule in row.split(",")}
    assert len(documented) > 60
    assert documented - written == set()
    prefixes = (
        "shape-",
        "notation-",
        "yaml-",
        "file-",
        "qos-",
        "reservation-",
        "partition-",
        "host-",
        "plane-",
        "slurm-",
        "name-",
        "role-",
    )
    used = {word for word in written if word.startswith(prefixes) and word != "slurm-"}
    assert used - documented == set()


def test_the_examples_of_the_format_are_a_valid_site_with_every_kind() -> None:
    blocks = re.findall(r"```yaml\n# (\S+)\n(.*?)```", FORMAT, re.DOTALL)
    files = {path: content.encode() for path, content in blocks}
    assert load(files).problems == ()
    assert {kind.name for path in files if (kind := kind_of(path))} == {kind.name for kind in KINDS}
    assert files.items() <= valid().items()
