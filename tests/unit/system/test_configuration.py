"""The run-time configuration: read from where it is said, every fault named with its file, paths from the file's folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from reconciler.errors import UsageError
from reconciler.system.configuration import FilesTarget, KubernetesTarget, load, with_repository

WHOLE = """\
targets:
  files: {directory: live}
  slurm: {conf_dir: /etc/slurm, restart_slurmctld: [systemctl, restart, slurmctld], timeout_seconds: 7}
  kubernetes: {kubeconfig: kube}
engine: {kind: server, url: http://127.0.0.1:8181, token_file: token}
repository: /srv/site.git
audit_remote: /srv/audit.git
audit_key: key
trust: trust
state_dir: state
poll_seconds: 5
deadline_seconds: 60
"""


def _written(tmp_path: Path, text: str) -> str:
    path = tmp_path / "charter.yaml"
    path.write_text(text)
    return str(path)


def test_without_any_the_file_target_lies_in_the_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CHARTER_CONFIG", raising=False)
    monkeypatch.setattr("reconciler.system.configuration.DEFAULT", tmp_path / "absent")
    found = load(None, str(tmp_path))
    assert found.files == FilesTarget(tmp_path / ".charter" / "live")
    assert found.state_dir == tmp_path / ".charter" / "state"
    assert found.only_files
    assert (found.slurm, found.kubernetes, found.engine.kind) == (None, None, "compiled")


def test_everything_is_read_and_paths_count_from_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _written(tmp_path, WHOLE)
    monkeypatch.setenv("CHARTER_CONFIG", path)
    for found in (load(None, "."), load(path, "elsewhere")):
        assert found.files == FilesTarget(tmp_path / "live")
        assert found.kubernetes == KubernetesTarget(tmp_path / "kube")
        assert found.slurm is not None
        assert (str(found.slurm.conf_dir), found.slurm.timeout_seconds) == ("/etc/slurm", 7)
        assert found.slurm.restart_slurmctld == ("systemctl", "restart", "slurmctld")
        assert found.slurm.restart_slurmd == ()
        assert (found.audit_key, found.trust, found.state_dir) == (
            tmp_path / "key",
            tmp_path / "trust",
            tmp_path / "state",
        )
        assert (found.engine.url, found.engine.token_file) == ("http://127.0.0.1:8181", tmp_path / "token")
        assert (found.repository, found.audit_remote, found.branch) == (
            "/srv/site.git",
            "/srv/audit.git",
            "main",
        )
        assert (found.poll_seconds, found.deadline_seconds, found.only_files) == (5, 60, False)
    assert with_repository(load(path, "."), "other").repository == "other"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("targets: {files: {directory: x}}\nbogus: 1\n", "bogus: unknown field"),
        ("targets: {slurm: {}}\n", "conf_dir: required field"),
        ("targets: {files: {directory: x}}\npoll_seconds: 0\n", "poll_seconds: min value"),
        ("state_dir: x\n", "no target is configured"),
        ("targets: {files: {directory: x}}\nengine: {kind: server}\n", "engine.url is missing"),
        ("a: [", "not valid YAML"),
        ("- a\n", "must be a mapping"),
        ("", "must be a mapping"),
        ("targets: {slurm: {conf_dir: /x, restart_slurmctld: rm -rf}}\n", "must be of list type"),
    ],
)
def test_a_fault_is_one_line_that_names_the_file_or_key(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UsageError) as found:
        load(_written(tmp_path, text), ".")
    assert said in str(found.value)
    assert "\n" not in str(found.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="check --config"):
        load(str(tmp_path / "absent.yaml"), ".")
