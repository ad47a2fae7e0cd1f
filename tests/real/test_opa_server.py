"""The table of cases through a real OPA server: the same verdicts, word for word, as the compiled module's."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest
from opa_client.opa import OpaClient

from reconciler.errors import Terminal, Unreachable
from reconciler.gate.compiled import CompiledEngine
from reconciler.gate.engine import ADMISSION, CHANGE
from reconciler.gate.policy import load_policy
from reconciler.gate.server import ServerEngine
from tests.engines.opa import OpaRig
from tests.unit.gate.cases import CASES, Case
from tests.unit.gate.check import agrees, judge, verdict_of
from tests.unit.gate.question import change

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def rig() -> Iterator[OpaRig]:
    with OpaRig() as server:
        yield server


@pytest.fixture
def engine(rig: OpaRig) -> ServerEngine:
    return ServerEngine(rig.url, rig.token)


@pytest.fixture
def client(rig: OpaRig) -> OpaClient:
    return OpaClient(host=rig.host, port=rig.port, token=rig.token)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_server_and_module_agree(engine: ServerEngine, case: Case) -> None:
    verdict = verdict_of(engine, case)
    agrees(verdict, case)
    assert verdict == verdict_of(CompiledEngine(), case)


@pytest.mark.parametrize(
    "request_", [{"kind": "job", "name": "7", "program": "sky/now"}, {"kind": "pod"}, None]
)
def test_both_judge_admission_alike(engine: ServerEngine, request_: object) -> None:
    question = change()
    asked = {"format": "charter.admission/v1", "now": 1, "request": request_}
    compiled = CompiledEngine()
    for one in (engine, compiled):
        one.load(load_policy({}), question["data"], "r")
    assert engine.decide(ADMISSION, asked) == compiled.decide(ADMISSION, asked)


def test_another_writers_revision_is_a_denial(rig: OpaRig, engine: ServerEngine) -> None:
    assert judge(engine, change(), "mine").allow
    judge(ServerEngine(rig.url, rig.token), change(), "another's")
    verdict = engine.decide(CHANGE, change()["input"])
    assert not verdict.allow
    assert verdict.violations[0].message == "the OPA server judged by another revision"


def test_a_module_of_an_earlier_policy_is_removed(engine: ServerEngine, client: OpaClient) -> None:
    client.update_policy_from_string("package charter.site.change.old\n\nx := 1\n", "charter/site/old.rego")
    assert judge(engine, change()).allow
    assert "charter/site/old.rego" not in client.get_policies_list()


def test_somebody_elses_module_in_charters_packages_is_refused(
    engine: ServerEngine, client: OpaClient
) -> None:
    judge(engine, change())
    client.update_policy_from_string(
        "package charter.change.tenancy\n\nholds contains x if some x in input.everything\n", "helpful"
    )
    try:
        with pytest.raises(Terminal, match="somebody else's in Charter's packages"):
            judge(engine, change())
    finally:
        client.delete_policy("helpful")


def test_without_its_data_the_server_denies(engine: ServerEngine, client: OpaClient) -> None:
    judge(engine, change())
    client.delete_data("site")
    verdict = engine.decide(CHANGE, change()["input"])
    assert not verdict.allow
    assert verdict.violations[0].id == "engine"


def test_a_wrong_token_can_load_nothing_and_allows_nothing(rig: OpaRig) -> None:
    engine = ServerEngine(rig.url, "wrong")
    with pytest.raises(Terminal, match="unauthorized"):
        judge(engine, change())
    assert not engine.decide(CHANGE, change()["input"]).allow


def test_a_server_that_is_away_allows_nothing() -> None:
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        engine = ServerEngine(f"http://127.0.0.1:{deaf.getsockname()[1]}", timeout=2)
        with pytest.raises(Unreachable):
            judge(engine, change())
        assert not engine.decide(CHANGE, change()["input"]).allow
