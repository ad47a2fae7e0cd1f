"""Removal of what Charter owns and the site no longer declares. It is asked for all at once, then awaited together.

What lives in a namespace goes with it, never before it: a quota removed from a namespace that stays would lift the limit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from reconciler.plan.action import Action
from reconciler.targets.contract import Applied, Fence
from reconciler.targets.kubernetes.check import bound, find, refuse_foreign, unlabelled
from reconciler.targets.kubernetes.cluster import Cluster, Manifest
from reconciler.targets.kubernetes.jobs import active_pods
from reconciler.targets.kubernetes.kinds import BY_NAME, CLAIM, NAMESPACE, NODE
from reconciler.targets.kubernetes.live import is_going
from reconciler.targets.kubernetes.waiting import until
from renderer.resource import Key


@dataclass(frozen=True, slots=True)
class Remover:
    """The remove phase of one apply. `confirmed` are the KINDs of `--confirm`; `sleep` takes seconds."""

    cluster: Cluster
    site: str
    confirmed: frozenset[str]
    fence: Fence
    sleep: Callable[[float], None]

    def remove(self, actions: Sequence[Action]) -> tuple[Applied, ...]:
        """Remove all; what is unconfirmed or takes longer is pending. Raises Conflict for an object that isn't Charter's any more."""
        namespaces = {item.change.key for item in actions if item.change.key.kind == NAMESPACE.name}
        alone = [item for item in actions if _home(item.change.key) not in namespaces]
        reasons: dict[Key, str] = {}
        going: dict[Key, str] = {}
        for action in alone:
            self.fence.check()
            key = action.change.key
            reasons[key] = self._start(key, going)
        until(lambda: not self._settle(going), self.fence, self.sleep)
        reasons |= {key: self._why_there(key) for key in going}
        return tuple(Applied(item, self._reason(item.change.key, reasons)) for item in actions)

    @staticmethod
    def _reason(key: Key, reasons: Mapping[Key, str]) -> str:
        home = _home(key)
        return reasons.get(key) or (reasons.get(home, "") if home else "")

    def _start(self, key: Key, going: dict[Key, str]) -> str:
        kind = BY_NAME[key.kind]
        live = find(self.cluster, kind, key)
        if live is None:
            return ""
        if kind is NODE:
            self.cluster.apply(NODE, bound(unlabelled(live), live))
            return ""
        refuse_foreign(live, self.site, kind)
        if not is_going(live):
            if kind is NAMESPACE and (held := self._held(key.name)):
                return held
            self.cluster.delete(kind, live)
        going[key] = live["metadata"]["uid"]
        return ""

    def _held(self, namespace: str) -> str:
        pods = active_pods(self.cluster, namespace)
        if pods and "namespaces" not in self.confirmed:
            return f"pending removal: {len(pods)} pods live in it ({_names(pods)}); apply with --confirm namespaces"
        claims = list(self.cluster.list(CLAIM, namespace))
        if claims and "storage" not in self.confirmed:
            return (
                f"pending removal: its data would go with {len(claims)} volume claims ({_names(claims)}); "
                "apply with --confirm storage"
            )
        return ""

    def _settle(self, going: dict[Key, str]) -> dict[Key, str]:
        for key in [key for key, uid in going.items() if not self._is_there(key, uid)]:
            del going[key]
        return going

    def _is_there(self, key: Key, uid: str) -> bool:
        live = find(self.cluster, BY_NAME[key.kind], key)
        return live is not None and live["metadata"]["uid"] == uid

    def _why_there(self, key: Key) -> str:
        live = find(self.cluster, BY_NAME[key.kind], key) or {}
        conditions = (live.get("status") or {}).get("conditions") or ()
        said = [
            item["message"] for item in conditions if item.get("status") == "True" and item.get("message")
        ]
        return f"pending removal: being deleted{': ' if said else ''}{'; '.join(said)}"


def _home(key: Key) -> Key | None:
    namespace, _, _ = key.name.rpartition("/")
    return Key("kubernetes", NAMESPACE.name, namespace) if namespace else None


def _names(objects: Sequence[Manifest]) -> str:
    names = [item["metadata"]["name"] for item in objects]
    return ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
