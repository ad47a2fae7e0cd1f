"""Each request: bounded in time, tied to what was read, page by page; and the mark over them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from kubernetes.client.exceptions import ApiException

from reconciler.errors import Stale, Terminal
from reconciler.targets.contract import Mark
from reconciler.targets.kubernetes import mark
from reconciler.targets.kubernetes.cluster import Cluster
from reconciler.targets.kubernetes.kinds import NAMESPACE, RESOURCE_QUOTA
from reconciler.targets.kubernetes.waiting import until


class Answer:
    def __init__(self, document: Any) -> None:
        self.data = json.dumps(document).encode()


class Server:
    """Answers each request with the next of `answers` (a status where it is a number) and keeps what was asked."""

    def __init__(self, *answers: Any) -> None:
        self._answers = list(answers)
        self.asked: list[tuple[str, dict[str, Any]]] = []

    def __getattr__(self, verb: str) -> Any:
        def call(_resource: object, **arguments: Any) -> Answer:
            self.asked.append((verb, arguments))
            answer = self._answers.pop(0)
            if isinstance(answer, int):
                raise ApiException(status=answer, reason="no")
            return Answer(answer)

        return call

    def cluster(self, seconds: float = 10) -> Cluster:
        return Cluster(lambda: self, seconds)  # type: ignore[arg-type,return-value]


class Fence:
    """Ten seconds go by with each look."""

    def __init__(self, seconds: float) -> None:
        self._left = seconds

    def check(self) -> None:
        assert self._left > 0

    def remaining(self) -> float:
        self._left -= 10
        return self._left


def live(data: dict[str, str] | None = None) -> dict[str, Any]:
    return {"metadata": {"name": "charter", "uid": "u", "resourceVersion": "7"}, "data": data or {}}


def stored(sequence: int, identity: str | None = None) -> dict[str, Any]:
    data = {"format": "charter.mark/v1", "sequence": str(sequence)}
    return live(data | ({"identity": identity} if identity else {}))


def test_a_request_waits_no_longer_than_the_settings_or_the_fence_allow() -> None:
    server = Server(live(), live(), live())
    server.cluster(10).get(NAMESPACE, "a")
    server.cluster(10).within(lambda: 4).get(NAMESPACE, "a")
    server.cluster(10).within(lambda: -3).get(NAMESPACE, "a")
    assert [arguments["_request_timeout"] for _, arguments in server.asked] == [10, 4, 1]


def test_lists_are_read_to_their_end() -> None:
    pages: tuple[list[dict[str, int]], ...] = [{}], [{"a": 1}, {"b": 2}]
    server = Server({"metadata": {"continue": "t"}, "items": pages[0]}, {"metadata": {}, "items": pages[1]})
    assert list(server.cluster().list(RESOURCE_QUOTA)) == [*pages[0], *pages[1]]
    assert [arguments["_continue"] for _, arguments in server.asked] == [None, "t"]


def test_an_apply_is_never_forced() -> None:
    server = Server(live())
    server.cluster().apply(NAMESPACE, {"metadata": {"name": "a"}})
    ((verb, arguments),) = server.asked
    assert (verb, arguments["field_manager"], "force_conflicts" in arguments) == (
        "server_side_apply",
        "charter",
        False,
    )


def test_a_removal_is_of_the_object_that_was_read_and_a_rehearsed_one_says_so_in_its_body() -> None:
    server = Server({}, {}, 404)
    cluster = server.cluster()
    cluster.delete(NAMESPACE, live())
    cluster.delete(NAMESPACE, live(), dry_run=True)
    cluster.delete(NAMESPACE, live())
    bodies = [arguments["body"] for _, arguments in server.asked]
    assert bodies[0]["preconditions"] == {"uid": "u", "resourceVersion": "7"}
    assert [body.get("dryRun") for body in bodies] == [None, ["All"], None]


def test_a_cluster_that_was_never_written_has_no_mark() -> None:
    assert mark.read(Server(404).cluster()) == Mark(0, None)


def test_the_mark_is_read_back() -> None:
    assert mark.read(Server(stored(7, "x")).cluster()) == Mark(7, "x")


def test_a_mark_that_stands_already_is_not_written_again() -> None:
    server = Server(stored(7, "x"))
    mark.stamp(server.cluster(), Mark(7, "x"))
    assert [verb for verb, _ in server.asked] == ["get"]


def test_a_new_mark_replaces_the_version_that_was_read() -> None:
    server = Server(stored(7, "x"), {})
    mark.stamp(server.cluster(), Mark(8, None))
    verb, arguments = server.asked[-1]
    assert (verb, arguments["body"]["metadata"]["resourceVersion"]) == ("replace", "7")
    assert arguments["body"]["data"] == {"format": "charter.mark/v1", "sequence": "8"}


def test_of_two_writers_one_is_refused() -> None:
    with pytest.raises(Stale, match="another writer"):
        mark.stamp(Server(stored(7), 409).cluster(), Mark(8, None))


def test_of_two_first_writers_one_is_refused() -> None:
    with pytest.raises(Stale, match="another writer"):
        mark.stamp(Server(404, 404, {}, 409).cluster(), Mark(1, None))


@pytest.mark.parametrize(
    "data", [{}, {"format": "charter.mark/v1", "sequence": "-1"}, {"format": "other", "sequence": "1"}]
)
def test_what_is_no_mark_is_refused_rather_than_overwritten(data: dict[str, str]) -> None:
    server = Server(live(data))
    with pytest.raises(Terminal, match="charter-system/charter"):
        mark.stamp(server.cluster(), Mark(9, None))
    assert len(server.asked) == 1


def test_waiting_ends_when_it_is_so() -> None:
    answers = iter([False, False, True])
    assert until(lambda: next(answers), Fence(1000), lambda _: None)


def test_waiting_leaves_half_of_the_fence_to_what_comes_after() -> None:
    fence, pauses = Fence(100), list[float]()
    assert not until(lambda: False, fence, pauses.append)
    assert fence.remaining() > 30
    assert pauses
