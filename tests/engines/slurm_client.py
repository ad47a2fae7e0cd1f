"""What tests ask of a running Slurm rig: client commands with a time limit, jobs, node states, accounting."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterable
from pathlib import Path

from tests.engines.chroots import AS_USER, Release
from tests.engines.errors import EngineError
from tests.engines.rig import Rig
from tests.engines.slurm_conf import SlurmLayout

ENDED = frozenset(
    {"CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "TIMEOUT"}
)


class SlurmClient(Rig):
    """The client side of a rig; `SlurmRig` fills these attributes when it starts.

    env: the environment of every client (SLURM_CONF among it). conf_dir: symbolic link to the configuration in force.
    conf_root: the folder it lies in, with the first generation `bootstrap`. restart_script, restart_slurmd_script:
    executable files, as a run-time configuration would name them. job_folder: where jobs write their output.
    """

    layout: SlurmLayout
    release: Release | None
    env: dict[str, str]
    conf_dir: Path
    conf_root: Path
    job_folder: Path
    restart_script: Path
    restart_slurmd_script: Path

    def run(
        self, *argv: str | Path, timeout: float = 20, check: bool = True, user: str | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a client command, as `user` if given. EngineError: non-zero exit (unless check=False) or time is up."""
        words = [str(word) for word in argv]
        env = self.env
        if user and self.release:
            env = {**env, AS_USER: user}
        elif user:
            words = ["setpriv", f"--reuid={user}", "--regid=users", "--init-groups", *words]
        try:
            done = subprocess.run(
                words,
                env=env,
                cwd=self.job_folder,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=timeout,
            )
        except subprocess.TimeoutExpired as error:
            raise EngineError(f"{' '.join(words)} did not end within {timeout:g} s") from error
        if check and done.returncode != 0:
            raise EngineError(
                f"{' '.join(words)} exited {done.returncode}: {done.stderr.strip() or done.stdout.strip()}"
            )
        return done

    def submit(
        self,
        command: str,
        *,
        user: str | None = None,
        account: str | None = None,
        qos: str | None = None,
        partition: str | None = None,
        nodes: int = 1,
        gpus_per_node: int = 0,
        minutes: int = 5,
        options: Iterable[str] = (),
    ) -> int:
        """sbatch `command` (shell text) and give its job id. EngineError with sbatch's words: it was refused."""
        given = {"account": account, "qos": qos, "partition": partition}
        words = [f"--{name}={value}" for name, value in given.items() if value]
        words += [f"--gpus-per-node={gpus_per_node}"] if gpus_per_node else []
        words += [f"--nodes={nodes}", f"--time={minutes}", f"--output={self.job_folder}/%j.out", *options]
        return int(
            self.run("sbatch", "--parsable", *words, f"--wrap={command}", user=user).stdout.split(";")[0]
        )

    def job(self, job_id: int) -> dict[str, str]:
        """The fields of `scontrol show job`, e.g. JobState, Reason, Account, NodeList."""
        return _fields(self.run("scontrol", "show", "job", "-o", str(job_id)).stdout)

    def job_output(self, job_id: int) -> str:
        """What the job has written so far."""
        path = self.job_folder / f"{job_id}.out"
        return path.read_text() if path.exists() else ""

    def wait_output(self, job_id: int, text: str, timeout: float = 30) -> None:
        """Wait until the job has written `text`. EngineError with what it has: time is up."""
        deadline = time.monotonic() + timeout
        while text not in (written := self.job_output(job_id)):
            if time.monotonic() > deadline:
                raise EngineError(
                    f"job {job_id} has not written {text!r} after {timeout:g} s, but {written!r}"
                )
            time.sleep(0.1)

    def wait_job(self, job_id: int, *states: str, timeout: float = 30) -> str:
        """Wait for one of these states and return it. EngineError: it ended in another one, or time is up."""
        deadline = time.monotonic() + timeout
        while (state := self.job(job_id)["JobState"]) not in states:
            if state in ENDED or time.monotonic() > deadline:
                facts = self.job(job_id)
                raise EngineError(f"job {job_id} is {state} ({facts['Reason']}), not {' or '.join(states)}")
            time.sleep(0.1)
        return state

    def node_states(self) -> dict[str, str]:
        """Node name → state as scontrol has it (IDLE, IDLE+DRAIN …), nodes without a partition too."""
        lines = self.run("scontrol", "show", "nodes", "-o").stdout.splitlines()
        return {facts["NodeName"]: facts["State"] for facts in map(_fields, lines) if "NodeName" in facts}

    def wait_nodes_idle(self, timeout: float = 30) -> None:
        """Wait until every node of the layout is IDLE. EngineError: which are not, when time is up."""
        deadline = time.monotonic() + timeout
        while busy := {name: state for name, state in self.node_states().items() if state != "IDLE"}:
            if time.monotonic() > deadline:
                log = self.scratch.tail("slurmctld.log", f"slurmd-{next(iter(busy))}.out")
                raise EngineError(f"nodes not idle after {timeout:g} s: {busy}\n{log}")
            time.sleep(0.1)

    def controlport(self) -> int:
        """The port under which slurmdbd knows this cluster's controller; 0: it has none registered."""
        show = ("sacctmgr", "-nP", "show", "cluster", "format=ControlPort", f"cluster={self.layout.cluster}")
        return int(self.run(*show).stdout.strip())


def _fields(line: str) -> dict[str, str]:
    return dict(word.split("=", 1) for word in line.split() if "=" in word)
