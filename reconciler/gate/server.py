"""An OPA server as the engine, through opa-python-client. Its answer counts only for the revision that was put there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlsplit

import requests
from opa_client.errors import ConnectionsError, DeletePolicyError, PolicyNotFoundError, RegoParseError
from opa_client.opa import OpaClient

from reconciler.errors import Terminal, Unreachable, UsageError
from reconciler.gate.engine import document
from reconciler.gate.policy import Policy
from reconciler.gate.verdict import Verdict, denied

_PREFIX = "charter/"
_LOADING = "being loaded"
_CLIENT = (ConnectionsError, DeletePolicyError, PolicyNotFoundError, RegoParseError)
_FAILURES = (requests.RequestException, *_CLIENT, ValueError, KeyError, TypeError, AttributeError)


class ServerEngine:
    """The server at `url`; `token` is a bearer token."""

    def __init__(self, url: str, token: str | None = None, timeout: float = 10.0) -> None:
        address = urlsplit(url)
        if address.scheme not in ("http", "https") or not address.hostname:
            raise UsageError(f"engine.url {url!r} is not an address such as http://127.0.0.1:8181")
        tls = address.scheme == "https"
        port = address.port or (443 if tls else 80)
        self._url = url
        self._client = OpaClient(host=address.hostname, port=port, ssl=tls, token=token, timeout=timeout)
        self._revision = ""

    def load(self, policy: Policy, data: Mapping[str, Any], revision: str) -> None:
        """Put sources and data there, the revision last, so that a decision in between is of no revision. Raises Terminal, Unreachable."""
        self._revision = revision
        try:
            content = document(data, revision)
            self._client.update_or_create_data({"revision": _LOADING}, "charter")
            self._remove_others(policy)
            for path in sorted(policy.sources, key=_dependencies_first):
                self._client.update_policy_from_string(
                    policy.sources[path].decode(), quote(f"{_PREFIX}{path}"), rego_compat=False
                )
            self._client.update_or_create_data(content["site"], "site")
            self._client.update_or_create_data(content["charter"], "charter")
        except requests.RequestException as error:
            raise Unreachable(
                f"the OPA server at {self._url} gives no answer ({type(error).__name__}); is it up?"
            ) from None
        except _FAILURES as error:
            raise Terminal(
                f"the OPA server at {self._url} refused policy or data ({error}); see its log"
            ) from None

    def decide(self, entry: str, asked: Mapping[str, Any]) -> Verdict:
        """Judge an input; every failure is a denial."""
        package, _, rule = entry.rpartition(".")
        try:
            answer = self._client.query_rule(input_data=dict(asked), package_path=package, rule_name=rule)
            verdict = Verdict.from_json(answer["result"])
        except _FAILURES as error:
            return denied(
                f"the OPA server gave no verdict ({type(error).__name__})",
                "see its log, and whether it is up",
                self._revision,
            )
        if verdict.revision != self._revision:
            return denied(
                "the OPA server judged by another revision",
                "let one reconciler alone write to it",
                self._revision,
            )
        return verdict

    def _remove_others(self, policy: Policy) -> None:
        """A module of somebody else's in one of Charter's packages could add to what holds: it is refused, not removed."""
        for name, module in self._client.get_policies_info().items():
            ours = name.startswith(_PREFIX)
            if not ours and _reaches_charter(str(module["path"]).removeprefix(f"{self._client.root_url}/")):
                raise Terminal(
                    f"the OPA server at {self._url} holds a policy of somebody else's in Charter's packages ({name}); remove it"
                )
            if ours and name.removeprefix(_PREFIX) not in policy.sources:
                self._client.delete_policy(quote(name))


def _reaches_charter(package: str) -> bool:
    return package.split("/")[1:2] in ([], ["charter"], ["site"])


def _dependencies_first(path: str) -> tuple[bool, bool, str]:
    """The server compiles at each module it is given: what the others call comes first, the entry points last."""
    return (not path.startswith("lib/"), "/" not in path, path)
