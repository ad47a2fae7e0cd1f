"""The reference site on the engines of this machine: one commit of inventory/ that names their ports, folders and devices."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from tests.engines.slurm_conf import SlurmLayout

ROOT = Path(__file__).parents[2]
UNIT = 32


@dataclass
class AdaptedSite:
    """A site's repository, its run-time configuration, and the command on both."""

    path: Path
    config: Path
    env: dict[str, str] = field(default_factory=dict)

    def charter(
        self, *arguments: str, expect: int | None = 0, timeout: float = 240
    ) -> subprocess.CompletedProcess[str]:
        """Run `charter … --config`; `expect` is the exit code wanted, None any."""
        command = [
            str(Path(sys.executable).with_name("charter")),
            *arguments,
            str(self.path),
            "--config",
            str(self.config),
        ]
        environment = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith(("CHARTER_", "SLURM_", "KUBECONFIG"))
        }
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout,
            env={**environment, **self.env},
        )
        if expect is not None:
            assert done.returncode == expect, (
                f"{arguments} ended with {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-6000:]}"
            )
        return done

    def edit(self, file: str, before: str, after: str, message: str = "change") -> None:
        """Replace a text once and commit."""
        path = self.path / file
        text = path.read_text()
        assert text.count(before) == 1, f"{file} holds {text.count(before)} times {before!r}"
        path.write_text(text.replace(before, after))
        self.commit(message)

    @contextmanager
    def for_a_while(self, file: str, before: str, after: str) -> Iterator[None]:
        """A commit that `edit`s, and in the end, whatever happens, one that takes it back."""
        self.edit(file, before, after)
        try:
            yield
        finally:
            self.edit(file, after, before, "change taken back")

    def remove(self, *files: str) -> None:
        """Remove files and commit."""
        for file in files:
            (self.path / file).unlink()
        self.commit(f"remove {', '.join(files)}")

    def commit(self, message: str) -> str:
        """Commit everything, and give the commit's id."""
        git(self.path, "add", "-A")
        git(self.path, "commit", "-q", "-m", message)
        return git(self.path, "rev-parse", "HEAD")


def git(path: Path, *arguments: str) -> str:
    """Run git in a repository."""
    identity = ["-c", "user.name=Tester", "-c", "user.email=tester@localhost", "-c", "commit.gpgSign=false"]
    done = subprocess.run(
        ["git", "-C", str(path), *identity, *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def reference_site(path: Path) -> AdaptedSite:
    """A repository that holds the reference site, committed."""
    path.mkdir(parents=True)
    for folder in ("inventory", "policies"):
        shutil.copytree(ROOT / folder, path / folder)
    (path / ".gitignore").write_text(".charter/\n")
    git(path, "init", "-q", "-b", "main")
    site = AdaptedSite(path, path.parent / "charter.yaml")
    site.commit("the reference site")
    return site


def adapt(site: AdaptedSite, layout: SlurmLayout, cluster_uid: str | None = None) -> None:
    """One commit of inventory/: addresses, ports, folders, device files, what one machine can bear. policies/ stays."""
    file = site.path / "inventory" / "site.yaml"
    document = yaml.safe_load(file.read_text())
    document["slurm"] |= {
        "cluster_name": layout.cluster,
        "version": "22.05",
        "slurmctld": [{"host": "localhost", "port": layout.slurmctld_port}],
        "slurmdbd": {"host": "localhost", "port": layout.slurmdbd_port},
        "slurmd_port": layout.slurmd_ports[0],
        "dirs": {
            "state": str(layout.state),
            "spool": str(layout.spool),
            "log": str(layout.log),
            "run": str(layout.run),
            "config": str(layout.run),  # no health.sh there: a machine without fabric would drain every node
        },
        "users": {"slurm": "root", "slurmd": "root"},
        "auth": {"type": "munge", "socket": str(layout.munge_socket)},
        "restart": {"slurmctld": "managed", "slurmd": "managed"},
    }
    if cluster_uid is not None:
        document["kubernetes"]["cluster_uid"] = cluster_uid
    file.write_text(yaml.safe_dump(document, sort_keys=False))
    _nodes(site.path / "inventory" / "nodes.yaml", layout)
    (site.path / "inventory" / "slurm.d" / "cgroup.conf").unlink()
    (site.path / "inventory" / "slurm.d" / "slurm.conf").write_text(_SLURM_D)
    site.commit("adapt the inventory to one machine")


_SLURM_D = """\
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
SlurmdParameters=config_overrides
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=2,sched_interval=2,bf_continue
AuthInfo=cred_expire=5
SlurmdTimeout=60
MailProg=/bin/true
"""


def _nodes(file: Path, layout: SlurmLayout) -> None:
    document = yaml.safe_load(file.read_text())
    for kind in document["types"].values():
        kind["gpus"][0]["file"] = layout.gpu_files
    port = layout.slurmd_ports[0]
    for group in document["groups"]:
        count = 16
        group |= {"address": "127.0.0.1", "hostname": "localhost", "port": f"[{port}-{port + count - 1}]"}
        port += count
    file.write_text(yaml.safe_dump(document, sort_keys=False))


def host_names() -> list[str]:
    """The reference site's hosts in inventory order."""
    return [f"su{unit:02d}-n{number:02d}" for unit in (1, 2) for number in range(1, UNIT + 1)]
