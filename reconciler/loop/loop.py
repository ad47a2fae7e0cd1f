"""Again and again: a timer says look, a file event says look now, a signal says stop.

Hints only wake the loop; what it does it decides from the commit and the live engines each time.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

from reconciler.errors import CharterError, Transient
from reconciler.loop.story import Told
from reconciler.system.configuration import Configuration

_LONGEST = 86400.0


@dataclass(slots=True)
class Backoff:
    """Seconds until the next look: the poll interval, doubled at each failure that looks like the last, at most a day."""

    poll: float
    wait: float = field(init=False)
    last: str = ""

    def __post_init__(self) -> None:
        self.wait = self.poll

    def after(self, outcome: str) -> float:
        """The wait after an outcome: "" when all is well, else what went wrong."""
        self.wait = min(self.wait * 2, _LONGEST) if outcome and outcome == self.last else self.poll
        self.last = outcome
        return self.wait


def run(
    configuration: Configuration,
    site: Path,
    once: Callable[[], Told],
    told: Callable[[Told], None],
    say: Callable[[str], None],
) -> int:
    """Reconcile until a signal asks to stop; what is under way is finished first. Returns the last exit code."""
    wake, stop = threading.Event(), threading.Event()
    backoff = Backoff(configuration.poll_seconds)
    code = 0
    with _stopped_by_signal(stop, wake), _watched(site, wake):
        while not stop.is_set():
            wake.clear()
            code, trouble = _look(once, told, say)
            wait = backoff.after(trouble)
            if wait > configuration.poll_seconds:
                say(f"the same again; next look in {wait:.0f} s, or when the branch moves")
            wake.wait(wait)
    say("stopped")
    return code


def _look(
    once: Callable[[], Told], told: Callable[[Told], None], say: Callable[[str], None]
) -> tuple[int, str]:
    try:
        result = once()
    except CharterError as error:
        say(f"{'will try again' if isinstance(error, Transient) else 'error'}: {error}")
        return error.exit_code, str(error)
    except ValueError as error:
        say(f"error: the site at the newest commit is invalid:\n{error}")
        return 1, str(error)
    told(result)
    return result.exit_code, "" if result.exit_code in (
        0,
        2,
    ) else f"{result.exit_code} {result.plan.live_digest}"


@contextmanager
def _stopped_by_signal(stop: threading.Event, wake: threading.Event) -> Iterator[None]:
    def ask(_number: int, _frame: FrameType | None) -> None:
        stop.set()
        wake.set()

    previous = {number: signal.signal(number, ask) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


@contextmanager
def _watched(site: Path, wake: threading.Event) -> Iterator[None]:
    """Watch the branches of a local repository. Where that isn't possible, the timer alone has to do."""
    folder = site / ".git"
    if not folder.is_dir():
        yield
        return
    observer = Observer()
    observer.schedule(_Hint(wake), str(folder), recursive=False)
    if (folder / "refs" / "heads").is_dir():
        observer.schedule(_Hint(wake), str(folder / "refs" / "heads"), recursive=True)
    observer.start()
    try:
        yield
    finally:
        observer.stop()
        observer.join()


class _Hint(FileSystemEventHandler):
    def __init__(self, wake: threading.Event) -> None:
        self._wake = wake

    def on_any_event(self, event: FileSystemEvent) -> None:
        path = str(event.src_path)
        if event.event_type in ("created", "modified", "moved") and not path.endswith(("/audit", ".lock")):
            self._wake.set()
