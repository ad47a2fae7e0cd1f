"""Let slurmctld itself judge a configuration before it is switched to, without the live cluster noticing.

The copy that is judged has no accounting (a throw-away controller that speaks to slurmdbd ends the live cluster's jobs
there), its own state, ports and pid files. It has to come up, end cleanly, and complain about nothing.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from reconciler.errors import ConfigurationRefused
from reconciler.system.files import atomic_write
from reconciler.system.process import installed, run
from reconciler.targets.slurm.sandbox import ADDRESS
from renderer.notation.hostlist import expand
from renderer.slurm.raw import logical_lines

_SECONDS = 60.0
_OWN = frozenset(
    {
        "accountingstoragebackuphost",
        "accountingstorageenforce",
        "accountingstoragehost",
        "accountingstoragepass",
        "accountingstorageport",
        "accountingstoragetres",
        "accountingstoragetype",
        "jobcomptype",
        "slurmctldhost",
        "slurmctldlogfile",
        "slurmctldpidfile",
        "slurmctldport",
        "slurmdlogfile",
        "slurmdpidfile",
        "slurmdspooldir",
        "slurmuser",
        "statesavelocation",
    }
)
_ONLY_ACCOUNTING = re.compile(r"\s+(?:TRESBillingWeights|AllowQos|DenyQos|QOS)=\S+", re.IGNORECASE)
"""Names that only accounting knows: 26.05 ends over a QOS that isn't there. Site validation has judged them."""
_COMPLAINT = re.compile(r"\b(?:error|warning|fatal): (.*)")
_SANDBOX_ONLY = re.compile(
    "|".join(
        (
            r"mpi/|MPI: |slurm_cred_|_allow_uid|Could not open|Unable to open pidfile",
            r"state file|NOTE: Trying backup|last_config_lite|priority_state|Ignoring file-based",
            r"We have no QOS|assoc|only be used with SlurmDBD|without accounting|preempt.*accounting",
            r"AccountingStorageEnforce|No memory enforcing mechanism",
        )
    )
)
"""What a controller says for the lack of state and accounting in the sandbox, whatever the configuration."""


def check(files: Mapping[str, str]) -> None:
    """Raise ConfigurationRefused with slurmctld's own sentences, and where in the files they are about."""
    for tool in ("unshare", "ip", "slurmctld"):
        if not installed(tool):
            raise ConfigurationRefused(
                f"{tool} is not installed here, so the configuration can't be checked; install it"
            )
    with tempfile.TemporaryDirectory(prefix="charter-check-") as scratch:
        folder = Path(scratch)
        head = _prepare(folder, files)
        argv = [
            "unshare",
            "-mun",
            sys.executable,
            "-m",
            "reconciler.targets.slurm.sandbox",
            str(folder),
            head,
        ]
        done = run(argv, timeout=_SECONDS, cwd=folder)
    complaints = list(dict.fromkeys(_complaints(done.out)))
    if done.code != 0 or complaints:
        why = "; ".join(_placed(text, files) for text in complaints[:5]) or done.err or "it did not come up"
        raise ConfigurationRefused(f"slurmctld refuses the configuration: {why}; nothing was switched")


def _prepare(folder: Path, files: Mapping[str, str]) -> str:
    lines = [line for _, line in logical_lines(files.get("slurm.conf", ""))]
    head = next((_host(line) for line in lines if line.lower().startswith("slurmctldhost=")), "head")
    for name, text in files.items():
        atomic_write(folder / name, text.encode())
    kept = [
        _ONLY_ACCOUNTING.sub("", line) for line in lines if line.partition("=")[0].strip().lower() not in _OWN
    ]
    atomic_write(folder / "slurm.conf", "\n".join([*kept, *_own_lines(folder, head), ""]).encode())
    atomic_write(
        folder / "hosts",
        "".join(f"{ADDRESS} {name}\n" for name in ["localhost", head, *_names(lines)]).encode(),
    )
    return head


def _own_lines(folder: Path, head: str) -> Iterator[str]:
    for part in ("state", "spool"):
        (folder / part).mkdir()
    yield f"SlurmctldHost={head}({ADDRESS})"
    yield "SlurmUser=root"
    yield f"StateSaveLocation={folder}/state"
    yield f"SlurmdSpoolDir={folder}/spool/%n"
    yield f"SlurmctldPidFile={folder}/slurmctld.pid"
    yield f"SlurmdPidFile={folder}/slurmd-%n.pid"
    yield "SlurmctldPort=6817"
    yield "AccountingStorageType=accounting_storage/none"


def _host(line: str) -> str:
    return line.partition("=")[2].strip().partition("(")[0]


def _names(lines: list[str]) -> Iterator[str]:
    for line in lines:
        words = dict(word.partition("=")[::2] for word in line.split() if "=" in word)
        for key in ("NodeName", "NodeHostname", "NodeAddr"):
            value = words.get(key, "")
            if value and not value[0].isdigit() and value != "DEFAULT":
                yield from expand(value)


def _complaints(log: str) -> Iterator[str]:
    for line in log.splitlines():
        match = _COMPLAINT.search(line)
        if match and not _SANDBOX_ONLY.search(match[1]):
            yield match[1].strip()


def _placed(text: str, files: Mapping[str, str]) -> str:
    """The sentence, with the first file and line that holds a word it quotes."""
    for word in re.findall(r"[A-Za-z0-9_\[\],/.-]{4,}", text):
        for name, content in files.items():
            for number, line in enumerate(content.splitlines(), 1):
                if f"{word}=" in line or f"={word}" in line:
                    return f"{name}:{number}: {text}"
    return text
