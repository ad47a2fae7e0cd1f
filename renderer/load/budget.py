"""How many host names the lists of one site may expand to: twenty bytes of text can name a quarter of a million hosts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from renderer.load.limits import MAX_LIST_HOSTS
from renderer.notation.error import NotationError
from renderer.notation.hostlist import count, expand

_LEFT: ContextVar[list[int] | None] = ContextVar("_LEFT", default=None)


@contextmanager
def host_budget(hosts: int) -> Iterator[None]:
    """Within, `affordable` spends from this many names. What earlier loads expanded is forgotten."""
    expand.cache_clear()
    token = _LEFT.set([hosts])
    try:
        yield
    finally:
        _LEFT.reset(token)


def affordable(text: str) -> tuple[str, ...]:
    """The expanded host list. Raises NotationError where it is none, is too long, or the site's names are used up."""
    names = count(text)
    if names > MAX_LIST_HOSTS:
        raise NotationError(f"{text[:60]!r} names {names} hosts", f"name at most {MAX_LIST_HOSTS}")
    left = _LEFT.get()
    if left is not None:
        left[0] -= names
        if left[0] < 0:
            raise NotationError("the site's host lists name too many hosts together", "mend the ranges")
    return expand(text)
