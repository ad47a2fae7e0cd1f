"""The rendered health check, run by a shell in a mount namespace of its own: what it finds, whom it drains, what it requeues."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from renderer.model.governance import Failures
from renderer.model.nodes import Nic
from renderer.model.site import Site
from renderer.slurm.capability import capability
from renderer.slurm.health import HealthCheck, health_check, health_script, return_to_service
from tests.unit.slurm_renderer.eight_nodes import site as eight_nodes

ALL = ("node_lost", "gpu_lost", "rail_down", "health_check")
NODE = "su01-n01"
_STUB = """\
#!/bin/sh
echo "{name} $*" >>{log}
case "{name} $*" in
    *"show node"*) printf 'NodeName={node} Arch=x\\n   State={state} Weight=1\\n   Reason={reason} [root@now]\\n' ;;
    *Format=JobID*) printf '%s\\n' {jobs} ;;
    *Format=AdminComment*) echo "{comment}      " ;;
    *"requeue {refused}") exit 1 ;;
esac
"""


@dataclass(frozen=True)
class Machine:
    """A node as the script finds it, and Slurm's clients as they answer."""

    folder: Path
    rails: dict[str, str] = field(default_factory=lambda: {"mlx5_0": "4: ACTIVE", "mlx5_1": "4: ACTIVE"})
    devices: int = 8
    listed: str | None = None
    state: str = "IDLE"
    reason: str = "(null)"
    jobs: str = ""
    comment: str = ""
    refused: str = "none"

    def run(self, site: Site, node: str = NODE) -> list[str]:
        """The commands that it gave which change something."""
        script, log = self.folder / "health.sh", self.folder / "log"
        script.write_text(health_script(site)["health.sh"])
        log.write_text("")
        clients = self.folder / "bin"
        clients.mkdir()
        for name in ("scontrol", "squeue"):
            text = _STUB.format(
                name=name, log=log, node=NODE, state=self.state, reason=self.reason, jobs=self.jobs,
                comment=self.comment, refused=self.refused,
            )  # fmt: skip
            (clients / name).write_text(text)
        if self.listed is not None:
            (clients / "nvidia-smi").write_text(f"#!/bin/sh\n{self.listed}\n")
        for path in clients.iterdir():
            path.chmod(0o755)
        commands = ["mount -t tmpfs tmpfs /sys", "mount -t tmpfs tmpfs /usr/sbin"]
        commands += [f"cp {clients}/* /usr/sbin/", "mkdir /sys/class"]
        for nic, port in self.rails.items():
            place = f"/sys/class/infiniband/{nic}/ports/1"
            commands.append(f"mkdir -p {place} && echo '{port}' >{place}/state")
        commands += [f"exec env -i SLURMD_NODENAME={node} sh {script}"]
        root = ["--map-root-user"] if os.geteuid() else []
        words = ["unshare", *root, "--mount", "--propagation", "private", "sh", "-ec", "\n".join(commands)]
        subprocess.run(words, check=True, timeout=60, stdout=subprocess.DEVNULL)
        return [
            line
            for line in log.read_text().splitlines()
            if line.split()[1] in ("update", "requeue", "requeuehold")
        ]


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return site_of(tmp_path, Failures(ALL[:3], 60, None, (), True, 3))


def site_of(folder: Path, failures: Failures, devices: int = 8) -> Site:
    """Eight nodes with two rails each, whose GPUs are character devices in `folder`."""
    base = eight_nodes()
    for number in range(devices):
        path = folder / f"nvidia{number}"
        if not path.exists():
            path.symlink_to("/dev/null")
    types = {
        name: replace(
            kind,
            nics=(Nic("mlx5_0", 1, 400), Nic("mlx5_1", 2, 400)),
            gpus=tuple(replace(gpu, file=f"{folder}/nvidia[0-7]") for gpu in kind.gpus),
        )
        for name, kind in base.nodes.types.items()
    }
    return replace(base, nodes=replace(base.nodes, types=types), failures=failures)


def drained(why: str) -> str:
    return f"scontrol update NodeName={NODE} State=DRAIN Reason=charter: {why}"


def test_a_healthy_node_is_left_alone(tmp_path: Path, site: Site) -> None:
    assert Machine(tmp_path, listed="for n in 1 2 3 4 5 6 7 8; do echo GPU $n: H200; done").run(site) == []


def test_a_port_that_is_down_or_gone_drains_and_names_each(tmp_path: Path, site: Site) -> None:
    found = Machine(tmp_path, rails={"mlx5_0": "1: DOWN"}).run(site)
    assert found == [drained("rail_down mlx5_0, rail_down mlx5_1")]


