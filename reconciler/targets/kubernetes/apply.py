"""Creates and updates of one phase: server-side apply in the order given, then waiting until the cluster enforces them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reconciler.plan.action import Action
from reconciler.targets.contract import Applied, Fence
from reconciler.targets.kubernetes.check import bound, find, refuse_foreign
from reconciler.targets.kubernetes.cluster import Cluster
from reconciler.targets.kubernetes.kinds import BY_NAME, NAMESPACE, NODE, RESOURCE_QUOTA, Kind
from reconciler.targets.kubernetes.live import is_going, plain
from reconciler.targets.kubernetes.waiting import until
from renderer.resource import Key

_NO_NODE = "the node hasn't joined the cluster; labels are set once its kubelet has registered it"
_GOING = "the one before is still being deleted; look for finalizers (kubectl describe)"
_UNCOUNTED = "not enforced yet: is kube-controller-manager running, and its resourcequota controller?"


@dataclass(frozen=True, slots=True)
class Writer:
    """One phase of one apply. `sleep` takes seconds."""

    cluster: Cluster
    site: str
    fence: Fence
    sleep: Callable[[float], None]

    def apply(self, actions: Sequence[Action]) -> tuple[Applied, ...]:
        """Apply all in order; what can't be done yet is pending. Raises at the first failure."""
        waiting: dict[Key, str] = {}
        for action in actions:
            self.fence.check()
            key = action.change.key
            reason = waiting.get(_namespace_of(key), "") or self._write(action)
            if reason:
                waiting[key] = reason
        waiting |= self._uncounted([item for item in actions if item.change.key not in waiting])
        return tuple(Applied(action, waiting.get(action.change.key, "")) for action in actions)

    def _write(self, action: Action) -> str:
        change = action.change
        kind = BY_NAME[change.key.kind]
        live = find(self.cluster, kind, change.key)
        if kind is NODE and live is None:
            return _NO_NODE
        if live is not None and kind is not NODE:
            refuse_foreign(live, self.site, kind)
        if live is not None and is_going(live):
            if not until(lambda: self._is_gone(kind, change.key), self.fence, self.sleep):
                return _GOING
            live = None
        self.cluster.apply(kind, bound(change.after or {}, live))
        return ""

    def _is_gone(self, kind: Kind, key: Key) -> bool:
        return find(self.cluster, kind, key) is None

    def _uncounted(self, actions: Sequence[Action]) -> dict[Key, str]:
        """Quotas whose new amounts the quota controller hasn't taken up: until then admission goes by the old ones."""
        open_ = {item.change.key for item in actions if item.change.key.kind == RESOURCE_QUOTA.name}
        until(lambda: not self._settle(open_), self.fence, self.sleep)
        return dict.fromkeys(open_, _UNCOUNTED)

    def _settle(self, open_: set[Key]) -> set[Key]:
        open_ -= {key for key in open_ if self._is_counted(key)}
        return open_

    def _is_counted(self, key: Key) -> bool:
        live = find(self.cluster, RESOURCE_QUOTA, key) or {}
        asked = (live.get("spec") or {}).get("hard") or {}
        counted = (live.get("status") or {}).get("hard") or {}
        return {name: plain(value) for name, value in asked.items()} == {
            name: plain(value) for name, value in counted.items()
        }


def _namespace_of(key: Key) -> Key:
    return Key("kubernetes", NAMESPACE.name, key.name.partition("/")[0])
