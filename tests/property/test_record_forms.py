"""One form for each record, in both implementations: what Python's parser takes, the awk table in verify.sh takes, and nothing else."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reconciler.audit.record import LIMIT, RecordInvalid, build, decode, encode, parse

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).parents[2] / "verify.sh"
SHA, COMMIT, TIME = "a" * 64, "b" * 40, "2026-12-01T08:00:00Z"
LOG_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + "B" * 43
HEAD: dict[str, str | list[str]] = {
    "format": "charter.record/v1",
    "origin": "audit.example/aurora",
    "seq": "12",
    "prev": SHA,
    "time": TIME,
    "clock": "system",
    "writer": "charter 0.1.0",
}
APPLIED: dict[str, str | list[str]] = {
    "site_commit": COMMIT,
    "site_digest": SHA,
    "charter": "0.1.0",
    "policy": SHA,
    "rendering": [f"kubernetes {SHA}", f"slurm {SHA}"],
}
BODIES: dict[str, dict[str, str | list[str]]] = {
    "genesis": {
        "site": "aurora",
        "trust": "rooted",
        "root_threshold": "1",
        "root_key": [LOG_KEY, "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAE"],
        "log_key": LOG_KEY,
        "approvers": SHA,
    },
    "intent": {
        **APPLIED,
        "base_commit": COMMIT,
        "base_digest": SHA,
        "verdict": SHA,
        "plan": SHA,
        "change": SHA,
        "live": SHA,
        "signed": f"{COMMIT} sigrun",
        "statement": SHA,
        "remark": ["50 % of it", " é "],
        "deadline": TIME,
    },
    "outcome": {
        **APPLIED,
        "intent": SHA,
        "status": "complete",
        "identity": SHA,
        "result": ["slurm done: 1 action", "kubernetes done"],
    },
    "drift": {"site_commit": COMMIT, "site_digest": SHA, "drift": SHA},
    "statement": {"statement": SHA, "principal": "sigrún"},
    "key": {"log_key": LOG_KEY, "last_good": "3", "reason": "lost"},
    "events": {"log": "events", "size": "0", "root": SHA},
    "recovery": {"last_good": "11", "reason": "lost"},
}
ATTACHED = {"attachment": [f"{SHA} plan.json", f"{'b' * 64} verdict.json"]}
RECORDS = [build(kind, {**HEAD, "kind": kind, **body, **ATTACHED}).content for kind, body in BODIES.items()]
TOKENS = [
    b"%",
    b"%20",
    b"%41",
    b"%C3",
    b"%c3",
    b"%7E",
    b"%7F",
    b" ",
    b"\n",
    b"\r",
    b"\t",
    b"\0",
    b"\xff",
    b"=",
    b"0",
    b"Z",
    b"record",
    b"/",
    b"+",
]


@pytest.fixture(scope="session")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The awk program that verify.sh holds."""
    found = re.search(r"form\.awk\" <<'AWK'\n(.*?)\nAWK\n", SCRIPT.read_text(), re.DOTALL)
    assert found is not None
    path = tmp_path_factory.mktemp("awk") / "form.awk"
    path.write_text(found[1])
    return path


AWKS = tuple(filter(None, map(shutil.which, ("gawk", "mawk", "awk"))))


def _shell_takes(table: Path, content: bytes) -> bool:
    """As verify.sh judges the file: size, last byte and NUL in sh, all else in awk, whichever of them is here."""
    if len(content) > LIMIT or content[-1:] != b"\n" or b"\0" in content:
        return False
    answers = {_awk(awk, table, content) for awk in AWKS}
    assert len(answers) == 1, f"{AWKS} differ"
    return answers.pop()


def _awk(awk: str, table: Path, content: bytes) -> bool:
    done = subprocess.run(
        [awk, "-f", str(table)],
        input=content,
        capture_output=True,
        check=True,
        env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"},
    )
    return not done.stdout


def _python_takes(content: bytes) -> bool:
    try:
        parse(content)
    except RecordInvalid:
        return False
    return True


def test_each_kind_is_taken_by_both(table: Path) -> None:
    for content in RECORDS:
        assert _python_takes(content)
        assert _shell_takes(table, content)


@st.composite
def _mutants(draw: st.DrawFn) -> bytes:
    """A record with a piece replaced, inserted, removed or doubled."""
    content = draw(st.sampled_from(RECORDS))
    start = draw(st.integers(0, len(content)))
    end = min(len(content), start + draw(st.sampled_from([0, 0, 1, 2, 3, 20])))
    piece = draw(st.sampled_from([b"", content[start:end] * 2, *TOKENS]) | st.binary(min_size=1, max_size=2))
    return content[:start] + piece + content[end:]


@st.composite
def _shuffled(draw: st.DrawFn) -> bytes:
    """A record with two lines swapped, or one line twice."""
    lines = draw(st.sampled_from(RECORDS)).splitlines(keepends=True)
    first, second = draw(st.integers(0, len(lines) - 1)), draw(st.integers(0, len(lines) - 1))
    if draw(st.booleans()):
        lines[first], lines[second] = lines[second], lines[first]
    else:
        lines.insert(first, lines[second])
    return b"".join(lines)


_MANY = settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@_MANY
@given(content=_mutants() | _shuffled())
def test_both_implementations_take_the_same_records(table: Path, content: bytes) -> None:
    assert _python_takes(content) == _shell_takes(table, content)


@_MANY
@given(value=st.text(alphabet="%2 0Ca\\", min_size=1, max_size=12))
def test_both_implementations_know_the_same_encoded_forms(table: Path, value: str) -> None:
    content = RECORDS[-1].replace(b"reason lost", f"reason {value}".encode())
    assert _python_takes(content) == _shell_takes(table, content)


@given(content=_mutants() | _shuffled())
def test_what_is_taken_is_written_again_the_same(content: bytes) -> None:
    try:
        record = parse(content)
    except RecordInvalid:
        return
    values = {key: list(record.all(key)) for key, _ in record.lines}
    assert build(record.kind, values).content == content


@given(text=st.text(alphabet=st.characters(exclude_categories=["Cs"]), min_size=1))
def test_any_text_comes_back_and_stands_in_a_line(text: str) -> None:
    value = encode(text)
    assert decode(value) == text
    assert re.fullmatch(r"[!-~]([ -~]*[!-~])?", value)


def test_half_a_surrogate_pair_is_no_text() -> None:
    with pytest.raises(RecordInvalid, match="no text"):
        encode("a\ud800")
    assert encode(b"caf\xe9".decode("utf-8", "surrogateescape")) == "caf%E9"
