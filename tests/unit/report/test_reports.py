"""One plan with everything in it, in three formats, against golden files; and what a hostile name may not do to a pull request."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from reconciler.gate.verdict import Verdict, Violation
from reconciler.plan.action import Action, Change, Job
from reconciler.plan.capacity import CapacityRow
from reconciler.plan.plan import Plan, Revision
from reconciler.report import json as json_report
from reconciler.report import markdown, text
from renderer.resource import Key

ROOT = Path(__file__).parents[3]
GOLDEN = ROOT / "tests" / "golden" / "report"
SCHEMA = json.loads((ROOT / "docs" / "plan.schema.json").read_text())


def _key(kind: str, name: str) -> Key:
    return Key("slurm", kind, name)


def _plan() -> Plan:
    job = Job("4711", "dora", "health-genomics", 16, "RUNNING", 3600)
    actions = (
        Action(
            "slurm",
            Change(_key("account", "weather"), "create", None, {"grp_tres": "gres/gpu=8", "qos": ""}),
            "declared",
            "none",
            True,
        ),
        Action(
            "slurm",
            Change(
                _key("config", "slurm.conf"), "update", {"content": "A=1\nB=2\n"}, {"content": "A=1\nB=3\n"}
            ),
            "declared otherwise",
            "reconfigure",
            True,
        ),
        Action(
            "slurm",
            Change(_key("account", "health"), "delete", {"parent": "aurora"}, None),
            "no longer declared",
            "none",
            False,
            "jobs",
            (job,),
        ),
    )
    drift = (
        Action(
            "slurm",
            Change(_key("qos", "mission"), "update", {"priority": "1"}, {"priority": "3000"}),
            "drifted",
            "none",
            True,
        ),
    )
    violations = (
        Violation(
            "zone",
            "weather/climate",
            "zone x is not permitted",
            "policies/tenants/weather.yaml",
            "name another",
            "deny",
            "until the move",
        ),
        Violation(
            "limit-oversubscribed", "training", "1.70 times", "policies/planes.yaml", "nothing", "warn"
        ),
    )
    capacity = (
        CapacityRow("training", "h200", "weather", 64, 72, 96, 112, 384),
        CapacityRow("training", "h200", "~all", 352, 360, 640, 656, 384),
    )
    return Plan(
        base=Revision("b" * 40, "1" * 64),
        head=Revision("c" * 40, "2" * 64),
        actions=actions,
        drift=drift,
        foreign={"slurm": (_key("qos", "normal"),)},
        remarks=("reservation r is unguarded",),
        verdict=Verdict(True, violations, "revision"),
        capacity=capacity,
        change_digest="3" * 64,
        live_digest="4" * 64,
        charter="0.1.0",
        policy_digest="5" * 64,
    )


@pytest.mark.parametrize(
    ("name", "report"), [("plan.txt", text.text), ("plan.json", json_report.text), ("plan.md", markdown.text)]
)
def test_the_report_is_the_golden_one(name: str, report: object) -> None:
    shown = report(_plan())  # type: ignore[operator]
    if os.environ.get("CHARTER_GOLDEN") == "write":
        (GOLDEN / name).write_text(shown)
    assert shown == (GOLDEN / name).read_text()


def test_the_json_report_follows_its_schema_and_an_old_one_still_does() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    plan = _plan()
    for shown in (plan, replace(plan, base=None, live_digest=None, head=Revision(None, "2" * 64))):
        jsonschema.validate(json_report.document(shown), SCHEMA)
    jsonschema.validate(json.loads((ROOT / "tests" / "data" / "plan-v1.json").read_text()), SCHEMA)
    broken = {**json_report.document(plan), "format": "charter.plan/v2"}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(broken, SCHEMA)


def test_the_exit_code_says_denied_before_changed() -> None:
    plan = _plan()
    assert plan.exit_code == 2
    assert replace(plan, actions=()).exit_code == 2
    assert replace(plan, actions=(), drift=()).exit_code == 0
    assert replace(plan, verdict=Verdict(False, (), "")).exit_code == 3


def test_summaries() -> None:
    plan = _plan()
    assert text.summary(plan) == "Plan: 1 to add, 1 to change, 1 to destroy."
    assert text.summary(replace(plan, actions=())).startswith("No changes; drift")
    assert text.summary(replace(plan, actions=(), drift=())).startswith("No changes. What is declared")


@pytest.mark.parametrize(
    "hostile",
    ["```\n# owned", "a|b", "<script>x</script>", "@everyone", "[x](http://y)", "line\nbreak", "`code`"],
)
def test_a_hostile_name_stays_inside_its_place_in_markdown(hostile: str) -> None:
    plan = _plan()
    named = replace(
        plan.actions[0],
        change=replace(plan.actions[0].change, after={"description": hostile}),
        target=hostile,
    )
    row = replace(plan.capacity[0], holder=hostile)
    violation = replace(plan.verdict.violations[0], message=hostile, waived_by=None)
    shown = markdown.text(
        replace(
            plan,
            actions=(named,),
            capacity=(row,),
            remarks=(hostile,),
            verdict=Verdict(False, (violation,), ""),
        )
    )
    table = next(line for line in shown.splitlines() if line.startswith("| training"))
    assert table.count("|") == 7
    fence = next(
        line for line in shown.splitlines() if line.endswith("diff") and line.startswith("```")
    ).removesuffix("diff")
    outside = [part for number, part in enumerate(shown.split(f"\n{fence}")) if number % 2 == 0]
    for part in outside:
        assert "<script>" not in part
        assert "](http" not in part
        assert "@everyone" not in part
        assert "\n# owned" not in part


def test_many_jobs_and_foreign_things_are_counted_not_listed() -> None:
    plan = _plan()
    jobs = tuple(Job(str(number), "u", "a", 1, "RUNNING", 1) for number in range(50))
    foreign = tuple(_key("qos", f"q{number}") for number in range(40))
    shown = text.text(
        replace(plan, actions=(replace(plan.actions[2], jobs=jobs),), foreign={"slurm": foreign})
    )
    assert "and 30 more jobs" in shown
    assert "and 30 more." in shown
