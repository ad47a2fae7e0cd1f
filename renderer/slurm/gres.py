"""gres.conf: which device files are GPUs of which type, on which hosts."""

from __future__ import annotations

from collections import defaultdict

from renderer.model.nodes import Gpu
from renderer.model.site import Site
from renderer.notation.hostlist import fold, natural
from renderer.slurm.raw import logical_lines
from renderer.slurm.template import Options, fill


def gres_conf(site: Site) -> str:
    """The file's text: hosts with the same GPUs share a line."""
    hosts_of: dict[Gpu, list[str]] = defaultdict(list)
    for group in site.nodes.groups:
        for gpu in site.nodes.types[group.type].gpus:
            hosts_of[gpu].extend(group.hosts)
    lines = sorted(
        ((fold(hosts), tuple(_options(gpu))) for gpu, hosts in hosts_of.items()),
        key=lambda line: (natural(line[0].replace("[", "")), line[1]),
    )
    raw = tuple(line for _, line in logical_lines(site.slurm_d.get("gres.conf", "")))
    return fill("gres.conf", nodes=lines, raw_lines=raw)


def _options(gpu: Gpu) -> Options:
    found = (
        ("AutoDetect", gpu.autodetect),
        ("Name", "gpu"),
        ("Type", gpu.slurm_type),
        ("File", gpu.file),
    )
    return tuple((key, value) for key, value in found if value is not None)
