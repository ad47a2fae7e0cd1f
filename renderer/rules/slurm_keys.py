"""Keys of Slurm's files: which ones Charter writes itself, so that slurm.d may not write them too, and which ones a
release does not know. All in lower case.
"""

from __future__ import annotations

from collections.abc import Mapping

_DAEMONS = """
    clustername slurmctldhost slurmctldport slurmdport slurmuser slurmduser authtype credtype authinfo
    statesavelocation slurmdspooldir slurmctldpidfile slurmdpidfile slurmctldlogfile slurmdlogfile
    returntoservice reconfigflags slurmctldparameters
    healthcheckprogram healthcheckinterval healthchecknodestate healthchecktimeout
"""
_SCHEDULING = """
    selecttype selecttypeparameters grestypes topologyplugin prioritytype priorityweightqos
    priorityweightfairshare priorityweightage preempttype preemptmode jobrequeue killwait
"""
_ACCOUNTING = """
    accountingstoragetype accountingstoragehost accountingstorageport accountingstoragepass
    accountingstoragetres accountingstorageenforce
"""

RENDERED_KEYS: Mapping[str, frozenset[str]] = {
    "slurm.conf": frozenset((_DAEMONS + _SCHEDULING + _ACCOUNTING).split()) | {"nodename", "partitionname"},
    "gres.conf": frozenset({"autodetect"}),
    "cgroup.conf": frozenset({"constraincores", "constrainramspace"}),
    "topology.conf": frozenset({"switchname", "blockname", "blocksizes"}),
}
"""File to the keys that open a line of Charter's there."""

_LISTS = """
    authinfo reconfigflags slurmctldparameters grestypes accountingstoragetres accountingstorageenforce
    schedulerparameters
"""
LIST_KEYS: frozenset[str] = frozenset(_LISTS.split())
"""Keys of slurm.conf whose value is a list: slurm.d may add parts to what Charter writes, none may contradict."""

ORDER_KEYS: Mapping[str, str] = {
    "preemptexempttime": "exempts all tiers alike; set exempt_seconds of a tier",
    "priorityfavorsmall": "could lift a job of a lower tier above one of a higher; remove the line",
    "priorityweightassoc": "could lift a job of a lower tier above one of a higher; remove the line",
    "priorityweightjobsize": "could lift a job of a lower tier above one of a higher; remove the line",
    "priorityweightpartition": "could lift a job of a lower tier above one of a higher; remove the line",
    "priorityweighttres": "could lift a job of a lower tier above one of a higher; remove the line",
}
"""Keys of slurm.conf that break the order of tiers, and why."""

ORDER_PARTS: Mapping[str, str] = {
    "preempt_youngest_first": "the youngest job dies first, of whatever tier (seen on 22.05.8); remove it",
    "youngest_first": "the youngest job dies first, of whatever tier; remove it",
    "min_exempt_priority": "exempts jobs by a number that mixes tiers, share and age; remove it",
}
"""Parts of SchedulerParameters and PreemptParameters that do so."""

_SINCE: Mapping[str, tuple[int, int]] = {
    "hashplugin": (24, 11),
    "preemptparameters": (24, 11),
    "tlstype": (24, 11),
    "httpparsertype": (26, 5),
    "metricstype": (26, 5),
}
_GONE = frozenset({"sallocdefaultcommand", "checkpointtype"})
_DEFUNCT: Mapping[str, tuple[int, int]] = {
    "extsensorstype": (24, 11),
    "extsensorsfreq": (24, 11),
    "corespecplugin": (24, 11),
    "powerplugin": (24, 11),
    "powerparameters": (24, 11),
    "jobcredentialprivatekey": (24, 11),
    "accountingstorageuser": (26, 5),
}


def key_fault(release: tuple[int, int], key: str) -> str | None:
    """Why a key (lower case) of slurm.conf can't be written for a release (year, month); None where nothing is known against it.

    Measured by parsing each key alone with slurmd of 22.05.8, 24.11.5 and 26.05.5.
    """
    if key in _GONE:
        return "no supported release of Slurm knows it; remove the line"
    since = _SINCE.get(key)
    if since is not None and release < since:
        return f"Slurm knows it from {_text(since)} only; remove the line or upgrade"
    until = _DEFUNCT.get(key)
    if until is not None and release >= until:
        return f"it is defunct from {_text(until)} on; remove the line"
    return None


def _text(release: tuple[int, int]) -> str:
    return f"{release[0]}.{release[1]:02d}"
