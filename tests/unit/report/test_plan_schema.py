"""The published form of a plan: real plans keep to it, with no key that it doesn't describe, and what it says of itself is so."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any, get_args

import pytest
from jsonschema import Draft202012Validator
from typer.testing import CliRunner

from reconciler.cli.main import app
from reconciler.plan.action import RestartClass, Verb
from reconciler.plan.guards import CONFIRM_KINDS
from tests.real.adapted import reference_site

ROOT = Path(__file__).parents[3]
SCHEMA: dict[str, Any] = json.loads((ROOT / "docs" / "plan.schema.json").read_text())
OLD: dict[str, Any] = json.loads((ROOT / "tests" / "data" / "plan-v1.json").read_text())
DOCUMENTATION = (ROOT / "docs" / "plan.md").read_text()


def _closed(schema: Any) -> Any:
    """The schema with no room for keys that it doesn't describe."""
    if isinstance(schema, list):
        return [_closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    held = {name: _closed(item) for name, item in schema.items()}
    return {**held, "unevaluatedProperties": False} if "required" in held and "properties" in held else held


def _strict() -> Draft202012Validator:
    schema = deepcopy(SCHEMA)
    del schema["$id"]
    definitions = {
        name: item if name == "key" else _closed(item) for name, item in schema.pop("$defs").items()
    }
    for rule in definitions["action"]["allOf"][1:]:
        rule["if"].pop("unevaluatedProperties")
    return Draft202012Validator({**_closed(schema), "$defs": definitions})


@pytest.fixture(scope="module")
def plans(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[dict[str, Any]]]:
    """Of the reference site: the first apply, a quota that grows, a tenant that goes, drift, a denied change."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHARTER_NOW", "2026-12-01T08:00:00Z")
        patch.delenv("CHARTER_CONFIG", raising=False)
        yield list(_made(reference_site(tmp_path_factory.mktemp("plans") / "site").path))


def _made(site: Path) -> Iterator[dict[str, Any]]:
    yield _plan(site, 2)
    _run(0, "apply", site)
    tenant = site / "policies" / "tenants" / "weather.yaml"
    text = tenant.read_text()
    tenant.write_text(text.replace("fairshare: ", "fairshare: 1"))
    yield _plan(site, 2)
    yield _plan(site, 2, "--base", "HEAD")
    tenant.write_text(
        re.sub(r"limit: \d+", "limit: 100000", re.sub(r"guarantee: \d+", "guarantee: 99999", text))
    )
    yield _plan(site, 3)
    tenant.write_text(text)
    state = site / ".charter" / "live" / "slurm" / "state" / "reservation.json"
    held = json.loads(state.read_text())
    held.popitem()
    state.write_text(json.dumps(held))
    yield _plan(site, 2)


def _plan(site: Path, expect: int, *arguments: str) -> dict[str, Any]:
    shown: dict[str, Any] = json.loads(_run(expect, "plan", site, "--format", "json", *arguments))
    return shown


def _run(expect: int, verb: str, site: Path, *arguments: str) -> str:
    result = CliRunner().invoke(app, [verb, str(site), *arguments])
    assert result.exit_code == expect, result.output
    return result.stdout


def test_real_plans_keep_to_the_schema_key_by_key(plans: list[dict[str, Any]]) -> None:
    for plan in (*plans, OLD):
        assert [error.message for error in _strict().iter_errors(plan)] == []
    first, grown, between, denied, drifted = plans
    assert {action["verb"] for action in first["actions"]} == {"create"}
    assert {action["engine"] for action in first["actions"]} == {"slurm", "kubernetes"}
    assert first["base"] is None
    assert {action["verb"] for action in grown["actions"]} == {"update"}
    assert (between["digests"]["live"], between["base"]["commit"] is None) == (None, False)
    assert (denied["verdict"]["allow"], drifted["summary"]["drift"]) == (False, 1)


def test_digests_of_the_same_content_are_the_same_with_and_without_engines(
    plans: list[dict[str, Any]],
) -> None:
    _, grown, between, denied, drifted = plans
    assert grown["digests"]["change"] == between["digests"]["change"]
    assert len({plan["digests"]["change"] for plan in (grown, denied, drifted)}) == 3


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(value, dict) and path[-1:] not in (("before",), ("after",), ("foreign",)):
        for name, item in value.items():
            yield from _places(item, (*path, name))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _places(item, (*path, number))


def _at(document: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        document = document[step]
    return document


@pytest.mark.parametrize("path", [path for path in _places(OLD) if path], ids=str)
def test_a_plan_with_another_type_anywhere_or_without_a_key_is_none(path: tuple[Any, ...]) -> None:
    validator = Draft202012Validator(SCHEMA)
    validator.validate(OLD)
    wrong = deepcopy(OLD)
    _at(wrong, path[:-1])[path[-1]] = 1.5
    assert not validator.is_valid(wrong)
    if isinstance(path[-1], str) and path[-1] != "waived_by" and path[-2:-1] != ("foreign",):
        lacking = deepcopy(OLD)
        del _at(lacking, path[:-1])[path[-1]]
        assert not validator.is_valid(lacking)


@pytest.mark.parametrize(("verb", "side"), [("create", "before"), ("delete", "after")])
def test_what_is_created_has_no_before_and_what_is_removed_no_after(verb: str, side: str) -> None:
    wrong = deepcopy(OLD)
    action = next(item for item in wrong["actions"] if item["verb"] == verb)
    action[side] = {}
    assert not Draft202012Validator(SCHEMA).is_valid(wrong)


def test_schema_code_and_documentation_name_the_same_things() -> None:
    action = SCHEMA["$defs"]["action"]["properties"]
    assert action["verb"]["enum"] == list(get_args(Verb))
    assert action["restart"]["enum"] == list(get_args(RestartClass))
    assert action["confirm"]["enum"] == [None, *CONFIRM_KINDS]
    confirmations = DOCUMENTATION.partition("## Confirmations")[2].partition("## Formats")[0]
    named = {
        kind
        for line in confirmations.splitlines()
        if line.startswith("| `")
        for kind in re.findall("`(.*?)`", line.split("|")[1])
    }
    assert named == set(CONFIRM_KINDS)
    assert all(f"`{restart}`" in DOCUMENTATION for restart in get_args(RestartClass) if restart != "none")


def test_the_documented_example_is_what_is_printed() -> None:
    example = DOCUMENTATION.partition("```text\n")[2].partition("```")[0]
    assert example == (ROOT / "tests" / "golden" / "report" / "plan.txt").read_text()


@pytest.mark.parametrize(
    "path",
    [(), ("actions", 2), ("actions", 2, "jobs", 0), ("capacity", 0), ("digests",), ("verdict",), ("head",)],
)
def test_a_key_that_nobody_described_would_be_noticed(path: tuple[Any, ...]) -> None:
    grown = deepcopy(OLD)
    _at(grown, path)["surprise"] = 1
    assert Draft202012Validator(SCHEMA).is_valid(grown)
    assert not _strict().is_valid(grown)
