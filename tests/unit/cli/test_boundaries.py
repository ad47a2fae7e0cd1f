"""What a shell can do to the command: each ends with its code and one sentence, never with a traceback."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.real.adapted import git, reference_site

pytestmark = pytest.mark.slow

CHARTER = str(Path(sys.executable).with_name("charter"))
LONG = "a" * 300


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The reference site, committed."""
    return reference_site(tmp_path_factory.mktemp("cli") / "site").path


def said(code: int, *words: str, cwd: Path | None = None, **environment: str) -> str:
    """What the command says on standard error when it ends with `code`."""
    plain = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", **environment}
    done = subprocess.run([CHARTER, *words], capture_output=True, text=True, check=False, env=plain, cwd=cwd)
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode == code, done.stderr
    return done.stderr


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ((), "Missing command"),
        (("audit",), "Missing command"),
        (("bogus",), "No such command 'bogus'"),
        (("plan", "--format", "xml"), "'xml' is not one of 'text', 'json', 'markdown'"),
        (("audit", "show", "-1"), "No such option"),
        (("apply", "--confirm"), "requires an argument"),
    ],
)
def test_a_wrong_call_is_1_since_2_means_changes(words: tuple[str, ...], expected: str) -> None:
    assert expected in said(1, *words)


@pytest.mark.parametrize("place", ["/etc/passwd/sub", "/proc/x", f"/tmp/{LONG}"])
def test_a_folder_that_cannot_be(place: str, site: Path) -> None:
    assert place in said(1, "init", place)
    assert place.split("/")[-1] in said(1, "render", str(site), "--out", place)


@pytest.mark.parametrize(
    "moment", ["9999-12-31T23:59:59Z", "0001-01-01T00:00:00+14:00", "soon", "2026-12-01"]
)
def test_an_injected_moment_that_is_none(moment: str, site: Path) -> None:
    assert "$CHARTER_NOW" in said(1, "plan", str(site), CHARTER_NOW=moment)


def test_a_configuration_that_names_nobody_s_home(tmp_path: Path, site: Path) -> None:
    configuration = tmp_path / "charter.yaml"
    configuration.write_text("state_dir: ~nobody-of-this-name/state\ntargets: {files: {directory: live}}\n")
    assert "write the path out" in said(1, "apply", str(site), "--config", str(configuration))


def test_without_git(tmp_path: Path, site: Path) -> None:
    assert "git is not installed" in said(1, "plan", str(site), PATH=str(tmp_path))


def test_the_caller_s_git_variables_point_nowhere_else(tmp_path: Path, site: Path) -> None:
    other = git(site, "rev-parse", "HEAD")
    said(0, "init", str(tmp_path / "new"), GIT_DIR=str(site / ".git"), GIT_WORK_TREE=str(site))
    assert (tmp_path / "new" / ".git").is_dir()
    assert (tmp_path / "new" / "inventory" / "site.yaml").is_file()
    assert git(site, "rev-parse", "HEAD") == other


def test_head_on_a_branch_without_a_commit(tmp_path: Path) -> None:
    site = reference_site(tmp_path / "site").path
    git(site, "checkout", "-q", "--orphan", "new")
    assert "HEAD names no commit" in said(1, "apply", str(site))


@pytest.mark.parametrize("folder", [".charter", ".charter/live", ".charter/state"])
def test_a_committed_link_does_not_lead_the_embedded_target_elsewhere(tmp_path: Path, folder: str) -> None:
    site, victim = reference_site(tmp_path / "site").path, tmp_path / "victim"
    victim.mkdir()
    (site / folder).parent.mkdir(exist_ok=True)
    (site / folder).symlink_to(victim)
    git(site, "add", "-f", folder)
    git(site, "commit", "-q", "-m", "link")
    assert "is a symlink" in said(1, "apply", str(site))
    assert not list(victim.iterdir())


def test_a_remote_that_is_not_there_is_named_by_its_cause(site: Path) -> None:
    text = said(1, "reconcile", str(site), "--once", "--repo", "/nonexistent")
    assert "'/nonexistent' does not appear to be a git repository" in text


def test_a_site_is_of_the_object_format_that_can_be_read(tmp_path: Path) -> None:
    said(0, "init", str(tmp_path / "new"), GIT_DEFAULT_HASH="sha256")


@pytest.mark.parametrize("redirect", [">/dev/full", ">&-"])
def test_an_output_that_takes_nothing(redirect: str, site: Path) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f'exec "$0" plan "$1" {redirect}', CHARTER, str(site)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "error: " in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


@pytest.mark.parametrize("limit", [0, 500, 5_000, 50_000])
def test_files_that_cannot_grow_are_told_and_the_next_run_converges(tmp_path: Path, limit: int) -> None:
    site = reference_site(tmp_path / "site").path
    words = ["prlimit", f"--fsize={limit}", CHARTER, "apply", str(site)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode in (1, 5), done.stderr
    assert "error: " in done.stderr or "failed" in done.stderr
    assert "Traceback" not in done.stderr
    said(0, "apply", str(site))
    said(0, "audit", "verify", str(site))


@pytest.mark.parametrize("obstacle", ["refs/heads/audit.lock", "refs/heads/audit/foo"])
def test_what_stands_in_the_way_of_the_log_is_named(tmp_path: Path, obstacle: str) -> None:
    site = reference_site(tmp_path / "site").path
    if obstacle.endswith(".lock"):
        (site / ".git" / obstacle).touch()
    else:
        git(site, "branch", obstacle.removeprefix("refs/heads/"))
    assert "audit" in said(1, "apply", str(site))
    if obstacle.endswith(".lock"):
        (site / ".git" / obstacle).unlink()
        said(0, "apply", str(site))


def test_a_reader_that_has_enough(site: Path) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", 'exec "$0" plan "$1" --format json | head -c 10', CHARTER, str(site)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Exception ignored" not in done.stderr
    assert "Traceback" not in done.stderr


def test_no_control_character_of_a_site_reaches_the_terminal(tmp_path: Path) -> None:
    site = reference_site(tmp_path / "site").path
    qos = site / "policies" / "qos.yaml"
    qos.write_text(qos.read_text() + '"\\e[2J\\e]0;owned\\a\\u202e": 7\n')
    text = said(1, "validate", str(site))
    assert "\\u001b[2J" in text
    assert all(letter.isprintable() or letter == "\n" for letter in text)
