"""Switching the configuration: a new generation, then reconfigure or restart, back again when the engine refuses it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from reconciler.errors import CharterError, Terminal, Unreachable
from reconciler.plan.action import Action, RestartClass
from reconciler.system.configuration import SlurmTarget as Settings
from reconciler.system.process import run
from reconciler.targets.contract import Applied, Fence
from reconciler.targets.slurm.client import Client
from reconciler.targets.slurm.generation import Generations
from renderer.model.site import Site
from renderer.resource import Key, Resource

_POLL = 0.3
_WAITING = "\n# Charter: waits for an operator to restart {}\n"


class Configuring:
    """Writes generations; `sequence` names the next one."""

    def __init__(self, settings: Settings, generations: Generations, client: Client) -> None:
        self._settings, self._generations, self._client = settings, generations, client
        self.sequence = 0

    def observe(self, desired: Sequence[Resource], owned: frozenset[Key]) -> Iterator[Resource]:
        """Configuration files in force; slurm.conf differs from what it should be while a restart is waited for."""
        names = [item.key.name for item in desired if item.key.kind == "config"]
        names += [key.name for key in owned if key.kind == "config"]
        waiting = self._waiting()
        for name, text in self._generations.files(dict.fromkeys(names)).items():
            noted = text + _WAITING.format(waiting) if waiting and name == "slurm.conf" else text
            yield Resource(Key("slurm", "config", name), {"content": noted})

    def switch(
        self, actions: Sequence[Action], need: RestartClass, site: Site, fence: Fence
    ) -> list[Applied]:
        """Put the changed files in force. Raises Terminal after going back to the generation before."""
        previous = self._generations.current
        target = self._write(actions)
        self._generations.switch(target)
        self._client.writes.append(("switch", str(target)))
        try:
            pending = self._take_effect(need, site, fence)
        except CharterError as error:
            self._go_back(previous, site, fence)
            raise Terminal(
                f"Slurm did not take the configuration ({error}); the one before is in force again"
            ) from None
        return [Applied(action, pending) for action in actions]

    def _write(self, actions: Sequence[Action]) -> Path:
        files = {
            a.change.key.name: str(a.change.after["content"]) for a in actions if a.change.after is not None
        }
        removed = [a.change.key.name for a in actions if a.change.after is None]
        return self._generations.write(self.sequence, files, removed)

    def _take_effect(self, need: RestartClass, site: Site, fence: Fence) -> str:
        restart = site.cluster.slurm.restart
        if need in ("restart slurmctld", "restart slurmd"):
            if restart.slurmctld == "manual" or not self._settings.restart_slurmctld:
                self._generations.wait_for_restart("slurmctld", int(time.time()))
                return f"waiting for operator: {need}"
            self._command(self._settings.restart_slurmctld, fence)
            self._answers(fence)
        if need == "restart slurmd":
            if restart.slurmd == "manual" or not self._settings.restart_slurmd:
                return "waiting for operator: restart slurmd on every node"
            self._command(self._settings.restart_slurmd, fence)
        else:
            self._reconfigure(fence)
        self._answers(fence)
        self._generations.wait_for_restart(None, 0)
        return ""

    def _reconfigure(self, fence: Fence) -> None:
        """After a restart of slurmctld too: slurmd reads the files anew only when told, and complains until then."""
        self._client.write("scontrol", "reconfigure", timeout=fence.remaining())

    def _go_back(self, previous: Path, site: Site, fence: Fence) -> None:
        """A controller that died of the new configuration needs a start, one that refused it a reconfigure."""
        self._generations.switch(previous)
        try:
            self._take_effect("reconfigure" if self._is_up() else "restart slurmctld", site, fence)
        except CharterError as error:
            raise Terminal(
                f"Slurm took neither the new configuration nor, after going back to {previous}, the old one ({error}); "
                "look at slurmctld's log and start it"
            ) from None

    def _is_up(self) -> bool:
        try:
            self._client.read("scontrol", "show", "config")
        except Unreachable:
            return False
        return True

    def _command(self, argv: Sequence[str], fence: Fence) -> None:
        self._client.writes.append(tuple(argv))
        done = run(argv, timeout=min(self._settings.timeout_seconds, fence.remaining()))
        if done.code != 0:
            raise Terminal(f"{argv[0]}: ended with {done.code}: {(done.err or done.out)[:300]}")

    def _answers(self, fence: Fence) -> None:
        """Wait until slurmctld answers, but leave half of the time for going back. Raises Unreachable."""
        until = time.monotonic() + min(self._settings.timeout_seconds, fence.remaining() / 2)
        while not self._is_up():
            if time.monotonic() > until:
                raise Unreachable("slurmctld does not answer any more")
            time.sleep(_POLL)

    def _waiting(self) -> str:
        """The daemon whose restart is still due: the live controller is older than the configuration."""
        waits = self._generations.waiting()
        if waits is None:
            return ""
        text = self._client.read("scontrol", "show", "config")
        boot = next(
            line.partition("=")[2].strip() for line in text.splitlines() if line.startswith("BOOT_TIME")
        )
        return waits[0] if datetime.fromisoformat(boot).replace(tzinfo=UTC).timestamp() < waits[1] else ""