def test_a_lost_device_drains(tmp_path: Path, site: Site) -> None:
    (tmp_path / "nvidia3").unlink()
    assert Machine(tmp_path).run(site) == [drained("gpu_lost nvidia3")]


@pytest.mark.parametrize(
    ("listed", "why"), [("echo GPU 0: H200", "gpu_lost 1 of 8"), ("exit 9", "gpu_lost nvidia-smi fails")]
)
def test_a_gpu_that_is_not_listed_drains(tmp_path: Path, site: Site, listed: str, why: str) -> None:
    assert Machine(tmp_path, listed=listed).run(site) == [drained(why)]


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("echo ECC error; echo more; exit 3", "health_check ECC error"),
        ("echo '\"; reboot; $(id)' >&2; exit 1", "health_check  reboot id"),
        ("exit 1", "health_check failed"),
    ],
)
def test_the_site_s_own_check_drains_with_its_first_line(tmp_path: Path, program: str, why: str) -> None:
    check = tmp_path / "own check"
    check.write_text(f"#!/bin/sh\n{program}\n")
    check.chmod(0o755)
    site = site_of(tmp_path, Failures(ALL, 60, str(check), (), True, 3))
    assert Machine(tmp_path).run(site) == [drained(why)]


def test_a_check_that_is_missing_on_a_node_drains_it(tmp_path: Path) -> None:
    site = site_of(tmp_path, Failures(ALL, 60, "/opt/absent", (), True, 3))
    (found,) = Machine(tmp_path).run(site)
    assert found.startswith(drained("health_check timeout: failed to run command"))


def test_a_technician_s_drain_keeps_its_reason_and_its_jobs(tmp_path: Path, site: Site) -> None:
    machine = Machine(tmp_path, rails={}, state="IDLE+DRAIN", reason="fan, charter: no", jobs="7")
    assert machine.run(site) == []


def test_jobs_that_could_not_be_requeued_at_the_drain_are_requeued_at_the_next_check(
    tmp_path: Path, site: Site
) -> None:
    machine = Machine(tmp_path, rails={}, state="MIXED+DRAIN", reason="charter: rail_down", jobs="7")
    assert machine.run(site)[0] == "scontrol requeue 7"


def test_each_job_is_requeued_and_its_failures_are_counted_beside_what_others_noted(
    tmp_path: Path, site: Site
) -> None:
    machine = Machine(tmp_path, rails={}, jobs="7 9", comment="billed charter_failures=2", refused="9")
    assert machine.run(site)[1:] == [
        "scontrol requeue 7",
        "scontrol update JobId=7 AdminComment=billed charter_failures=3",
        "scontrol requeue 9",
    ]


def test_a_job_that_failed_too_often_is_held(tmp_path: Path, site: Site) -> None:
    machine = Machine(tmp_path, rails={}, jobs="7", comment="charter_failures=3")
    assert machine.run(site)[1] == "scontrol requeuehold 7"


def test_without_requeue_jobs_are_left(tmp_path: Path) -> None:
    site = site_of(tmp_path, Failures(ALL[:3], 60, None, (), False, 3))
    assert Machine(tmp_path, rails={}, jobs="7").run(site) == [drained("rail_down mlx5_0, rail_down mlx5_1")]


@pytest.mark.parametrize("node", ["su02-n04", "a-stranger"])
def test_excluded_and_unknown_hosts_are_not_looked_at(tmp_path: Path, node: str) -> None:
    site = site_of(tmp_path, Failures(ALL[:3], 60, None, ("su02-n04",), True, 3))
    assert Machine(tmp_path, rails={}).run(site, node) == []


def test_without_a_reason_to_look_there_is_no_script() -> None:
    site = replace(eight_nodes(), failures=Failures(("node_lost",), 60, None, (), True, 3))
    assert health_script(site) == {}
    assert return_to_service(site) == 0
    assert return_to_service(eight_nodes()) == 1


@pytest.mark.parametrize(
    ("version", "interval", "timeout"),
    [("24.11", 60, None), ("26.05", 60, 59), ("26.05", 300, 60), ("26.05", 5, 4)],
)
def test_a_release_that_has_a_time_limit_gets_one_below_the_interval(
    tmp_path: Path, version: str, interval: int, timeout: int | None
) -> None:
    site = site_of(tmp_path, Failures(ALL[:3], interval, None, (), True, 3))
    assert health_check(site, capability(version)[0]) == HealthCheck(
        "/etc/slurm/health.sh", interval, timeout
    )
