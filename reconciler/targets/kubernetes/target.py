"""The cluster behind the common contract. Each method is one step; the steps live in modules of their own."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from reconciler.plan.action import Action, Change, Job, RestartClass
from reconciler.system.clock import Clock, SystemClock
from reconciler.system.configuration import KubernetesTarget as Settings
from reconciler.targets.contract import Applied, Fence, Mark, Observation
from reconciler.targets.kubernetes import mark as marks
from reconciler.targets.kubernetes.apply import Writer
from reconciler.targets.kubernetes.check import check
from reconciler.targets.kubernetes.cluster import Cluster
from reconciler.targets.kubernetes.connection import connect
from reconciler.targets.kubernetes.identity import identify
from reconciler.targets.kubernetes.jobs import jobs
from reconciler.targets.kubernetes.observe import observe
from reconciler.targets.kubernetes.prune import Remover
from renderer.model.site import Site
from renderer.resource import Engine, Key, Resource


class KubernetesTarget:
    """A cluster reached by kubeconfig. Nothing is read or connected until the first call."""

    name = "kubernetes"
    engines: tuple[Engine, ...] = ("kubernetes",)

    def __init__(
        self,
        settings: Settings,
        clock: Clock | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._cluster = Cluster(lambda: connect(settings), settings.timeout_seconds)
        self._clock = clock or SystemClock()
        self._sleep = sleep

    def identify(self, site: Site) -> None:
        """Raise WrongCluster unless kube-system's UID is the site's."""
        identify(self._cluster, site.cluster.kubernetes.cluster_uid)

    def observe(self, site: Site, desired: Sequence[Resource], owned: frozenset[Key]) -> Observation:
        """Charter's objects, others' beside them, and the mark. A part that isn't managed isn't looked at."""
        mark = marks.read(self._cluster)
        if site.cluster.manage.kubernetes == "off":
            return Observation({}, (), mark)
        found, foreign = observe(self._cluster, site.cluster.name, desired, owned)
        return Observation(found, foreign, mark)

    def restart_class(self, change: Change, site: Site) -> RestartClass:
        """Objects take effect by being there."""
        return "none"

    def jobs(self, changes: Sequence[Change]) -> Mapping[Key, tuple[Job, ...]]:
        """Pods that each change would hit."""
        return jobs(self._cluster, changes, self._clock.now())

    def check(self, site: Site, actions: Sequence[Action], desired: Sequence[Resource]) -> None:
        """Server-side dry run of every action; raise ConfigurationRefused or Conflict."""
        check(self._cluster, site.cluster.name, actions)

    def apply(
        self,
        site: Site,
        phase: str,
        actions: Sequence[Action],
        desired: Sequence[Resource],
        confirmed: frozenset[str],
        fence: Fence,
    ) -> tuple[Applied, ...]:
        """Make the changes of one phase and wait for them. Raises at the first failure."""
        cluster = self._cluster.within(fence.remaining)
        if phase == "remove":
            return Remover(cluster, site.cluster.name, confirmed, fence, self._sleep).remove(actions)
        return Writer(cluster, site.cluster.name, fence, self._sleep).apply(actions)

    def stamp(self, mark: Mark) -> None:
        """Remember the sequence number; raise Stale where a later writer was here."""
        marks.stamp(self._cluster, mark)
