"""A large site as files: scalable units of 32 eight-GPU nodes, tenants with programmes and people. The same every time."""

from __future__ import annotations

from collections.abc import Iterator

UNIT_NODES = 32
RAILS = 8
SPINES = 64
GPUS = 8
QOS = ("sovereign", "mission", "standard", "scavenger")


def generate(nodes: int = 2048, tenants: int = 1000, programs: int = 8, users: int = 20) -> dict[str, bytes]:
    """Site-relative path to content; `nodes` is rounded down to whole units. Users are per programme."""
    units = nodes // UNIT_NODES
    files = {
        "inventory/site.yaml": _SITE,
        "inventory/nodes.yaml": _nodes(units),
        "inventory/fabric.yaml": _fabric(units),
        "inventory/slurm.d/slurm.conf": "ProctrackType=proctrack/cgroup\nTaskPlugin=task/affinity,task/cgroup\n",
        "policies/qos.yaml": _qos(),
        "policies/partitions.yaml": _partitions(units),
        "policies/planes.yaml": _planes(units),
        "policies/approvers.yaml": "require: none\nroles: {}\nprincipals: {}\n",
    }
    for number in range(tenants):
        name = f"tenant-{number:04d}"
        files[f"policies/tenants/{name}.yaml"] = _tenant(name, number, programs)
        files[f"policies/members/{name}.yaml"] = _members(name, number, programs, users)
    return {path: text.encode() for path, text in files.items()}


_SITE = """\
apiVersion: charter/v1alpha1
name: large
jurisdiction: IS
zones: [zone-a, zone-b]
timezone: UTC
charter: "0.1"
slurm:
  cluster_name: large
  version: "24.11"
  slurmctld: [{host: ctl01, port: 6817}]
  slurmdbd: {host: ctl01, port: 6819}
  slurmd_port: 6818
  dirs: {state: /var/spool/slurmctld, spool: /var/spool/slurmd, log: /var/log/slurm, run: /run/slurm}
  users: {slurm: slurm, slurmd: root}
  auth: {type: munge}
  distribution: managed
  restart: {slurmctld: manual, slurmd: manual}
  account_root: large
  owns_qos: [sovereign, mission, standard, scavenger]
kubernetes: {version: "1.37", cluster_uid: 6f0c2f4e-0d5a-4c1b-9a52-6f1f0b6a8f10}
data_classes: {open: [zone-a, zone-b], personal: [zone-a]}
"""


def _nodes(units: int) -> str:
    nics = "".join(f"      - {{name: mlx5_{rail}, rail: {rail + 1}, gbps: 400}}\n" for rail in range(RAILS))
    groups = "".join(
        f'  - {{hosts: "su{unit:02d}-n[01-32]", type: hgx, rack: r{unit:02d}, zone: zone-{"ab"[unit % 2]}, '
        f"features: [h200, su{unit:02d}], weight: 10}}\n"
        for unit in range(1, units + 1)
    )
    return (
        "types:\n  hgx:\n    cpus: 192\n    sockets: 2\n    cores_per_socket: 48\n    threads_per_core: 2\n"
        f"    memory_mb: 2063000\n    nics:\n{nics}    gpus:\n"
        f"      - {{model: h200, count: {GPUS}, slurm_type: h200, kubernetes_resource: nvidia.com/gpu, "
        'file: "/dev/nvidia[0-7]"}\n'
        f"groups:\n{groups}"
    )


def _fabric(units: int) -> str:
    switches = "".join(
        f"  - {{names: su{unit:02d}-leaf-r{rail}, tier: 1, rail: {rail}, rack: r{unit:02d}}}\n"
        for unit in range(1, units + 1)
        for rail in range(1, RAILS + 1)
    )
    cables = "".join(
        f'  - {{hosts: "su{unit:02d}-n[01-32]", to: su{unit:02d}-leaf-r{rail}, rail: {rail}, gbps: 400}}\n'
        for unit in range(1, units + 1)
        for rail in range(1, RAILS + 1)
    )
    trunks = "".join(
        f'  - {{from: "su{unit:02d}-leaf-r[1-8]", to: "spine[01-{SPINES}]", gbps: 400}}\n'
        for unit in range(1, units + 1)
    )
    return (
        f"kind: infiniband\nrails: {RAILS}\nplanes: 1\nswitches:\n{switches}"
        f'  - {{names: "spine[01-{SPINES}]", tier: 2}}\nlinks:\n{cables}{trunks}'
    )


def _qos() -> str:
    tiers = "".join(
        f"{name}:\n  priority: {4000 - 1000 * index}\n  preempts: [{', '.join(QOS[index + 1 :])}]\n"
        f"  max_wall: 7d\n  flags: [DenyOnLimit]\n  kubernetes_priority: {400000 - 100000 * index}\n"
        for index, name in enumerate(QOS)
    )
    return f"grace_seconds: 120\n{tiers}"


def _hosts(units: int, first: int, last: int) -> str:
    return ",".join(f"su{unit:02d}-n[{first:02d}-{last:02d}]" for unit in range(1, units + 1))


def _partitions(units: int) -> str:
    return (
        f'train:\n  hosts: "{_hosts(units, 1, 32)}"\n  default: true\n  max_time: 7d\n  default_time: 4h\n'
        f"  allow_qos: [{', '.join(QOS)}]\n  state: up\n"
    )


def _planes(units: int) -> str:
    return (
        f'training: {{hosts: "{_hosts(units, 1, 24)}"}}\ninference: {{hosts: "{_hosts(units, 25, 30)}"}}\n'
        f'flexible: {{hosts: "{_hosts(units, 31, 32)}", initial: inference, release_after_seconds: 900, '
        "reclaim_notice_seconds: 300}\n"
    )


def _tenant(name: str, number: int, programs: int) -> str:
    own = "".join(_program(number, index) for index in range(programs))
    return (
        f"# Allocation {number} of this year's call.\n"
        f"name: {name}\ntier: mission\ndata_class: {('open', 'personal')[number % 2]}\nzones: [zone-a]\n"
        f"fairshare: {number % 50 + 1}\nquota:\n  training: {{h200: {{guarantee: 8, limit: {64 + number % 7}}}}}\n"
        f"  inference: {{h200: {{guarantee: 2, limit: {8 + number % 5}}}}}\nprograms:\n{own}"
    )


def _program(number: int, index: int) -> str:
    return (
        f"  program-{index}:\n    fairshare: {(number + index) % 90 + 10}\n"
        "    qos: [mission, standard, scavenger]\n    default_qos: standard\n    quota:\n"
        f"      training: {{h200: {{guarantee: 1, limit: {8 + (number * 7 + index) % 57}}}}}\n"
        f"      inference: {{h200: {{guarantee: 0, limit: {1 + (number + index) % 8}}}}}\n"
        f"    allocation: {{gpu_hours: {1000 * (number + 1) + index}, from: 2026-01-01T00:00:00Z, "
        "to: 2027-01-01T00:00:00Z}\n"
    )


def _members(name: str, number: int, programs: int, users: int) -> str:
    lists = "".join(
        f"  program-{index}:\n    users:\n" + "".join(_users(number, index, users))
        for index in range(programs)
    )
    return f"tenant: {name}\ncontacts: [hpc@{name}.example]\ncoordinators: [u{number:04d}000]\nprograms:\n{lists}"


def _users(number: int, index: int, users: int) -> Iterator[str]:
    for user in range(users):
        yield f"      - u{number:04d}{(index * users + user) % 1000:03d}\n"
