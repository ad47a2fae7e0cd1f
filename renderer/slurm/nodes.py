"""NodeName lines: every host of every plane, because a host that leaves slurm.conf loses its jobs. No state is written:
a drain in the file would overwrite a technician's own reason at each reconfigure.
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.model.nodes import NodeGroup, Nodes, NodeType
from renderer.notation.hostlist import fold, natural
from renderer.slurm.template import Options


def node_lines(nodes: Nodes) -> tuple[tuple[str, Options], ...]:
    """(folded names, options) of each group, in the natural order of their first host."""
    lines = [(fold(group.hosts), tuple(_options(group, nodes.types[group.type]))) for group in nodes.groups]
    return tuple(sorted(lines, key=lambda line: natural(line[0].replace("[", ""))))


def gpu_types(nodes: Nodes) -> tuple[str, ...]:
    """Slurm's names of the GPU types that hosts of the site carry, sorted."""
    return tuple(sorted({gpu.slurm_type for group in nodes.groups for gpu in nodes.types[group.type].gpus}))


def _options(group: NodeGroup, kind: NodeType) -> Iterator[tuple[str, str]]:
    if group.address is not None:
        yield "NodeAddr", group.address
    if group.hostname is not None:
        yield "NodeHostname", group.hostname
    if group.port is not None:
        yield "Port", group.port
    yield "CPUs", str(kind.cpus)
    yield "Sockets", str(kind.sockets)
    yield "CoresPerSocket", str(kind.cores_per_socket)
    yield "ThreadsPerCore", str(kind.threads_per_core)
    yield "RealMemory", str(kind.memory_mb)
    if kind.mem_spec_limit_mb is not None:
        yield "MemSpecLimit", str(kind.mem_spec_limit_mb)
    if kind.gpus:
        yield "Gres", ",".join(sorted(f"gpu:{gpu.slurm_type}:{gpu.count}" for gpu in kind.gpus))
    if group.features:
        yield "Features", ",".join(sorted(group.features))
    yield "Weight", str(group.weight)
    yield "State", "UNKNOWN"
