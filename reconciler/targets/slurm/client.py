"""Every command to Slurm: bounded in time, in UTC and the C locale, its failure mapped to a kind of error.

Slurm's clients exit 0 for several errors and 1 for some non-errors ("Nothing new added."), so what they print is read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from reconciler.errors import Terminal, Unreachable
from reconciler.system.process import Completed, run

_AWAY = re.compile(
    r"Unable to contact slurm controller|Connection refused|Protocol authentication error|Unable to connect|slurmdbd: .*not respond",
    re.I,
)
_NOTHING = re.compile(r"Nothing (new added|modified|deleted|removed)", re.I)
_FAULT = re.compile(
    r"^\s*(?:sacctmgr|scontrol|squeue|scancel): (?:error|fatal): |^\s*(?:Bad|Unknown|Invalid) |Problem with|Request denied",
    re.I | re.M,
)


class Client:
    """Runs Slurm's clients against the cluster whose configuration lies in `conf_dir`. `writes` are the writing commands so far."""

    def __init__(self, conf_dir: Path, timeout: float) -> None:
        self._conf = conf_dir / "slurm.conf"
        self._timeout = timeout
        self.writes: list[tuple[str, ...]] = []

    def read(self, *argv: str) -> str:
        """Standard output of a command that changes nothing. Raises Unreachable, Terminal."""
        done = self._run(argv, self._timeout)
        if done.code != 0:
            raise self._failure(done)
        return done.out

    def test(self, *argv: str) -> str:
        """All that a command says that only tries; it may fail, since a refusal is an answer. Raises Unreachable."""
        done = self._run(argv, self._timeout)
        if _AWAY.search(done.err):
            raise self._failure(done)
        return f"{done.out}\n{done.err}"

    def write(self, *argv: str, timeout: float | None = None) -> str:
        """Standard output of a command that changes something; having nothing to change is success."""
        self.writes.append(argv)
        done = self._run(argv, self._timeout if timeout is None else min(timeout, self._timeout))
        said = f"{done.out}\n{done.err}"
        if _NOTHING.search(said):
            return done.out
        if done.code != 0 or _FAULT.search(said):
            raise self._failure(done)
        return done.out

    def table(self, entity: str, fields: tuple[str, ...], *conditions: str) -> Iterator[dict[str, str]]:
        """Rows of `sacctmgr show`, keyed by the fields asked for."""
        output = self.read("sacctmgr", "-nP", "show", entity, *conditions, f"format={','.join(fields)}")
        for line in output.splitlines():
            values = line.split("|")
            if len(values) != len(fields):
                raise Terminal(
                    f"sacctmgr show {entity}: a row of {len(values)} fields instead of {len(fields)}: {line[:100]!r}"
                )
            yield dict(zip(fields, values, strict=True))

    def records(self, *what: str) -> Iterator[dict[str, str]]:
        """Records of `scontrol -o show`, each `Key=value` by key; values keep their spaces."""
        for line in self.read("scontrol", "-o", "show", *what).splitlines():
            fields = dict(_pairs(line))
            if fields:
                yield fields

    def _run(self, argv: tuple[str, ...], timeout: float) -> Completed:
        environment = {
            "SLURM_CONF": str(self._conf),
            "TZ": "UTC",
            "LC_ALL": "C.UTF-8",
            "SLURM_TIME_FORMAT": "standard",
        }
        if not self._conf.exists() and "SLURM_CONF" in os.environ:
            del environment["SLURM_CONF"]
        return run(argv, timeout=timeout, env=environment)

    def _failure(self, done: Completed) -> Terminal | Unreachable:
        said = " ".join(f"{done.err} {done.out}".split())[:500]
        command = " ".join(done.argv[:4])
        if _AWAY.search(said):
            daemon = "slurmdbd" if done.argv[0] in ("sacctmgr", "sacct") else "slurmctld"
            return Unreachable(f"{command}: {said}; is {daemon} up? See its log, then run this again")
        return Terminal(f"{command}: {said or f'exit {done.code} without a word'}")


_PAIR = re.compile(r"(?:^| )([A-Za-z][A-Za-z0-9_:/]*)=")


def _pairs(line: str) -> Iterator[tuple[str, str]]:
    found = list(_PAIR.finditer(line))
    ends = [match.start() for match in found[1:]] + [len(line)]
    for match, end in zip(found, ends, strict=bool(found)):
        yield match[1], line[match.end() : end].strip()
