"""inventory/slurm.d: raw lines, but none that Charter writes itself, and none that the release doesn't know."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.problem import Finding
from renderer.rules.slurm_keys import LIST_KEYS, ORDER_KEYS, ORDER_PARTS, RENDERED_KEYS, key_fault
from renderer.rules.slurm_lines import line_pairs, logical_lines
from renderer.rules.subject import Subject

FOLDER = "inventory/slurm.d"
_FILES = frozenset(
    {
        "slurm.conf",
        "gres.conf",
        "cgroup.conf",
        "topology.conf",
        "plugstack.conf",
        "job_container.conf",
        "acct_gather.conf",
    }
)
_OPENERS = frozenset(
    {"nodename", "partitionname", "downnodes", "frontendname", "nodeset", "switchname", "blockname"}
)
"""Keys whose line is a record: what follows on it belongs to the record and not to the file."""
_PART = {
    "partitionname": "partitions",
    "switchname": "topology",
    "blockname": "topology",
    "blocksizes": "topology",
    "topologyplugin": "topology",
}
"""Keys of parts that a site may keep to itself by `manage: off`."""


def slurm_d(subject: Subject) -> Iterator[Finding]:
    """Each file and each of its lines."""
    for name, text in subject.site.slurm_d.items():
        path = f"{FOLDER}/{name}"
        if name not in _FILES:
            yield Finding(
                path,
                (),
                "slurm-file",
                f"{name} is none of Slurm's files",
                f"name it one of {', '.join(sorted(_FILES))}",
            )
            continue
        for number, line in logical_lines(text):
            yield from _line(subject, path, name, number, line)


def _line(subject: Subject, path: str, file: str, number: int, line: str) -> Iterator[Finding]:
    if file == "plugstack.conf":
        if line.lower().startswith("include"):
            yield _included(path, number)
        return
    pairs = line_pairs(line)
    if pairs is None:
        if line.lower().startswith("include"):
            yield _included(path, number)
            return
        what = f"{line[:40]!r} is not Key=Value, which is all that Charter can judge"
        yield Finding(path, (number, 1), "slurm-line", what, "write Key=Value, quoted where it holds blanks")
        return
    keys = [key for key, _ in pairs]
    if keys[0].lower() in _OPENERS:
        keys = keys[:1]
    elif file == "slurm.conf" and len(keys) > 1:
        what = f"holds {len(keys)} keys: {', '.join(keys)[:60]}"
        yield Finding(path, (number, 1), "slurm-line", what, "write each on a line of its own")
    for key in keys:
        yield from _key(subject, path, file, number, key)
    if file == "slurm.conf":
        for key, value in pairs:
            yield from _against_order(path, number, key, value)


def _against_order(path: str, number: int, key: str, value: str) -> Iterator[Finding]:
    reasons = {key: ORDER_KEYS[key.lower()]} if key.lower() in ORDER_KEYS else {}
    if key.lower() in ("schedulerparameters", "preemptparameters"):
        parts = [part.partition("=")[0].strip().lower() for part in value.split(",")]
        reasons |= {part: ORDER_PARTS[part] for part in parts if part in ORDER_PARTS}
    for name, why in reasons.items():
        what, _, remedy = why.partition("; ")
        yield Finding(path, (number, 1), "slurm-order", f"{name}: {what}", remedy)


def _included(path: str, number: int) -> Finding:
    return Finding(
        path, (number, 1), "slurm-include", "included files are not in git", "put their lines here"
    )


def _key(subject: Subject, path: str, file: str, number: int, key: str) -> Iterator[Finding]:
    place, lower = (number, 1), key.lower()
    if (
        lower in RENDERED_KEYS.get(file, ())
        and lower not in LIST_KEYS
        and not _left_to_slurm_d(subject, lower)
    ):
        yield Finding(
            path,
            place,
            "slurm-rendered",
            f"Charter writes {key} itself",
            "remove the line; the model decides it",
        )
    elif file == "slurm.conf":
        fault = key_fault(_release(subject.site.cluster.slurm.version), lower)
        if fault:
            what, _, remedy = fault.partition("; ")
            yield Finding(path, place, "slurm-key", f"{key}: {what}", remedy)


def _left_to_slurm_d(subject: Subject, key: str) -> bool:
    part = _PART.get(key)
    return part is not None and getattr(subject.site.cluster.manage, part) == "off"


def _release(version: str) -> tuple[int, int]:
    year, _, month = version.partition(".")
    return (int(year), int(month)) if year.isdigit() and month.isdigit() else (99, 99)
