"""What a whole site is loaded to, and what is said about what was not read."""

from __future__ import annotations

import hashlib
from pathlib import Path

from renderer.load import Refused, load, site_digest
from tests.sites import files_of, valid

ROOT = Path(__file__).parents[3]


def _reference() -> dict[str, bytes]:
    return {
        f"{folder}/{path}": data
        for folder in ("inventory", "policies")
        for path, data in files_of(ROOT / folder).items()
    }


def test_the_reference_site_is_valid() -> None:
    loaded = load(_reference())
    assert loaded.problems == ()
    assert loaded.site is not None
    assert len(loaded.site.nodes.by_name) == 64
    assert [program.account for program in loaded.site.programs()][:2] == [
        "health-genomics",
        "health-screening",
    ]


def test_a_site_is_the_same_whatever_the_order_of_its_files() -> None:
    files = _reference()
    backwards = dict(reversed(files.items()))
    assert load(files) == load(backwards)
    assert list(load(files).site.tenants) == list(load(backwards).site.tenants)  # type: ignore[union-attr]


def test_the_digest_is_sha256sums_own() -> None:
    lines = sorted(f"{hashlib.sha256(data).hexdigest()}  {path}\n" for path, data in valid().items())
    assert site_digest(valid()) == hashlib.sha256("".join(lines).encode()).hexdigest()
    assert load(valid()).site.digest == site_digest(valid())  # type: ignore[union-attr]
    assert site_digest(valid() | {"policies/waivers.yaml": b"waivers:  []\n"}) != site_digest(valid())


def test_a_refused_file_is_a_problem_and_hides_nothing_else() -> None:
    reason = "a symbolic link; commit the file itself"
    files: dict[str, bytes | Refused] = {
        **valid(),
        "policies/tenants/health.yaml": Refused(reason),
        "policies/planes.yaml": b"training: {hosts: x1}\n",
    }
    loaded = load(files)
    assert loaded.site is None
    found = [(problem.path, problem.rule) for problem in loaded.problems if problem.severity == "error"]
    assert found == [
        ("policies/planes.yaml", "host-unknown"),
        ("policies/tenants/health.yaml", "file-refused"),
    ]
    assert any(reason in problem.what for problem in loaded.problems)


def test_too_many_warnings_never_hide_an_error() -> None:
    many = "".join(f"  r{number}: {{paths: ['inventory/**']}}\n" for number in range(400))
    approvers = f"require: none\nprincipals: {{}}\nroles:\n{many}  z: {{paths: ['docs/**']}}\n"
    loaded = load(valid() | {"policies/approvers.yaml": approvers.encode()})
    assert loaded.site is None
    assert [problem.rule for problem in loaded.problems if problem.severity == "error"] == ["site-path"]
    assert len(loaded.problems) <= 200


def test_a_programme_inherits_its_tenants_zones() -> None:
    site = load(valid()).site
    assert site is not None
    assert site.tenants["health"].programs["screening"].zones == ("north",)


def test_a_secret_is_never_repeated() -> None:
    files = valid() | {"inventory/slurm.d/slurm.conf": b"AccountingStoragePass=hunter2\n"}
    assert "hunter2" not in "".join(map(str, load(files).problems))


def test_rego_may_name_a_value_secret() -> None:
    assert (
        load(
            valid() | {"rego/site/own.rego": b"package charter.site.change.own\nsecret := input.x\n"}
        ).problems
        == ()
    )


def test_lines_count_what_editors_count() -> None:
    text = valid()["policies/planes.yaml"].decode().replace("hosts: n7", "hosts: é7")
    (problem, *_) = load(
        valid() | {"policies/planes.yaml": "# Ebene für Ýmir\n".encode() + text.encode()}
    ).problems
    assert (problem.line, problem.column) == (3, 20)
