"""The directory as a target under the common contract. It has no jobs, no daemons and no other owners."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

import yaml

from reconciler.errors import Stale, Terminal
from reconciler.plan.action import Action, Change, Job, RestartClass
from reconciler.system.files import TEMPORARY, atomic_write, read_regular
from reconciler.targets.contract import Applied, Fence, Mark, Observation
from reconciler.targets.files.layout import MARK, content, parse, path_of
from renderer.model.site import Site
from renderer.resource import Engine, Key, Resource

_LIMIT = 1 << 30


class FileTarget:
    """Both engines' resources as files below one directory."""

    name = "files"
    engines: tuple[Engine, ...] = ("slurm", "kubernetes")

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def identify(self, site: Site) -> None:
        """A directory has no identity of its own; the mark guards it."""

    def observe(self, site: Site, desired: Sequence[Resource], owned: frozenset[Key]) -> Observation:
        """Read every file; raise Terminal naming one that isn't Charter's."""
        return Observation({item.key: item for item in self._read()}, (), self._mark())

    def restart_class(self, change: Change, site: Site) -> RestartClass:
        """Files take effect by being there."""
        return "none"

    def jobs(self, changes: Sequence[Change]) -> Mapping[Key, tuple[Job, ...]]:
        """Nothing runs in a directory."""
        return {}

    def check(self, site: Site, actions: Sequence[Action], desired: Sequence[Resource]) -> None:
        """Raise Terminal when the directory can't be written."""
        existing = next(path for path in (self._directory, *self._directory.parents) if path.exists())
        if not existing.is_dir():
            raise Terminal(f"{existing}: is not a directory; name another in targets.files.directory")

    def apply(
        self,
        site: Site,
        phase: str,
        actions: Sequence[Action],
        desired: Sequence[Resource],
        confirmed: frozenset[str],
        fence: Fence,
    ) -> tuple[Applied, ...]:
        """Write or remove the files of the actions, neighbours in one file together."""
        files: dict[str, dict[Key, Resource]] = defaultdict(dict)
        for item in self._read():
            files[path_of(item.key)][item.key] = item
        for path, group in groupby(actions, key=lambda action: path_of(action.change.key)):
            fence.check()
            _advance(files[path], group)
            self._write(path, files[path])
        return tuple(Applied(action) for action in actions)

    def stamp(self, mark: Mark) -> None:
        """Write the mark; raise Stale when a later writer was here."""
        if self._mark().sequence > mark.sequence:
            raise Stale(
                f"{self._directory}: was last written under sequence {self._mark().sequence}, this is {mark.sequence}; "
                "another reconciler with a longer audit log is at work"
            )
        held = {"format": "charter.mark/v1", "identity": mark.identity, "sequence": mark.sequence}
        atomic_write(self._directory / MARK, (json.dumps(held, sort_keys=True) + "\n").encode())

    def _write(self, path: str, held: Mapping[Key, Resource]) -> None:
        if held:
            atomic_write(self._directory / path, content(held.values()))
        else:
            (self._directory / path).unlink(missing_ok=True)

    def _read(self) -> Iterator[Resource]:
        for path in sorted(self._directory.rglob("*")):
            relative = path.relative_to(self._directory).as_posix()
            if relative == MARK or path.is_dir() or path.name.startswith(TEMPORARY):
                continue
            content = read_regular(path, _LIMIT)
            try:
                yield from parse(relative, content)
            except (ValueError, RecursionError, yaml.YAMLError) as error:
                raise Terminal(f"{path}: {error}; move it out of the target directory") from None

    def _mark(self) -> Mark:
        path = self._directory / MARK
        if not path.exists():
            return Mark(0, None)
        content = read_regular(path, _LIMIT)
        try:
            held = json.loads(content)
            return Mark(_sequence(held["sequence"]), str(held["identity"]))
        except (ValueError, RecursionError, KeyError, TypeError) as error:
            raise Terminal(f"{path}: is not a mark ({error}); restore it from the previous state") from None


def _sequence(value: object) -> int:
    if type(value) is not int or value < 0:
        raise ValueError("its sequence is no whole number")
    return value


def _advance(state: dict[Key, Resource], actions: Iterable[Action]) -> None:
    for change in (action.change for action in actions):
        state.pop(change.key, None)
        if change.after is not None:
            state[change.key] = Resource(change.key, change.after)
