"""What a changed configuration needs in order to take effect: reconfigure, or a restart of which daemon.

Measured on live daemons (docs/engines.md): on 22.05 a reconfigure after a change of the set of nodes ends slurmctld, and
several plugin keys are shown as changed while the old plugin works on. AccountingStorageEnforce and MaxJobCount are here on the
word of slurm.conf(5) of 22.05 alone.
"""

from __future__ import annotations

from collections.abc import Iterable

from reconciler.plan.action import RestartClass
from renderer.notation.hostlist import expand
from renderer.slurm.raw import logical_lines

_CONTROLLER = frozenset(
    {
        "accountingstorageenforce",
        "accountingstoragehost",
        "accountingstoragepass",
        "accountingstorageport",
        "accountingstoragetres",
        "accountingstoragetype",
        "authinfo",
        "authtype",
        "clustername",
        "credtype",
        "grestypes",
        "jobcomptype",
        "jobsubmitplugins",
        "maxjobcount",
        "maxnodecount",
        "preempttype",
        "prioritytype",
        "schedulertype",
        "selecttype",
        "selecttypeparameters",
        "slurmctldhost",
        "slurmctldport",
        "slurmdport",
        "slurmuser",
        "statesavelocation",
        "topologyplugin",
    }
)
_NODES = frozenset(
    {
        "acctgatherenergytype",
        "authinfo",
        "authtype",
        "credtype",
        "hashplugin",
        "jobacctgatherfrequency",
        "jobacctgathertype",
        "proctracktype",
        "slurmdparameters",
        "slurmdport",
        "slurmdspooldir",
        "slurmduser",
        "switchtype",
        "taskplugin",
    }
)
_AT_ANY_TIME = frozenset({"weight", "feature", "features", "state"})
_ORDER: tuple[RestartClass, ...] = ("none", "reconfigure", "restart slurmctld", "restart slurmd")
RECONFIGURES_NODES = (24, 11)
"""From this release on adding and removing nodes, and the plugin keys, take effect by reconfigure (seen on 24.11.5, 26.05.5)."""


def restart_class(file: str, before: str, after: str, version: str) -> RestartClass:
    """The heaviest class that any changed line of a file needs; `restart slurmd` stands for both daemons."""
    if before == after:
        return "none"
    if file == "gres.conf" or file == "cgroup.conf":
        return "restart slurmd" if _lines(before) != _lines(after) else "reconfigure"
    if file != "slurm.conf":
        return "reconfigure"
    changed = _lines(before) ^ _lines(after)
    keys = {line.partition("=")[0].strip().lower() for line in changed} - {"nodename"}
    needs = [_of_key(key) for key in keys] + [_of_nodes(before, after, version)]
    return max(needs, key=_ORDER.index)


def _lines(text: str) -> set[str]:
    return {line for _, line in logical_lines(text)}


def _of_nodes(before: str, after: str, version: str) -> RestartClass:
    """Weight and features take effect by reconfigure everywhere; hosts and hardware only where the release says so."""
    if _release(version) >= RECONFIGURES_NODES or _hardware(before) == _hardware(after):
        return "reconfigure"
    return "restart slurmd"


def _hardware(text: str) -> dict[str, frozenset[str]]:
    """Host to what its line says of it, apart from what may change at any time."""
    found: dict[str, frozenset[str]] = {}
    for line in _lines(text):
        first, *words = line.split()
        key, _, names = first.partition("=")
        if key.lower() == "nodename":
            kept = frozenset(word for word in words if word.partition("=")[0].lower() not in _AT_ANY_TIME)
            found |= (
                {names: kept} if "[" in line.partition("Port=")[2] else dict.fromkeys(expand(names), kept)
            )
    return found


def _of_key(key: str) -> RestartClass:
    if key in _NODES:
        return "restart slurmd"
    if key in _CONTROLLER:
        return "restart slurmctld"
    return "reconfigure"


def heaviest(classes: Iterable[RestartClass]) -> RestartClass:
    """The heaviest of several."""
    return max(classes, key=_ORDER.index, default="none")


def _release(version: str) -> tuple[int, int]:
    year, _, month = version.partition(".")
    return int(year), int(month)
