"""What both engines promise, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from reconciler.gate.policy import Policy
from reconciler.gate.verdict import Verdict

CHANGE = "charter.change.verdict"
ADMISSION = "charter.admission.verdict"


class Engine(Protocol):
    """Holds one policy and one data document at a revision, and judges inputs by them."""

    def load(self, policy: Policy, data: Mapping[str, Any], revision: str) -> None:
        """Put a policy and its data (`site`, `charter.usage`) in force. Raises Terminal (refused) or Unreachable."""

    def decide(self, entry: str, asked: Mapping[str, Any]) -> Verdict:
        """Judge an input at an entry point. Never raises: an engine that fails denies, by rule `engine`."""


def document(data: Mapping[str, Any], revision: str) -> dict[str, Any]:
    """The data document with its revision in it, so that a verdict tells what it was judged by."""
    return {**data, "charter": {**data.get("charter", {}), "revision": revision}}
