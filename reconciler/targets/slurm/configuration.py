"""Switching the configuration: a new generation, then reconfigure or restart, back again when the engine refuses it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from reconciler.errors import CharterError, Terminal, Unreachable
from reconciler.plan.action import Action, RestartClass
from reconciler.system.configuration import SlurmTarget as Settings
from reconciler.system.process import run
from reconciler.targets.contract import Applied, Fence
from reconciler.targets.slurm.client import Client
from reconciler.targets.slurm.generation import Generations
from reconciler.targets.slurm.readiness import await_nodes, epoch, silent, started_before
from reconciler.targets.slurm.restart import heaviest
from renderer.model.site import Site
from renderer.resource import Key, Resource

_POLL = 0.3
_WAITING = "\n# Charter: waits for an operator: {}\n"


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
        due = self._waiting()
        if due:
            need = heaviest((need, due))
        self._replace(actions)
        try:
            pending = self._take_effect(need, site, fence)
        except CharterError as error:
            self._go_back(previous, need, site, fence)
            raise Terminal(
                f"Slurm did not take the configuration ({error}); the one before is in force again"
            ) from None
        return [Applied(action, pending) for action in actions]

    def _replace(self, actions: Sequence[Action]) -> None:
        """A new generation, unless the files are in place already and only a restart is due."""
        files = {
            a.change.key.name: str(a.change.after["content"]) for a in actions if a.change.after is not None
        }
        removed = [a.change.key.name for a in actions if a.change.after is None]
        if not removed and self._generations.files(files) == files:
            return
        target = self._generations.write(self.sequence, files, removed)
        self._generations.switch(target)
        self._client.writes.append(("switch", str(target)))

    def _take_effect(self, need: RestartClass, site: Site, fence: Fence) -> str:
        """Reconfigure or restart; returns what an operator has to do first, "" when it is in force."""
        restart, before = site.cluster.slurm.restart, self._silent()
        if need in ("restart slurmctld", "restart slurmd"):
            if restart.slurmctld == "manual" or not self._settings.restart_slurmctld:
                return self._wait_for(need)
            self._command(self._settings.restart_slurmctld, fence)
            self._answers(fence)
        if need == "restart slurmd":
            if restart.slurmd == "manual" or not self._settings.restart_slurmd:
                return self._wait_for(need)
            self._command(self._settings.restart_slurmd, fence)
        else:  # after slurmctld's restart too: slurmd reads the files anew only when told, and complains until then
            self._client.write("scontrol", "reconfigure", timeout=fence.remaining())
        self._answers(fence)
        if need != "reconfigure":
            await_nodes(self._client, before, fence)
            self._generations.wait_for_restart(None, 0)
        return ""

    def _wait_for(self, need: RestartClass) -> str:
        if self._generations.waiting() is None or self._waiting() != need:
            self._generations.wait_for_restart(need, int(time.time()))
        everywhere = " on every node, slurmctld first" if need == "restart slurmd" else ""
        return f"waiting for operator: {need}{everywhere}"

    def _silent(self) -> frozenset[str]:
        return silent(self._client) if self._is_up() else frozenset()

    def _go_back(self, previous: Path, need: RestartClass, site: Site, fence: Fence) -> None:
        """The same way back, but a controller that died of a reconfigure needs a start."""
        self._generations.switch(previous)
        try:
            self._take_effect(need if self._is_up() else heaviest((need, "restart slurmctld")), site, fence)
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

    def _waiting(self) -> RestartClass | None:
        """The restart that is still due: a daemon concerned is older than the configuration."""
        waits = self._generations.waiting()
        if waits is None:
            return None
        need, since = waits
        booted = _setting(self._client.read("scontrol", "show", "config"), "BOOT_TIME")
        started = started_before(self._client, since) if need == "restart slurmd" else False
        return need if started or epoch(booted) < since else None


def _setting(config: str, name: str) -> str:
    return next(
        line.partition("=")[2].strip()
        for line in config.splitlines()
        if line.partition("=")[0].strip() == name
    )
