"""A site of one's own on the file target, and the command on it, in process."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from reconciler.audit.log import AuditLog, Entry
from reconciler.cli.main import app
from reconciler.system.git import Repository
from tests.real.adapted import git, reference_site

NOW = "2026-12-01T08:00:00Z"


@dataclass
class FileSite:
    """The reference site in a repository; `charter` gives exit code and everything said."""

    path: Path

    def charter(self, verb: str, *arguments: str, expect: int | None = None) -> tuple[int, str]:
        """Run a verb on the site; `expect` asserts its exit code."""
        words = verb.split()
        result = CliRunner().invoke(app, [*words, str(self.path), *arguments])
        assert expect is None or result.exit_code == expect, (
            f"{result.exit_code}: {result.output}\n{result.exception!r}"
        )
        return result.exit_code, result.output

    def edit(self, file: str, before: str, after: str) -> str:
        """Replace a text once and commit; the commit's id."""
        self.write(file, self.read(file).replace(before, after, 1), unlike=self.read(file))
        return self.commit()

    def read(self, file: str) -> str:
        """A file of the work tree."""
        return (self.path / file).read_text()

    def write(self, file: str, text: str, unlike: str = "") -> None:
        """Write a file of the work tree."""
        assert text != unlike
        (self.path / file).write_text(text)

    def commit(self, message: str = "change") -> str:
        """Commit everything."""
        git(self.path, "add", "-A")
        git(self.path, "commit", "-q", "-m", message)
        return git(self.path, "rev-parse", "HEAD")

    def entries(self) -> tuple[Entry, ...]:
        """The audit log."""
        return AuditLog(Repository.open(self.path), self.path / ".charter" / "unused").entries()

    def kinds(self) -> list[str]:
        """Kinds of the log's entries."""
        return [entry.record.kind for entry in self.entries()]

    def live(self) -> dict[str, tuple[int, bytes]]:
        """Every file of the target: modification time in ns, content."""
        root = self.path / ".charter" / "live"
        return {
            str(path.relative_to(root)): (path.stat().st_mtime_ns, path.read_bytes())
            for path in root.rglob("*")
            if path.is_file()
        }


@pytest.fixture(scope="session")
def applied_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The reference site after its first apply, to be copied."""
    patch = pytest.MonkeyPatch()
    patch.setenv("CHARTER_NOW", NOW)
    site = FileSite(reference_site(tmp_path_factory.mktemp("template") / "site").path)
    site.charter("apply", expect=0)
    patch.undo()
    return site.path


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FileSite:
    """The reference site, never applied."""
    monkeypatch.setenv("CHARTER_NOW", NOW)
    monkeypatch.delenv("CHARTER_CONFIG", raising=False)
    return FileSite(reference_site(tmp_path / "site").path)


@pytest.fixture
def site(applied_template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FileSite:
    """The reference site, applied once."""
    monkeypatch.setenv("CHARTER_NOW", NOW)
    monkeypatch.delenv("CHARTER_CONFIG", raising=False)
    shutil.copytree(applied_template, tmp_path / "site", symlinks=True)
    return FileSite(tmp_path / "site")
