"""`charter explain` without an engine: the sums, and what is missing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
CHARTER = str(Path(sys.executable).with_name("charter"))


def explain(code: int, *words: str) -> str:
    done = subprocess.run(
        [CHARTER, "explain", *words], capture_output=True, text=True, check=False, cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"},
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout if code == 0 else done.stderr


def test_a_reservation_s_guard_is_summed_up() -> None:
    text = explain(0, "reservation", "foundation-run")
    assert "held from 2027-02-01T07:56:00Z, starts 2027-02-01T08:00:00Z" in text
    rows = [line.split() for line in text.splitlines()[1:]]
    assert sum(int(row[1]) for row in rows[:-2]) == int(rows[-2][1])
    assert rows[-1][:2] == ["guard", "240"]


def test_a_hypothetical_job_s_priority_is_summed_up() -> None:
    text = explain(0, "priority", "--qos", "mission", "--fairshare", "0.25", "--age", "3d12h")
    points = [int(line.split("=")[1].split()[0]) for line in text.splitlines()[:3]]
    assert points[1:] == [2500, 500]
    assert f"{sum(points)}" in text.splitlines()[3]
    assert "standard, the tier below" in text
    assert "of the lowest tier" in explain(0, "priority", "--qos", "scavenger")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("reservation", "nope"), "is no reservation of the site; there are foundation-run"),
        (("priority",), "name one of --job ID and --qos NAME"),
        (("priority", "--qos", "nope"), "is no tier of the site; there are mission"),
        (("priority", "--qos", "mission", "--age", "soon"), "is not a duration"),
        (("priority", "--qos", "mission", "--fairshare", "7"), "--fairshare"),
        (("priority", "--job", "7"), "no Slurm is configured"),
        (("preemption", "--program", "nope", "--nodes", "1"), "is no programme of the site"),
        (("preemption", "--program", "language/pretrain", "--nodes", "0"), "--nodes"),
        (("preemption", "--program", "language/pretrain", "--nodes", "1"), "no Slurm is configured"),
    ],
)
def test_what_cannot_be_explained_says_why(words: tuple[str, ...], said: str) -> None:
    assert said in explain(1, *words)
