"""The configuration folder as generations: a new one is complete before a symlink is switched to it, the old one stays.

`conf_dir` is a symlink into the folder that holds the generations; files that aren't Charter's (slurmdbd.conf, keys) are
carried along. Beside the generations lies `charter.json`: the mark, and which restarts still wait for somebody.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reconciler.errors import Stale, Terminal
from reconciler.plan.action import RestartClass
from reconciler.system.documents import json_mapping
from reconciler.system.files import atomic_write, read_regular, switch_link
from reconciler.targets.contract import Mark

_SIDECAR = "charter.json"
_FORMAT = "charter.generation/v1"
_LIMIT = 64 << 20
_KEPT = 10


@dataclass(frozen=True, slots=True)
class Generations:
    """The generations that `link` points into."""

    link: Path

    @property
    def current(self) -> Path:
        """The folder in force."""
        return self.link.resolve()

    @property
    def root(self) -> Path:
        """The folder that holds them."""
        return self.current.parent

    def require_link(self) -> None:
        """Raise Terminal unless conf_dir is a symlink to a folder."""
        if not self.link.is_symlink() or not self.link.is_dir():
            folder = self.link.parent / "generations"
            raise Terminal(
                f"{self.link}: must be a symlink to a folder, so that it can be switched in one step; once: "
                f"mkdir {folder} && mv {self.link} {folder}/0 && ln -s {folder}/0 {self.link}"
            )

    def files(self, names: Iterable[str]) -> dict[str, str]:
        """Content of those of the named files that are there."""
        found = {}
        for name in names:
            path = self.current / name
            if path.exists():
                found[name] = read_regular(path, _LIMIT).decode("utf-8", errors="surrogateescape")
        return found

    def write(self, sequence: int, files: Mapping[str, str], removed: Iterable[str]) -> Path:
        """A new generation with these files and everything else of the current one; not yet in force."""
        target = self.root / f"generation-{sequence}"
        partial = self.root / f".tmp-generation-{sequence}"
        shutil.rmtree(partial, ignore_errors=True)
        shutil.copytree(self.current, partial, symlinks=True)
        for name in removed:
            (partial / name).unlink(missing_ok=True)
        for name, text in files.items():
            atomic_write(partial / name, text.encode("utf-8", errors="surrogateescape"))
        if target.exists() and target != self.current:
            shutil.rmtree(target)
        if target == self.current:
            target = self.root / f"generation-{sequence}-again"
            shutil.rmtree(target, ignore_errors=True)
        partial.rename(target)
        return target

    def switch(self, target: Path) -> None:
        """Put a generation in force."""
        switch_link(self.link, str(target))
        self._forget_old()

    def mark(self) -> Mark:
        """The mark of the last writer."""
        content = self._sidecar()
        return Mark(int(content.get("sequence", 0)), content.get("identity"))

    def stamp(self, mark: Mark) -> None:
        """Write the mark; raise Stale where a later one is there."""
        content = self._sidecar()
        if int(content.get("sequence", 0)) > mark.sequence:
            raise Stale(
                f"{self.root}: was last written under sequence {content['sequence']}, this is {mark.sequence}; another reconciler "
                "with a longer audit log is at work"
            )
        self._save({**content, "sequence": mark.sequence, "identity": mark.identity})

    def waiting(self) -> tuple[RestartClass, int] | None:
        """(restart that waits for an operator, epoch seconds since when)."""
        waits = self._sidecar().get("restart")
        return (waits["need"], int(waits["since"])) if waits else None

    def wait_for_restart(self, need: RestartClass | None, since: int) -> None:
        """Remember that a restart is due (None: none is)."""
        restart = {"need": need, "since": since} if need else None
        content = self._sidecar()
        if content.get("restart") != restart:
            self._save({**content, "restart": restart})

    def _sidecar(self) -> dict[str, Any]:
        path = self.root / _SIDECAR
        if not path.exists():
            return {}
        try:
            content = json_mapping(read_regular(path, _LIMIT))
        except ValueError:
            raise Terminal(
                f"{path}: is damaged; restore it from a backup, or remove it after: charter audit verify"
            ) from None
        if content.get("format") != _FORMAT:
            raise Terminal(f"{path}: is not of format {_FORMAT}; move it away")
        return content

    def _save(self, content: Mapping[str, Any]) -> None:
        atomic_write(
            self.root / _SIDECAR, (json.dumps({**content, "format": _FORMAT}, sort_keys=True) + "\n").encode()
        )

    def _forget_old(self) -> None:
        old = [path for path in self.root.glob("generation-*") if path != self.current]
        for path in sorted(old, key=lambda item: item.stat().st_mtime)[:-_KEPT]:
            shutil.rmtree(path, ignore_errors=True)
