"""One plan with everything in it, in three formats, against golden files; and what a hostile name may not do to a pull request."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
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
from reconciler.report.values import differing
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


HOSTILE = [
    "```\n# owned",
    "````\n</details>\n# owned",
    "a|b",
    "<script>x</script>",
    "@everyone",
    "#12",
    "[x](http://y)",
    "line\nbreak",
    "`code`",
    "` @everyone `",
    "&lt;b&gt;",
    "\r\n- [ ] owned",
    "\x1b[2J\x1b[1;32mPolicy: allowed.",
    "\u202egnihton",
    "\u2028# owned",
]


def _named(hostile: str) -> Plan:
    """The plan with `hostile` wherever a site, an engine or a rule may put a text."""
    plan = _plan()
    changed = Action(
        hostile,
        Change(_key("account", hostile), "update", {"description": "x"}, {"description": hostile}),
        hostile,
        "none",
        True,
        "jobs",
        (Job(hostile, hostile, hostile, 1, hostile, 1),),
    )
    violation = Violation(hostile, hostile, hostile, hostile, hostile, "deny", hostile)
    return replace(
        plan,
        actions=(changed,),
        drift=(changed,),
        foreign={hostile: (_key("qos", hostile),)},
        capacity=(replace(plan.capacity[0], holder=hostile, model=hostile),),
        remarks=(hostile,),
        verdict=Verdict(False, (violation,), ""),
    )


def _prose(shown: str) -> str:
    """What stands outside of code: fenced blocks and code spans as CommonMark closes them."""
    unfenced = re.sub(r"(?ms)^(`{3,})diff$.*?^\1$", "", shown)
    assert not re.search("(?m)^```", unfenced)
    return re.sub(r"(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)", "", unfenced)


@pytest.mark.parametrize("hostile", HOSTILE)
def test_a_hostile_text_stays_inside_its_place_in_markdown(hostile: str) -> None:
    shown = markdown.text(_named(hostile))
    table = next(line for line in shown.splitlines() if line.startswith("| training"))
    assert table.count("|") == 7
    prose, plain = _prose(shown), _prose(markdown.text(_named("plain")))
    assert len(prose.splitlines()) == len(plain.splitlines())
    for mark in (
        r"<",
        r"\*",
        r"_",
        r"\[",
        r"\]",
        r"`",
        r"(?<!&)#(?!&#8203;)",
        r"@(?!&#8203;)",
        r"&(?!#\d+;)",
    ):
        assert len(re.findall(mark, prose)) == len(re.findall(mark, plain)), mark


@pytest.mark.parametrize("hostile", HOSTILE)
@pytest.mark.parametrize("report", [text.text, markdown.text])
def test_a_hostile_text_neither_adds_lines_nor_moves_the_cursor(
    hostile: str, report: Callable[[Plan], str]
) -> None:
    shown, plain = report(_named(hostile)), report(_named("plain"))
    assert all(letter.isprintable() or letter == "\n" for letter in shown)
    assert shown.count("\n") <= plain.count("\n") + 8 * hostile.count("\n")
    assert not [
        line for line in shown.splitlines() if line in ("Policy: allowed.", "# owned", "</details># owned")
    ]


def test_the_json_report_reads_back_as_what_it_was_made_of() -> None:
    for hostile in HOSTILE:
        plan = _named(hostile)
        assert json.loads(json_report.text(plan)) == json.loads(json.dumps(json_report.document(plan)))
        assert json.loads(json_report.text(plan))["actions"][0]["name"] == hostile


def test_a_long_difference_is_cut_in_a_comment_and_says_so() -> None:
    plan = _plan()
    content = "".join(f"N={number}\n" for number in range(500))
    long = replace(plan.actions[1], change=replace(plan.actions[1].change, after={"content": content}))
    shown = markdown.text(replace(plan, actions=(long,)))
    assert "… 303 more lines: charter plan --format text" in shown
    assert "N=196" in shown
    assert "N=197" not in shown


def test_the_next_step_is_one_that_can_be_taken() -> None:
    plan = _plan()
    assert "charter apply --confirm jobs`" in markdown.text(plan)
    assert "or run `charter apply`" in markdown.text(replace(plan, actions=plan.actions[:1]))
    refused = markdown.text(replace(plan, verdict=Verdict(False, (), "")))
    assert "Next: mend what policy denies" in refused
    assert "charter apply" not in refused


def test_an_empty_plan_shows_no_empty_sections() -> None:
    plan = replace(_plan(), actions=(), drift=(), remarks=(), foreign={"slurm": ()})
    assert "<details>" not in markdown.text(plan)
    for absent in ("Drift", "Not Charter's", "Note"):
        assert absent not in text.text(plan)


def test_either_side_may_be_no_commit() -> None:
    plan = _plan()
    first = replace(plan, base=None, head=Revision(None, "2" * 64))
    assert "compares working tree (uncommitted) with nothing (first apply)." in text.text(first)
    loose = replace(plan, base=Revision(None, "1" * 64))
    assert "with an uncommitted tree." in text.text(loose)


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        ({"a": "1"}, {"a": "1"}, []),
        ({}, {"a": {"b": [1, "x"]}}, ['+ a.b = [1, "x"]']),
        ({"a": {"b": 1}}, {"a": {}}, ["- a.b = 1"]),
        ({"a": ""}, {"a": "x"}, ["+ a = x"]),
        ({"a": "x"}, {"a": ""}, ["- a = x"]),
        ({"b": 1, "a": 1}, {"b": 2, "a": 2}, ["~ a = 1 -> 2", "~ b = 1 -> 2"]),
        ({"a": "x\ny\n"}, {"a": "x\nz\n"}, ["- y", "+ z"]),
        ({"a": True}, {"a": "true"}, []),
        ({}, {"a": "x\ny"}, ["+ x", "+ y"]),
    ],
)
def test_fields_are_compared_one_by_one_and_files_line_by_line(
    before: dict[str, object], after: dict[str, object], lines: list[str]
) -> None:
    assert list(differing(Change(_key("account", "a"), "update", before, after))) == lines


def test_many_jobs_and_foreign_things_are_counted_not_listed() -> None:
    plan = _plan()
    jobs = tuple(Job(str(number), "u", "a", 1, "RUNNING", 1) for number in range(50))
    foreign = tuple(_key("qos", f"q{number}") for number in range(40))
    shown = text.text(
        replace(plan, actions=(replace(plan.actions[2], jobs=jobs),), foreign={"slurm": foreign})
    )
    assert "and 30 more jobs" in shown
    assert "and 30 more." in shown
