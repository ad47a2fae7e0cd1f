"""The configuration a Slurm rig starts with, before Charter has written one, and the facts an own one needs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

LEAF = 32


@dataclass(frozen=True, slots=True)
class SlurmLayout:
    """What this rig decides and any configuration for it must repeat: names, ports, folders, device files.

    `slurmd_ports` has one port a node, in the order of `nodes`, consecutive. `gpu_files` is a host list of device files.
    """

    cluster: str
    nodes: tuple[str, ...]
    slurmctld_port: int
    slurmdbd_port: int
    slurmd_ports: tuple[int, ...]
    munge_socket: Path
    state: Path
    spool: Path
    run: Path
    log: Path
    gpu_type: str
    gpu_count: int
    gpu_files: str
    cgroup_conf: str = "# proctrack/linuxproc and task/none use no control groups\n"
    """slurmd of 24.11 and later doesn't start without a mounted hierarchy unless it is told to use none."""
    release: str = "22.05"


def bootstrap_conf(layout: SlurmLayout, extra: str = "") -> dict[str, str]:
    """File name → text of a small working configuration; `extra` lines are appended to slurm.conf."""
    return {
        "slurm.conf": _slurm_conf(layout) + extra,
        "gres.conf": _gres_conf(layout),
        "topology.conf": _topology_conf(layout),
        "cgroup.conf": layout.cgroup_conf,
    }


def slurmdbd_conf(layout: SlurmLayout, storage: str) -> str:
    """slurmdbd.conf for this layout; `storage` holds the Storage* lines."""
    return f"""\
AuthType=auth/munge
AuthInfo=socket={layout.munge_socket}
DbdHost=localhost
DbdPort={layout.slurmdbd_port}
SlurmUser=root
StorageType=accounting_storage/mysql
{storage}\
PidFile={layout.run}/slurmdbd.pid
LogFile={layout.log}/slurmdbd.log
"""


def _slurm_conf(layout: SlurmLayout) -> str:
    return f"""\
ClusterName={layout.cluster}
SlurmctldHost=localhost
SlurmUser=root
SlurmdUser=root
SlurmctldPort={layout.slurmctld_port}
SlurmdPort={layout.slurmd_ports[0]}
AuthType=auth/munge
AuthInfo=socket={layout.munge_socket},cred_expire=5
CredType=cred/munge
StateSaveLocation={layout.state}
SlurmdSpoolDir={layout.spool}/%n
SlurmctldPidFile={layout.run}/slurmctld.pid
SlurmdPidFile={layout.run}/slurmd-%n.pid
SlurmctldLogFile={layout.log}/slurmctld.log
SlurmdLogFile={layout.log}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
SlurmdParameters=config_overrides
ReturnToService=2
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=2,sched_interval=2,bf_continue
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
GresTypes=gpu
TopologyPlugin=topology/tree
KillWait=2
SlurmdTimeout=60
MailProg=/bin/true
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=localhost
AccountingStoragePort={layout.slurmdbd_port}
AccountingStoragePass={layout.munge_socket}
AccountingStorageEnforce=associations,limits,qos,safe
AccountingStorageTRES=gres/gpu,gres/gpu:{layout.gpu_type}
PriorityType=priority/multifactor
PreemptType=preempt/qos
PreemptMode=REQUEUE
{_node_lines(layout)}PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def _node_lines(layout: SlurmLayout) -> str:
    gres = f"Gres=gpu:{layout.gpu_type}:{layout.gpu_count}"
    rest = f"CPUs=64 RealMemory=512000 {gres} State=UNKNOWN"
    return "".join(
        f"NodeName={name} NodeHostname=localhost NodeAddr=127.0.0.1 Port={port} {rest}\n"
        for name, port in zip(layout.nodes, layout.slurmd_ports, strict=True)
    )


def _gres_conf(layout: SlurmLayout) -> str:
    lines = (
        f"NodeName={name} Name=gpu Type={layout.gpu_type} File={layout.gpu_files}\n" for name in layout.nodes
    )
    return "AutoDetect=off\n" + "".join(lines)


def _topology_conf(layout: SlurmLayout) -> str:
    size = max(1, min(LEAF, len(layout.nodes) // 2))
    leaves = [layout.nodes[start : start + size] for start in range(0, len(layout.nodes), size)]
    lines = [f"SwitchName=leaf{number} Nodes={','.join(leaf)}\n" for number, leaf in enumerate(leaves, 1)]
    return "".join(lines) + f"SwitchName=spine Switches=leaf[1-{len(leaves)}]\n"
