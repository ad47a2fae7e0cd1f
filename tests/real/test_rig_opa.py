"""The OPA rig: the server answers who has the token, the commands run, nothing outlives it."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engines.errors import EngineError
from tests.engines.opa import OpaRig, build_wasm, run_opa, run_tests
from tests.engines.ports import is_free
from tests.engines.scratch import Scratch, marked

pytestmark = pytest.mark.real
POLICY = "package rig\n\nanswer := input.value + 1\n"


def call(rig: OpaRig, method: str, path: str, body: bytes, token: str) -> object:
    server = http.client.HTTPConnection(rig.host, rig.port, timeout=5)
    server.request(method, path, body, {"Authorization": f"Bearer {token}", "Content-Type": "text/plain"})
    answer = server.getresponse()
    assert answer.status == 200, f"{answer.status} {answer.reason}"
    return json.loads(answer.read())


def test_server_decides_for_who_has_the_token(opa_rig: OpaRig) -> None:
    call(opa_rig, "PUT", "/v1/policies/rig", POLICY.encode(), opa_rig.token)
    assert call(opa_rig, "POST", "/v1/data/rig/answer", b'{"input": {"value": 41}}', opa_rig.token) == {
        "result": 42
    }
    call(opa_rig, "DELETE", "/v1/policies/rig", b"", opa_rig.token)


def test_server_refuses_another_token(opa_rig: OpaRig) -> None:
    with pytest.raises(AssertionError, match="401 Unauthorized"):
        call(opa_rig, "POST", "/v1/data", b"{}", "wrong")


def test_module_is_built_reproducibly(tmp_path: Path, opa_binary: Path) -> None:
    assert opa_binary.exists()
    (tmp_path / "rig.rego").write_text(POLICY)
    module = build_wasm(["rig/answer"], tmp_path / "rig.rego")
    assert module.startswith(b"\0asm")
    assert build_wasm(["rig/answer"], tmp_path / "rig.rego") == module


def test_failing_and_absent_rego_tests_are_errors(tmp_path: Path) -> None:
    (tmp_path / "rig.rego").write_text(POLICY)
    with pytest.raises(EngineError, match="no test"):
        run_tests(tmp_path)
    test = tmp_path / "rig_test.rego"
    test.write_text(
        "package rig_test\n\nimport data.rig\n\ntest_one if rig.answer == 2 with input.value as 1\n"
    )
    assert "PASS: 1/1" in run_tests(tmp_path)
    test.write_text(test.read_text().replace("== 2", "== 3"))
    with pytest.raises(EngineError, match="FAIL: 1/1"):
        run_tests(tmp_path)


def test_a_policy_that_does_not_parse_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "bad.rego").write_text("package rig\n\nanswer :=\n")
    with pytest.raises(EngineError, match="rego_parse_error"):
        run_opa("check", tmp_path)


def test_stopping_leaves_no_process_port_or_folder() -> None:
    with OpaRig() as rig:
        root, port = rig.scratch.path, rig.port
        assert len(marked(root)) == 1
    assert marked(root) == ()
    assert is_free(port)
    assert not root.exists()


def test_the_next_rig_ends_one_whose_owner_was_killed() -> None:
    script = "import time; from tests.engines.opa import OpaRig; r = OpaRig(); r.start(); print(r.scratch.path, flush=True); time.sleep(60)"
    owner = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    path = Path(owner.stdout.readline().strip())
    with Scratch("other"):
        assert len(marked(path)) == 1, "its owner lives"
    owner.kill()
    owner.communicate()
    assert len(marked(path)) == 1, "the daemon outlives its owner"
    with Scratch("other"):
        assert marked(path) == ()
        assert not path.exists()
