"""The live Slurm cluster under the common contract."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby

from reconciler.errors import Unreachable, WrongCluster
from reconciler.plan.action import Action, Change, Job, RestartClass
from reconciler.system.configuration import SlurmTarget as Settings
from reconciler.targets.contract import Applied, Fence, Mark, Observation
from reconciler.targets.slurm import accounting, accounting_seen, jobs, removal, reservations
from reconciler.targets.slurm.check import check as check_configuration
from reconciler.targets.slurm.client import Client
from reconciler.targets.slurm.configuration import Configuring
from reconciler.targets.slurm.folding import folding
from reconciler.targets.slurm.generation import Generations
from reconciler.targets.slurm.impact import impact
from reconciler.targets.slurm.restart import heaviest, restart_class
from reconciler.targets.slurm.running import crossing, running
from renderer.model.site import Site
from renderer.resource import Engine, Key, Resource


class SlurmTarget:
    """`settings` say where the configuration lies and how daemons are restarted."""

    name = "slurm"
    engines: tuple[Engine, ...] = ("slurm",)

    def __init__(self, settings: Settings) -> None:
        self._client = Client(settings.conf_dir, settings.timeout_seconds)
        self._generations = Generations(settings.conf_dir)
        self._configuring = Configuring(settings, self._generations, self._client)

    @property
    def writes(self) -> Sequence[tuple[str, ...]]:
        """Every command so far that could change something."""
        return tuple(self._client.writes)

    def identify(self, site: Site) -> None:
        """ClusterName as the live controller has it."""
        self._generations.require_link()
        wanted = site.cluster.slurm.cluster_name
        live = _setting(self._client.read("scontrol", "show", "config"), "ClusterName")
        if live != wanted:
            raise WrongCluster(
                f"the live Slurm cluster is {live!r}, the site's is {wanted!r}; mend the configuration's conf_dir, or the site"
            )

    def observe(self, site: Site, desired: Sequence[Resource], owned: frozenset[Key]) -> Observation:
        """Configuration files, QOS, accounts, people and reservations."""
        wanted = {item.key: item for item in desired}
        found = {item.key: item for item in self._configuring.observe(desired, owned)}
        foreign: list[Key] = []
        kinds = {item.key.kind for item in desired} | {key.kind for key in owned}
        if kinds & {"account", "association", "coordinator", "qos"}:
            accounts, foreign = accounting_seen.observe(self._client, site, wanted)
            found |= {key: item for key, item in accounts.items() if key.kind in kinds}
        if "reservation" in kinds or site.cluster.manage.reservations != "off":
            for item in reservations.observe(self._client, site, wanted, datetime.now(UTC)):
                if item.key in wanted or item.key in owned:
                    found[item.key] = item
                else:
                    foreign.append(item.key)
        crosses = crossing(self._client, site, datetime.now(UTC)) if "reservation" in kinds else ()
        owns = {key: item for key, item in found.items() if key in owned}
        warnings = (*crosses, *folding(self._client, owns, wanted))
        return Observation(found, tuple(foreign), self._generations.mark(), warnings)

    def restart_class(self, change: Change, site: Site) -> RestartClass:
        """By the changed lines of a configuration file; everything else takes effect at once."""
        if change.key.kind != "config":
            return "none"
        before = str((change.before or {}).get("content", ""))
        after = str((change.after or {}).get("content", ""))
        return restart_class(change.key.name, before, after, site.cluster.slurm.version)

    def jobs(self, changes: Sequence[Change]) -> Mapping[Key, tuple[Job, ...]]:
        """Jobs of what would be removed, and those that could not start any more, or lose their node."""
        concerned = [change for change in changes if change.verb != "create"]
        records = jobs.active(self._client) if concerned else []
        above = jobs.parents(concerned)
        hit = {
            change.key: jobs.hit(change, records, above)
            if change.verb == "delete"
            else impact(change, records, self._nodes_of_jobs)
            for change in concerned
        }
        return {key: found for key, found in hit.items() if found}

    def _nodes_of_jobs(self) -> Mapping[str, frozenset[str]]:
        return {job.id: job.nodes for job in running(self._client)}

    def check(self, site: Site, actions: Sequence[Action], desired: Sequence[Resource]) -> None:
        """A throw-away slurmctld judges the new configuration; the live one isn't asked."""
        if any(action.change.key.kind == "config" for action in actions):
            check_configuration(
                {item.key.name: str(item.fields["content"]) for item in desired if item.key.kind == "config"}
            )

    def apply(
        self,
        site: Site,
        phase: str,
        actions: Sequence[Action],
        desired: Sequence[Resource],
        confirmed: frozenset[str],
        fence: Fence,
    ) -> tuple[Applied, ...]:
        """Accounting one by one, the configuration as a whole, removals closed first."""
        fence.check()
        if phase == "remove":
            return self._remove(site, actions, confirmed, fence)
        done: list[Applied] = []
        for kind, group in groupby(actions, key=lambda action: action.change.key.kind):
            fence.check()
            done += self._write(site, kind, list(group), desired, fence)
        return tuple(done)

    def stamp(self, mark: Mark) -> None:
        """Beside the generations."""
        self._generations.stamp(mark)
        self._configuring.sequence = mark.sequence

    def _remove(
        self, site: Site, actions: Sequence[Action], confirmed: frozenset[str], fence: Fence
    ) -> tuple[Applied, ...]:
        config = [action for action in actions if action.change.key.kind == "config"]
        others = [action for action in actions if action.change.key.kind != "config"]
        removal.close(self._client, site, others, fence)
        done = list(removal.remove(self._client, site, others, confirmed, fence))
        if config:
            done += self._configuring.switch(config, "reconfigure", site, fence)
        return tuple(done)

    def _write(
        self, site: Site, kind: str, actions: Sequence[Action], desired: Sequence[Resource], fence: Fence
    ) -> Sequence[Applied]:
        if kind == "config":
            return self._configuring.switch(
                actions, heaviest(action.restart for action in actions), site, fence
            )
        if kind == "reservation":
            self._reserve(site, actions, fence)
        else:
            created = [
                Resource(a.change.key, a.change.after or {}) for a in actions if a.change.verb == "create"
            ]
            accounting.create(self._client, site, created, fence)
            changed = [action.change for action in actions if action.change.verb == "update"]
            if changed:
                accounting.update(self._client, site, changed, fence)
        return [Applied(action) for action in actions]

    def _reserve(self, site: Site, actions: Sequence[Action], fence: Fence) -> None:
        for change in (action.change for action in actions):
            fence.check()
            resource = Resource(change.key, change.after or {})
            if change.verb == "create":
                reservations.create(self._client, site, resource, datetime.now(UTC), fence.remaining())
            else:
                reservations.update(
                    self._client, site, resource, change.before or {}, datetime.now(UTC), fence.remaining()
                )


def _setting(config: str, name: str) -> str:
    for line in config.splitlines():
        key, _, value = line.partition("=")
        if key.strip() == name:
            return value.strip()
    raise Unreachable(f"scontrol show config names no {name}; is slurmctld up?")
