"""Getting the engines: a wrong version is refused, a failed build leaves nothing, a second setup needs nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engines import debian, golang, versions
from tests.engines.errors import EngineError
from tests.engines.ports import BLOCK, FIRST, LAST, claim_ports
from tests.engines.versions import Binary, Module, checked_version, program, read_pins

pytestmark = pytest.mark.real


def script(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_setup_again_needs_no_network_and_records_what_it_found() -> None:
    offline = dict.fromkeys(("http_proxy", "https_proxy", "GOPROXY"), "http://127.0.0.1:9")
    argv = [sys.executable, "-m", "tests.engines.setup"]
    done = subprocess.run(
        argv, env=os.environ | offline, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "kube-apiserver: Kubernetes v1.37.2" in done.stdout
    recorded = json.loads((versions.cache() / "engines.json").read_text())
    assert recorded["opa"] == "Version: 1.22.3"
    assert recorded["slurm-wlm"].startswith("22.05.8-")


def test_another_version_is_refused(tmp_path: Path) -> None:
    other = script(tmp_path / "opa", "echo Version: 1.22.4")
    with pytest.raises(EngineError, match=r"says \['Version: 1.22.4'\], but 'Version: 1.22.3' is pinned"):
        checked_version(other, ["version"], "Version: 1.22.3")


def test_a_program_that_cannot_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match=r"cannot be run .*make engines"):
        checked_version(tmp_path / "absent", [], "1")


def test_another_slurm_release_is_refused(tmp_path: Path) -> None:
    table = (versions.HERE / "versions.toml").read_text()
    (tmp_path / "versions.toml").write_text(table.replace('slurm = "22.05.8"', 'slurm = "22.05.9"'))
    with pytest.raises(EngineError, match=r"slurm-wlm 22.05.8.*'slurm-wlm 22.05.9' is pinned"):
        debian.setup_slurm(read_pins(tmp_path / "versions.toml"))


def test_an_engine_that_is_not_built_names_the_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHARTER_CACHE", str(tmp_path))
    with pytest.raises(EngineError, match=r"opa is not built .*run `make engines`"):
        program("opa")


def test_a_build_of_another_version_is_thrown_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHARTER_CACHE", str(tmp_path))
    go = script(
        tmp_path / "go",
        'while [ "$1" != -o ]; do shift; done\nprintf "#!/bin/sh\\necho 1.0" >"$2"\nchmod +x "$2"',
    )
    module = Module("opa", "opa", (), (Binary("opa", "example.test/opa", (), "2.0"),))
    with pytest.raises(EngineError, match=r"'2\.0' is pinned"):
        golang.build(go, module)
    assert list((tmp_path / "engines").iterdir()) == []


def test_a_failed_build_says_the_compilers_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHARTER_CACHE", str(tmp_path))
    go = script(tmp_path / "go", "echo missing go.sum entry >&2; exit 1")
    with pytest.raises(EngineError, match=r"exit 1\nmissing go.sum entry"):
        golang.build(go, read_pins().modules[0])
    assert list((tmp_path / "engines").iterdir()) == []


def test_the_folder_is_keyed_by_all_that_decides_the_build(monkeypatch: pytest.MonkeyPatch) -> None:
    first = read_pins().modules[0]
    flagged = Module(first.name, first.group, (*first.flags, "-race"), first.binaries)
    assert first.folder != flagged.folder
    assert first.folder == read_pins().modules[0].folder


def test_an_old_go_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHARTER_CACHE", str(tmp_path / "cache"))
    script(tmp_path / "go", "echo go version go1.25.9 linux/amd64")
    private = tmp_path / "cache" / "go-venv" / "bin"
    private.mkdir(parents=True)
    script(private / "go", "echo go version go1.26.6 linux/amd64")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert golang.find_go(read_pins()) == private / "go"


def test_ports_are_low_consecutive_and_never_given_twice() -> None:
    with claim_ports(70) as first, claim_ports(70) as second:
        assert not set(first.numbers) & set(second.numbers)
        for ports in (first, second):
            assert list(ports.numbers) == list(range(ports.numbers[0], ports.numbers[0] + 70))
            assert FIRST <= ports.numbers[0] < ports.numbers[-1] < LAST


def test_ports_are_not_given_to_another_process_and_come_back() -> None:
    ask = "from tests.engines.ports import claim_ports; print(*claim_ports(1).numbers)"

    def other() -> int:
        return int(
            subprocess.run([sys.executable, "-c", ask], capture_output=True, check=True, text=True).stdout
        )

    with claim_ports(BLOCK) as held:
        assert other() not in held.numbers
    with claim_ports(BLOCK) as again:
        assert again.numbers == held.numbers
