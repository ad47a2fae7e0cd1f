"""Secrets never stand in a site: references only. What looks like a private key or a password is refused, unseen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from renderer.load.limits import MAX_FAULTS
from renderer.problem import Problem

_WORDS = (b"private key", b"passw", b"secret", b"token", b"storagepass", b"api_key")
"""None of the patterns can match where none of these stands, and looking for them costs next to nothing."""
_SECRETS = (
    (re.compile(rb"-----BEGIN [A-Z ]*PRIVATE KEY-----"), "a private key"),
    (
        re.compile(
            rb"(?im)^[ \t-]*[a-z_]*(?:password|passwd|secret|token|storagepass|api_key)[ \t]*[:=][ \t]*(?!file:|env:|\s*$)\S+"
        ),
        "what looks like a secret",
    ),
)


def secrets_in(path: str, content: bytes) -> Iterator[Problem]:
    """One problem for each place; the message doesn't repeat what it found. Rego names values `secret` and holds none."""
    lower = content.lower()
    if not any(word in lower for word in _WORDS):
        return
    for pattern, what in _SECRETS[:1] if path.startswith("rego/") else _SECRETS:
        for match in islice(pattern.finditer(content), MAX_FAULTS):
            line = content.count(b"\n", 0, match.start()) + 1
            yield Problem(
                path,
                line,
                1,
                "secret",
                f"{what} stands here",
                "remove it, replace it on its system, and refer to file: or env:",
            )
