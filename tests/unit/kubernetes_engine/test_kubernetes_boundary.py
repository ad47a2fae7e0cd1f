"""What the client raises becomes an error of Charter's that says whether to retry, and never shows a token."""

from __future__ import annotations

import json
from typing import Any

import pytest
import urllib3
from kubernetes.client.exceptions import ApiException

from reconciler.errors import CharterError, ConfigurationRefused, Conflict, Terminal, Transient, Unreachable
from reconciler.targets.kubernetes.boundary import Forbidden, mapped


def refused(status: int, **body: Any) -> ApiException:
    return ApiException(status=status, reason="reason", body=json.dumps(body))


def outcome(error: Exception) -> CharterError:
    with pytest.raises(CharterError) as found, mapped("reading Namespace a"):
        raise error
    return found.value


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (0, Terminal),
        (400, ConfigurationRefused),
        (401, Terminal),
        (403, Forbidden),
        (404, Terminal),
        (409, Conflict),
        (410, Unreachable),
        (422, ConfigurationRefused),
        (429, Unreachable),
        (500, Unreachable),
        (503, Unreachable),
        (418, Terminal),
    ],
)
def test_a_status_has_a_meaning(status: int, kind: type[CharterError]) -> None:
    error = outcome(refused(status, message="the server's own words"))
    assert type(error) is kind
    assert str(error).startswith("reading Namespace a: ")


@pytest.mark.parametrize(
    "error",
    [
        urllib3.exceptions.ProtocolError("cut off"),
        ConnectionRefusedError(),
        ValueError("not JSON"),
    ],
)
def test_silence_is_transient(error: Exception) -> None:
    found = outcome(error)
    assert type(found) is Unreachable
    assert isinstance(found, Transient)


def test_a_conflict_names_field_and_manager() -> None:
    cause = {"reason": "FieldManagerConflict", "field": ".spec.hard", "message": 'conflict with "helm"'}
    message = str(outcome(refused(409, message="Apply failed", details={"causes": [cause]})))
    assert '.spec.hard (conflict with "helm")' in message


def test_a_conflict_of_versions_says_to_plan_again() -> None:
    assert "plan again" in str(outcome(refused(409, message="the object has been modified")))


def test_a_body_that_is_no_status_is_not_quoted() -> None:
    assert "<html>" not in str(
        outcome(ApiException(status=502, reason="Bad Gateway", body="<html>proxy</html>"))
    )


def test_headers_of_an_error_stay_out_of_the_message() -> None:
    error = refused(401, message="Unauthorized")
    error.headers = {"Authorization": "Bearer sesame"}
    assert "sesame" not in str(outcome(error))


def test_charter_s_own_errors_pass() -> None:
    assert type(outcome(Conflict("as it is"))) is Conflict
