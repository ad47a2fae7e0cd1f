"""Which paths a principal may change, by the globs of its roles."""

from __future__ import annotations

import re
from functools import lru_cache

from renderer.model.governance import Approvers

_TOKEN = re.compile(r"\*\*+|.", re.DOTALL)


def may_change(principal: str, path: str, approvers: Approvers) -> bool:
    """True where a role of the principal covers the path by itself.

    A role whose threshold asks for several principals covers nothing here: one signature can't speak for two people.
    """
    holder = approvers.principals.get(principal)
    if holder is None:
        return False
    roles = (approvers.roles[name] for name in holder.roles if name in approvers.roles)
    return any(matches(glob, path) for role in roles if role.threshold <= 1 for glob in role.paths)


def matches(pattern: str, path: str) -> bool:
    """True where the glob covers the path: `**` stands for anything, `*` for anything but `/`, `?` for one character but
    `/`; every other character for itself.

    All readings are followed at once, so that no pattern takes longer than its length times the path's.
    """
    tokens = _tokens(pattern)
    states = _skipped(tokens, {0})
    for char in path:
        states = _skipped(tokens, {after for state in states for after in _step(tokens, state, char)})
        if not states:
            return False
    return len(tokens) in states


@lru_cache(maxsize=4096)
def _tokens(pattern: str) -> tuple[str, ...]:
    return tuple("**" if wanted.startswith("**") else wanted for wanted in _TOKEN.findall(pattern))


def _skipped(tokens: tuple[str, ...], states: set[int]) -> set[int]:
    """States and those behind wildcards that stand for nothing."""
    reached = set(states)
    for state in states:
        while state < len(tokens) and tokens[state] in ("*", "**"):
            state += 1
            reached.add(state)
    return reached


def _step(tokens: tuple[str, ...], state: int, char: str) -> tuple[int, ...]:
    if state == len(tokens):
        return ()
    wanted = tokens[state]
    if wanted in ("*", "**"):
        return (state,) if wanted == "**" or char != "/" else ()
    return (state + 1,) if wanted == char or (wanted == "?" and char != "/") else ()
