"""Which keys of Slurm's files Charter writes itself, so that slurm.d may not write them too; all in lower case."""

from __future__ import annotations

from collections.abc import Mapping

_DAEMONS = """
    clustername slurmctldhost slurmctldport slurmdport slurmuser slurmduser authtype credtype authinfo
    statesavelocation slurmdspooldir slurmctldpidfile slurmdpidfile slurmctldlogfile slurmdlogfile
    returntoservice reconfigflags slurmctldparameters
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

LIST_KEYS: frozenset[str] = frozenset(
    """
    authinfo reconfigflags slurmctldparameters grestypes accountingstoragetres accountingstorageenforce
    schedulerparameters
    """.split()
)
"""Keys of slurm.conf whose value is a list: slurm.d may add parts to what Charter writes, none may contradict."""
