"""What needs the OPA program: the committed module, the rules' own tests, a site's own rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from reconciler.errors import Terminal
from reconciler.gate import compiled
from reconciler.gate.compiled import CompiledEngine
from reconciler.gate.engine import CHANGE, Engine
from reconciler.gate.policy import (
    MODULE,
    build_module,
    builtin_sources,
    capabilities,
    load_policy,
    policy_digest,
)
from reconciler.gate.server import ServerEngine
from reconciler.gate.sprintf import sprintf
from reconciler.gate.verdict import Verdict
from tests.engines.opa import OpaRig, build_wasm
from tests.engines.policy import REGO, check
from tests.unit.gate.question import NOW, change, edited

pytestmark = pytest.mark.real
HOST = {"sprintf"}
SITE = """package charter.site.change.house

rules := {"small": {"severity": "deny", "subjects": "input.head.tenants"}}

holds contains ["small", name] if {
	some name, tenant in input.head.tenants
	tenant.quota.training.h200.limit <= data.site.house_limit
}

message["small"][name] contains sprintf("%s is large", [name]) if some name, _ in input.head.tenants
"""


def judged(engine: Engine, opa: Path, source: str = SITE, edits: dict[str, Any] | None = None) -> Verdict:
    question = edited(change(), edits or {})
    engine.load(load_policy({"house.rego": source.encode()}, str(opa)), question["data"], "r")
    return engine.decide(CHANGE, question["input"])


def test_the_rules_own_tests_pass_and_the_committed_module_is_what_the_sources_give(opa_binary: Path) -> None:
    check(str(opa_binary))
    assert build_module(builtin_sources(), str(opa_binary)) == (REGO / MODULE).read_bytes()


def test_every_built_in_that_a_rule_may_use_is_in_the_module_or_lent(tmp_path: Path) -> None:
    calls = []
    for number, one in enumerate(json.loads(capabilities())["builtins"]):
        if "infix" not in one and not one["name"].startswith("internal."):
            words = ", ".join(f"input.a{place}" for place in range(len(one["decl"].get("args", []))))
            calls.append(f"r{number} := {one['name']}({words})")
    assert len(calls) > 50
    (tmp_path / "all.rego").write_text("package all\n\n" + "\n".join(calls) + "\n")
    module = build_wasm(["all"], tmp_path / "all.rego")
    assert lent(module) <= HOST
    (tmp_path / "all.rego").write_text("package all\n\nr := time.now_ns()\n")
    assert lent(build_wasm(["all"], tmp_path / "all.rego")) == {"time.now_ns"}


def lent(module: bytes) -> set[str]:
    """What a module leaves to its host, read as the engine reads it."""
    from reconciler.gate import compiled

    found: set[str] = set()

    class Names(dict[str, Any]):
        def __contains__(self, name: object) -> bool:
            found.add(str(name))
            return True

    kept = compiled._HOST
    try:
        compiled._HOST = Names(sprintf=sprintf)
        compiled._Sandbox(module, {}, 10**9, 1 << 28)
    finally:
        compiled._HOST = kept
    return found


@pytest.mark.parametrize("kind", ["compiled", "server"])
def test_a_sites_own_rule_denies_in_both_engines(opa_binary: Path, opa_rig: OpaRig, kind: str) -> None:
    engine: Engine = CompiledEngine() if kind == "compiled" else ServerEngine(opa_rig.url, opa_rig.token)
    assert judged(engine, opa_binary, edits={"data/site/house_limit": 16}).allow
    verdict = judged(engine, opa_binary, edits={"data/site/house_limit": 15})
    assert [(item.id, item.subject, item.message) for item in verdict.violations] == [
        ("house/small", "health", "health is large"),
        ("house/small", "sky", "sky is large"),
    ]
    assert not verdict.allow


def test_a_sites_rule_can_be_waived_by_its_full_name(opa_binary: Path) -> None:
    waiver = {"until": NOW + 1, "text": "until winter"}
    waivers = {"house/small": {"health": waiver, "sky": waiver}}
    verdict = judged(
        CompiledEngine(), opa_binary, edits={"data/site/house_limit": 1, "data/site/waivers": waivers}
    )
    assert verdict.allow
    assert {item.waived_by for item in verdict.violations} == {"until winter"}


def test_what_a_sites_rule_cannot_see_is_a_denial(opa_binary: Path) -> None:
    verdict = judged(CompiledEngine(), opa_binary)
    assert not verdict.allow
    assert {item.id for item in verdict.violations} == {"house/small"}


def test_a_sites_holds_prove_nothing_about_built_in_rules(opa_binary: Path) -> None:
    source = SITE + '\nholds contains ["zone", "health/scan"]\n'
    edits = {"data/site/house_limit": 99, "input/head/programs/health~scan/zones": ["b"]}
    verdict = judged(CompiledEngine(), opa_binary, source, edits)
    assert [item.id for item in verdict.violations] == ["zone"]


@pytest.mark.parametrize("kind", ["compiled", "server"])
def test_rules_that_contradict_themselves_deny(opa_binary: Path, opa_rig: OpaRig, kind: str) -> None:
    engine: Engine = CompiledEngine() if kind == "compiled" else ServerEngine(opa_rig.url, opa_rig.token)
    source = SITE + "\nlimit := x if some x in [1, 2]\n\nholds contains limit\n"
    verdict = judged(engine, opa_binary, source, {"data/site/house_limit": 99})
    assert [item.id for item in verdict.violations] == ["engine"]


def test_a_rule_that_does_not_end_is_stopped_and_denies(opa_binary: Path) -> None:
    source = (
        SITE
        + "\nholds contains [x, y] if {\n\tsome x in numbers.range(1, 9999)\n\tsome y in numbers.range(1, 9999)\n}\n"
    )
    engine = CompiledEngine(fuel=2_000_000_000)
    verdict = judged(engine, opa_binary, source, {"data/site/house_limit": 99})
    assert [item.id for item in verdict.violations] == ["engine"]


def test_a_rule_that_formats_without_end_is_stopped_as_soon(opa_binary: Path) -> None:
    pairs = "some x in numbers.range(1, 9999)\n\tsome y in numbers.range(1, 9999)"
    source = SITE + f'\nholds contains sprintf("%d", [x + y]) if {{\n\t{pairs}\n}}\n'
    calls = []

    def counted(form: object, values: object) -> str | None:
        calls.append(form)
        return sprintf(form, values)

    engine = CompiledEngine(fuel=4_000_000_000)
    with pytest.MonkeyPatch.context() as watched:
        watched.setattr(compiled, "_HOST", {"sprintf": counted})
        verdict = judged(engine, opa_binary, source, {"data/site/house_limit": 99})
    assert [item.id for item in verdict.violations] == ["engine"]
    assert "fuel" in verdict.violations[0].message
    assert len(calls) < 4_000


PACKAGE = "package charter.site.change.house\n\n"
RULES = 'rules := {"x": {"severity": "deny", "subjects": "input"}}\n'
REFUSED = {
    "a built-in package": ("package charter.change\n\n" + RULES, "house.rego:1: package charter.change is refused"),
    "a family's package": ("package charter.change.tenancy\n\n" + RULES, "house.rego:1: package"),
    "a deeper package": ("package charter.site.change.house.inner\n\n" + RULES, "house.rego:1: package"),
    "another root": ("package site\n\n" + RULES, "house.rego:1: package"),
    "a third kind": ("package charter.site.audit.house\n\n" + RULES, "house.rego:1: package"),
    "a name with a slash": ('package charter.site.change["a/b"]\n\n' + RULES, "house.rego:1: package"),
    "a reference": (PACKAGE + RULES + "y := data.charter.change.verdict\n", ":4: a reference to data.charter.change"),
    "a reference by brackets": (PACKAGE + RULES + 'y := data["charter"]["change"]\n', ":4: a reference to data.charter"),
    "a reference by variable": (PACKAGE + RULES + 'y if {\n\tsome k\n\tdata.charter[k].usage\n}\n', ":6: a reference"),
    "all of data": (PACKAGE + RULES + "y := data\n", ":4: a reference to all of data"),
    "any of data": (PACKAGE + RULES + "y if {\n\tsome k\n\tdata[k]\n}\n", ":6: a reference to all of data"),
    "another site package": (PACKAGE + RULES + "y := data.charter.site.change.other.x\n", ":4: a reference"),
    "an import": (PACKAGE + "import data.charter.aggregator\n\n" + RULES, ":3: a reference to data.charter.aggregator"),
    "an aliased import": (PACKAGE + "import data.charter as c\n\n" + RULES, ":3: a reference to data.charter"),
    "with": (PACKAGE + RULES + "y if input.x with data.charter.change as 1\n", ":4: a reference"),
    "no rules": (PACKAGE + "holds contains 1\n", "house.rego:1: a package without `rules`"),
    "rules that are computed": (PACKAGE + "rules := {input.id: 1}\n", ":3: `rules` must be literals only"),
    "rules with a condition": (PACKAGE + RULES.strip() + " if input.x\n", ":3: `rules` must be one plain definition"),
    "rules as a function": (PACKAGE + "rules(_) := {}\n", ":3: `rules` must be one plain definition"),
    "rules as a set": (PACKAGE + 'rules contains "x"\n', ":3: `rules` must be"),
    "rules in parts": (PACKAGE + 'rules["x"] := {"severity": "deny", "subjects": "input"}\n', ":3: `rules` must be"),
    "a default": (PACKAGE + "default rules := {}\n", ":3: `rules` must be"),
    "rules by else": (PACKAGE + "rules := {} if {\n\tfalse\n} else := {}\n", ":3: `rules` must be"),
    "rules twice": (PACKAGE + RULES + RULES, ":4: a second `rules`"),
    "no rule": (PACKAGE + "rules := {}\n", ":3: `rules` must be an object with an entry"),
    "no subjects": (PACKAGE + 'rules := {"x": {"severity": "deny"}}\n', ":3: `rules` 'x' must have severity and subjects"),
    "no object": (PACKAGE + 'rules := {"x": "deny"}\n', ":3: `rules` 'x' must have"),
    "a severity": (PACKAGE + 'rules := {"x": {"severity": "info", "subjects": "input"}}\n', ":3: `rules` 'x' has a sev"),
    "subjects elsewhere": (PACKAGE + 'rules := {"x": {"severity": "deny", "subjects": "data.x"}}\n', ":3: `rules` 'x' must"),
    "a clock": (PACKAGE + RULES + "y := time.now_ns()\n", "rego/site/house.rego:4: rego_type_error: undefined function"),
    "the network": (PACKAGE + RULES + 'y := http.send({"url": "x"})\n', "rego/site/house.rego:4: rego_type_error"),
    "an entrypoint": ("# METADATA\n# entrypoint: true\n" + PACKAGE + RULES, ":3: an entrypoint is refused"),
    "deep nesting": (PACKAGE + RULES + "y := " + "[" * 60 + "]" * 60 + "\n", ":4: brackets nested deeper than 50"),
    "syntax": (PACKAGE + "rules :=\n", "rego/site/house.rego:4: rego_parse_error"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_sites_file_may_not_be(opa_binary: Path, name: str) -> None:
    source, says = REFUSED[name]
    with pytest.raises(Terminal) as caught:
        load_policy({"house.rego": source.encode()}, str(opa_binary))
    assert says in str(caught.value)
    assert "/tmp" not in str(caught.value)


def test_a_package_may_span_files_with_one_table(opa_binary: Path) -> None:
    helper = PACKAGE + "limit := 3\n"
    load_policy({"house.rego": SITE.encode(), "lib/helper.rego": helper.encode()}, str(opa_binary))


def test_a_site_with_rules_says_how_to_get_the_compiler_it_needs() -> None:
    with pytest.raises(Terminal, match=r"install OPA, or set engine\.opa"):
        load_policy({"house.rego": SITE.encode()}, "/nonexistent/opa")


def test_tests_of_a_site_are_neither_loaded_nor_compiled() -> None:
    rego = {"house_test.rego": b"package charter.change\n", "readme.md": b"x"}
    assert load_policy(rego, "/nonexistent/opa").sources == builtin_sources()
    assert policy_digest({"house.rego": b"x"}) != policy_digest({})


def test_the_documented_rule_loads_and_denies(opa_binary: Path) -> None:
    text = (REGO.parent / "docs" / "gate.md").read_text()
    source = text.split("```rego\n")[1].split("```")[0]
    assert judged(CompiledEngine(), opa_binary, source).allow
    edits = {"input/head/tenants/sky/quota/training/h200/guarantee": 17}
    verdict = judged(CompiledEngine(), opa_binary, source, edits)
    assert [(item.id, item.subject, item.remedy) for item in verdict.violations if "/" in item.id] == [
        ("house/half", "sky", "share the plane")
    ]
