"""A whole Slurm cluster on this machine: munged, MariaDB, slurmdbd, slurmctld and one slurmd a node, as root.

Nodes are slurmd processes on ports of their own, with device files made for their GPUs. The configuration is read
through `conf_dir`, a symbolic link, so that a test can switch it to another generation as Charter does. Job and
account helpers are in `slurm_client`, which this class extends.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from tests.engines.chroots import copy_users, releases, write_wrappers
from tests.engines.errors import EngineError
from tests.engines.os_users import claim_users
from tests.engines.slurm_client import SlurmClient
from tests.engines.slurm_conf import SlurmLayout, bootstrap_conf, slurmdbd_conf
from tests.engines.slurm_database import NAME, Database, answers, install_database, start_database
from tests.engines.slurm_node import kill_node
from tests.engines.slurm_scripts import write_scripts
from tests.engines.versions import read_pins

PROGRAMS = (
    "munged",
    "mariadbd",
    "mariadb-install-db",
    "slurmdbd",
    "slurmctld",
    "slurmd",
    "sacctmgr",
    "scontrol",
)
MAX_NODES = 100
EIGHT = ("n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8")


class SlurmRig(SlurmClient):
    """`with SlurmRig(nodes=…) as rig:` gives a running cluster whose nodes are idle; leaving ends all of it.

    cluster: ClusterName. nodes: names; slurmd_ports follow their order. release: None is this machine's Slurm, else a later
    one of versions.toml. configure: called with the layout before the daemons start, returns {file name: text} instead of
    `bootstrap_conf`'s. EngineError: what did not start, with its log.
    """

    def __init__(
        self,
        nodes: Sequence[str] = EIGHT,
        *,
        cluster: str = "rig",
        gpu_type: str = "h200",
        gpu_count: int = 8,
        release: str | None = None,
        configure: Callable[[SlurmLayout], dict[str, str]] = bootstrap_conf,
    ) -> None:
        if not 1 <= len(nodes) <= MAX_NODES:
            raise EngineError(f"a Slurm rig has 1 to {MAX_NODES} nodes, not {len(nodes)}")
        self._nodes, self._cluster, self._gpus = tuple(nodes), cluster, (gpu_type, gpu_count)
        self._configure = configure
        self.release = None if release is None else releases(read_pins())[release]
        self.name, self.port_count = "slurm", len(nodes) + 3

    def restart_slurmctld(self) -> None:
        """Stop slurmctld and start it on what conf_dir names now. EngineError with its log: it did not come up."""
        self.run(self.restart_script, timeout=60)

    def restart_slurmds(self, *names: str) -> None:
        """The same for these slurmds, or all; running jobs go on. Wait with `wait_nodes_idle`."""
        self.run(self.restart_slurmd_script, *names, timeout=60)

    def lose_node(self, name: str) -> None:
        """The node dies: its slurmd and everything of its jobs, at once. `restart_slurmds(name)` brings it back."""
        kill_node(self.scratch.path, name)

    def add_os_users(self, names: Iterable[str]) -> None:
        """Make the users that this machine lacks; those made go when the last rig that wants them stops."""
        claim_users(names, self.scratch.path.name)
        if self.release:
            copy_users(self.release)

    def _start(self) -> None:
        _require_programs()
        self._prepare()
        self._start_daemons()

    def _prepare(self) -> None:
        root = self.scratch.path
        if self.release:
            copy_users(self.release)
            self.scratch.tools = root / "bin"
            write_wrappers(self.release, self.scratch.tools)
        self.layout = SlurmLayout(
            cluster=self._cluster,
            nodes=self._nodes,
            slurmctld_port=self.ports[0],
            slurmdbd_port=self.ports[1],
            slurmd_ports=self.ports[3:],
            munge_socket=root / "munge" / "socket",
            state=self.scratch.folder("state"),
            spool=self.scratch.folder("spool"),
            run=self.scratch.folder("run"),
            log=self.scratch.folder("log"),
            gpu_type=self._gpus[0],
            gpu_count=self._gpus[1],
            gpu_files=f"{root}/dev/nvidia[0-{self._gpus[1] - 1}]",
            cgroup_conf="CgroupPlugin=disabled\n" if self.release else "# no control groups are used\n",
            release=self.release.name if self.release else "22.05",
        )
        self.job_folder = self.scratch.folder("jobs", mode=0o1777)
        _make_devices(self.scratch.folder("dev"), self._gpus[1])
        self._write_configuration()
        self.env = {**self.scratch.environment, "SLURM_CONF": f"{self.conf_dir}/slurm.conf"}
        self.restart_script, self.restart_slurmd_script = write_scripts(root, self.env, self._nodes)

    def _write_configuration(self) -> None:
        self.conf_root = self.scratch.folder("etc")
        first = self.scratch.folder("etc", "bootstrap")
        for name, text in self._configure(self.layout).items():
            (first / name).write_text(text)
        self.conf_dir = self.conf_root / "current"
        self.conf_dir.symlink_to(first)

    def _start_daemons(self) -> None:
        installing = install_database(self.scratch)
        self._start_munged()
        database = start_database(self.scratch, self.ports[2], installing)
        self._configure_slurmdbd(database)
        self.start_slurmdbd()
        self.run("sacctmgr", "-i", "add", "cluster", self._cluster)
        self.restart_slurmctld()
        self.restart_slurmds()
        self.wait_nodes_idle()

    def _start_munged(self) -> None:
        key = self.scratch.folder("munge") / "key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        socket, run, log = self.layout.munge_socket, self.layout.run, self.layout.log
        files = (
            f"--pid-file={run}/munged.pid",
            f"--log-file={log}/munged.log",
            f"--seed-file={run}/munged.seed",
        )
        self.scratch.start(
            "munged", "munged", "--foreground", f"--key-file={key}", f"--socket={socket}", *files
        )
        self.scratch.await_ready("munged", socket.exists, 10)

    def stop_slurmdbd(self) -> None:
        """The accounting database is away; slurmctld goes on without it."""
        self.scratch.stop("slurmdbd")

    def start_slurmdbd(self) -> None:
        """It is back. EngineError with its log: it did not come up."""
        beside = {
            "SLURM_CONF": str(self.scratch.folder("slurmdbd") / "slurm.conf")
        }  # slurmdbd.conf is looked up beside it
        self.scratch.start("slurmdbd", "slurmdbd", "-D", environment=beside)
        self.scratch.await_ready("slurmdbd", lambda: answers(self.layout.slurmdbd_port), 30, "slurmdbd.log")

    def _configure_slurmdbd(self, database: Database) -> None:
        storage = f"StorageHost=127.0.0.1\nStoragePort={database.port}\nStorageUser={database.user}\n"
        storage += f"StoragePass={database.password}\nStorageLoc={NAME}\n"
        conf = self.scratch.folder("slurmdbd") / "slurmdbd.conf"
        conf.touch(mode=0o600)
        conf.write_text(slurmdbd_conf(self.layout, storage))


def _make_devices(folder: Path, count: int) -> None:
    for number in range(count):
        device = folder / f"nvidia{number}"
        os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, 3))  # /dev/null's: Slurm takes device files only
        device.chmod(0o666)


def _require_programs() -> None:
    if os.geteuid() != 0:
        raise EngineError(
            "a Slurm rig makes device files and runs jobs as other users: run the tests as root"
        )
    missing = [program for program in PROGRAMS if not shutil.which(program, path="/usr/sbin:/usr/bin")]
    if missing:
        raise EngineError(f"{', '.join(missing)} not found: run `make engines` to install Slurm")
