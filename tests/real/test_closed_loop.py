"""The whole path on live Slurm and Kubernetes: the reference site on 64 nodes, changes by commit, removal, refusals, crashes."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

from tests.engines.kubernetes import KubernetesRig
from tests.engines.slurm import SlurmRig
from tests.real.adapted import AdaptedSite, adapt, git, host_names, reference_site

pytestmark = pytest.mark.real
PEOPLE = (
    "asta",
    "bjarni",
    "dora",
    "egill",
    "freyja",
    "gunnar",
    "helga",
    "ivar",
    "jonas",
    "katla",
    "lara",
    "magnus",
)


@pytest.fixture(scope="module")
def rig() -> Iterator[SlurmRig]:
    with SlurmRig(host_names(), cluster="aurora") as running:
        running.add_os_users(PEOPLE)
        yield running


@pytest.fixture(scope="module")
def cluster() -> Iterator[KubernetesRig]:
    with KubernetesRig() as running:
        running.create_nodes(host_names())
        running.kubectl("create", "namespace", "strangers")
        yield running


def _key(path: Path) -> Path:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)
    return path


def _found_log(site: AdaptedSite, folder: Path) -> None:
    """Rooted, as for a live engine it must be."""
    root = _key(folder / "root")
    draft = folder / "draft"
    site.charter(
        "audit", "init", "--draft", str(draft), "--origin", "audit.example/aurora", "--root", f"{root}.pub"
    )
    subprocess.run(
        ["ssh-keygen", "-q", "-Y", "sign", "-n", "charter-genesis", "-f", str(root), str(draft)], check=True
    )
    done = site.charter("audit", "init", "--signed", str(draft), "--signature", f"{draft}.sig")
    (folder / "trust").write_text(done.stdout)


@pytest.fixture(scope="module")
def site(rig: SlurmRig, cluster: KubernetesRig, tmp_path_factory: pytest.TempPathFactory) -> AdaptedSite:
    """The reference site, adapted by one commit and applied by one `reconcile --once`."""
    folder = tmp_path_factory.mktemp("slurm")
    made = reference_site(folder / "site")
    adapt(made, rig.layout, cluster.kube_system_uid)
    made.config.write_text(
        f"""\
state_dir: {folder}/state
audit_key: {_key(folder / "log")}
poll_seconds: 2
targets:
  slurm:
    conf_dir: {rig.conf_dir}
    restart_slurmctld: ["{rig.restart_script}"]
    restart_slurmd: ["{rig.restart_slurmd_script}"]
  kubernetes: {{kubeconfig: {cluster.kubeconfig}}}
"""
    )
    refused = made.charter("apply", expect=1)
    assert "charter audit init" in refused.stderr
    _found_log(made, folder)
    rig.run(
        "sacctmgr",
        "-i",
        "add",
        "account",
        "strangers",
        "cluster=aurora",
        "description=somebody",
        "organization=else",
    )
    rig.run("sacctmgr", "-i", "add", "qos", "strange", "priority=7")
    made.charter("reconcile", "--once")
    rig.wait_nodes_idle()
    return made


def _rows(rig: SlurmRig, entity: str, *fields: str) -> list[list[str]]:
    out = rig.run("sacctmgr", "-nP", "show", entity, f"format={','.join(fields)}").stdout
    return [line.split("|") for line in out.splitlines()]


def _limit(rig: SlurmRig, account: str) -> str:
    rows = _rows(rig, "assoc", "Account", "User", "GrpTRES")
    return next(row[2] for row in rows if row[0] == account and not row[1])


def _until(wanted: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not wanted():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.2)


def _transactions(rig: SlurmRig) -> int:
    return len(_rows(rig, "transactions", "Time", "Action"))


def test_live_slurm_agrees_with_the_yaml(rig: SlurmRig, site: AdaptedSite) -> None:
    topology = rig.run("scontrol", "show", "topology").stdout
    assert "SwitchName=su01 Level=0 LinkSpeed=1 Nodes=su01-n[01-32]" in topology
    assert (
        "SwitchName=spine Level=1 LinkSpeed=1 Nodes=su01-n[01-32],su02-n[01-32] Switches=su[01-02]"
        in topology
    )
    partitions = rig.run("scontrol", "-o", "show", "partition").stdout
    assert "Nodes=su01-n[01-24],su02-n[01-24]" in partitions
    assert "AllowAccounts=regulator,regulator-evaluation" in partitions
    reservations = rig.run("scontrol", "-o", "show", "reservation").stdout
    assert (
        "ReservationName=foundation-run StartTime=2027-02-01T07:56:00 EndTime=2027-02-22T08:00:00"
        in reservations
    )
    assert "MAINT,IGNORE_JOBS,WEEKLY" in reservations
    assert ["mission", "3000", "scavenger,standard"] in _rows(rig, "qos", "Name", "Priority", "Preempt")
    assert set(_limit(rig, "language-pretrain").split(",")) == {"gres/gpu=256", "gres/gpu:h200=256"}
    assert ["language-pretrain", "helga"] in _rows(rig, "assoc", "Account", "User")
    site.charter("plan")
    site.charter("audit", "verify")


def test_live_kubernetes_agrees_with_the_yaml(cluster: KubernetesRig, site: AdaptedSite) -> None:
    assert _quota(cluster, "weather-nowcast") == "24"
    assert _quota(cluster, "weather-climate") == "0"
    names = cluster.kubectl(
        "get", "namespaces", "-l", "app.kubernetes.io/managed-by=charter", "-o", "name"
    ).stdout.split()
    programmes = [name for name in names if name != "namespace/charter-system"]
    assert len(programmes) == 8
    planes = cluster.kubectl("get", "nodes", "-L", "charter.dev/plane", "--no-headers").stdout.splitlines()
    assert [line.split()[-1] for line in planes].count("training") == 48
    assert [line.split()[-1] for line in planes].count("inference") == 12


def _quota(cluster: KubernetesRig, namespace: str) -> str:
    path = "jsonpath={.items[0].spec.hard.requests\\.nvidia\\.com/gpu}"
    return cluster.kubectl("get", "resourcequota", "-n", namespace, "-o", path).stdout


def _revision(cluster: KubernetesRig) -> str:
    """Version of everything that Charter could write; of nodes, which controllers write all the time, what Charter wrote and when."""
    path = "jsonpath={range .items[*]}{.metadata.uid}={.metadata.resourceVersion} {end}"
    ours = "jsonpath={range .items[*]}{.metadata.labels}{.metadata.managedFields[?(@.manager=='charter')].time} {end}"
    objects = cluster.kubectl("get", "namespaces,resourcequotas,configmaps", "-A", "-o", path).stdout
    return objects + cluster.kubectl("get", "nodes", "--show-managed-fields", "-o", ours).stdout


def test_a_second_apply_writes_nothing_counted_at_the_engines(
    rig: SlurmRig, cluster: KubernetesRig, site: AdaptedSite
) -> None:
    transactions, log = (
        _transactions(rig),
        (rig.layout.log / "slurmctld.log").read_text().count("reconfigure"),
    )
    link, boot, revision = rig.conf_dir.readlink(), _boot(rig), _revision(cluster)
    site.charter("apply")
    assert _revision(cluster) == revision
    assert _transactions(rig) == transactions
    assert (rig.layout.log / "slurmctld.log").read_text().count("reconfigure") == log
    assert (rig.conf_dir.readlink(), _boot(rig)) == (link, boot)


def _boot(rig: SlurmRig) -> str:
    return next(
        line
        for line in rig.run("scontrol", "show", "config").stdout.splitlines()
        if line.startswith("BOOT_TIME")
    )


def test_a_job_runs_under_the_programmes_account(rig: SlurmRig, site: AdaptedSite) -> None:
    job = rig.submit(
        "echo $SLURM_JOB_ACCOUNT $CUDA_VISIBLE_DEVICES",
        user="helga",
        account="language-pretrain",
        gpus_per_node=8,
    )
    rig.wait_job(job, "COMPLETED", timeout=60)
    assert rig.job_output(job).split() == ["language-pretrain", "0,1,2,3,4,5,6,7"]
    facts = rig.job(job)
    assert (facts["QOS"], facts["Partition"]) == ("mission", "train")


def test_a_quota_changed_by_commit_is_seen_by_the_running_loop(
    rig: SlurmRig, cluster: KubernetesRig, site: AdaptedSite
) -> None:
    command = [
        str(Path(sys.executable).with_name("charter")),
        "reconcile",
        str(site.path),
        "--config",
        str(site.config),
    ]
    loop = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        site.edit(
            "policies/tenants/weather.yaml", "{guarantee: 64, limit: 96}", "{guarantee: 64, limit: 112}"
        )
        _until(lambda: "gres/gpu=112" in _limit(rig, "weather-nowcast"))
    finally:
        loop.send_signal(signal.SIGTERM)
        said, _ = loop.communicate(timeout=60)
    assert loop.returncode == 0, said
    assert "stopped" in said
    site.charter("plan")


def _state_in_accounting(rig: SlurmRig, job: int) -> str:
    return rig.run("sacct", "-nPX", "-j", str(job), "-o", "State").stdout.strip()


def test_a_broken_configuration_is_refused_in_check_and_the_live_cluster_keeps_the_old(
    rig: SlurmRig, site: AdaptedSite
) -> None:
    job = rig.submit("sleep 120", user="gunnar", account="weather-climate", gpus_per_node=1)
    rig.wait_job(job, "RUNNING")
    _until(lambda: _state_in_accounting(rig, job) == "RUNNING")  # slurmctld tells slurmdbd a little later
    port, link = rig.controlport(), rig.conf_dir.readlink()
    with site.for_a_while(
        "inventory/slurm.d/slurm.conf", "SlurmdTimeout=60", "SlurmdTimeout=60\nFairShareDampeningFactr=3"
    ):
        refused = site.charter("apply", expect=1)
    assert "FairShareDampeningFactr" in refused.stderr
    assert (rig.controlport(), rig.conf_dir.readlink()) == (port, link)
    assert rig.job(job)["JobState"] == "RUNNING"
    assert _state_in_accounting(rig, job) == "RUNNING"
    rig.run("scancel", str(job))
    site.charter("apply")


def test_the_wrong_cluster_is_refused_and_nothing_is_written(
    rig: SlurmRig, cluster: KubernetesRig, site: AdaptedSite
) -> None:
    transactions, link, revision = _transactions(rig), rig.conf_dir.readlink(), _revision(cluster)
    with site.for_a_while("inventory/site.yaml", "cluster_name: aurora", "cluster_name: borealis"):
        refused = site.charter("apply", expect=1)
    assert "'aurora'" in refused.stderr
    assert "'borealis'" in refused.stderr
    assert (_transactions(rig), rig.conf_dir.readlink()) == (transactions, link)
    stranger = "00000000-0000-4000-8000-000000000000"
    with site.for_a_while("inventory/site.yaml", cluster.kube_system_uid, stranger):
        refused = site.charter("apply", expect=1)
    assert cluster.kube_system_uid in refused.stderr
    assert (_transactions(rig), rig.conf_dir.readlink(), _revision(cluster)) == (transactions, link, revision)
    site.charter("apply")


KILLED = """
import os, signal, sys
import reconciler.loop.story as story
import reconciler.targets.slurm.accounting as accounting
def die(*_a, **_k):
    os.kill(os.getpid(), signal.SIGKILL)
place = sys.argv.pop(1)
if place == "after the intent":
    story.run_phases = die
elif place == "half way":
    accounting.update = die
else:
    story.seal_outcome = die
from reconciler.cli.main import main
main()
"""


@pytest.mark.parametrize(
    ("place", "limit"), [("after the intent", 97), ("half way", 98), ("before the outcome", 99)]
)
def test_killed_between_intent_and_outcome_the_next_run_converges(
    rig: SlurmRig, site: AdaptedSite, place: str, limit: int
) -> None:
    text = (site.path / "policies/tenants/health.yaml").read_text()
    before = next(line for line in text.splitlines() if "guarantee: 48" in line)
    after = before.rpartition("limit: ")[0] + f"limit: {limit}}}}}"
    site.edit("policies/tenants/health.yaml", before, after)
    command = [sys.executable, "-c", KILLED, place, "apply", str(site.path), "--config", str(site.config)]
    assert subprocess.run(command, capture_output=True, check=False, timeout=120).returncode == -9
    site.charter("audit", "verify")
    site.charter("apply")
    assert f"gres/gpu={limit}" in _limit(rig, "health-screening")
    site.charter("plan")
    site.charter("audit", "verify")


def _many_limits(site: AdaptedSite, rise: int) -> int:
    """A commit that changes the limit of every programme, each to another number; how many there are."""
    count = 0
    for file in sorted((site.path / "policies" / "tenants").glob("*.yaml")):
        document = yaml.safe_load(file.read_text())
        for part in document["programs"].values():
            for grant in part["quota"].get("training", {}).values():
                count += 1
                grant["limit"] += rise + count
        file.write_text(yaml.safe_dump(document, sort_keys=False))
    site.commit(f"limits raised by {rise}")
    return count


def _started(
    site: AdaptedSite, config: Path, environment: dict[str, str] | None = None
) -> subprocess.Popen[str]:
    """An apply that runs on by itself."""
    command = [
        str(Path(sys.executable).with_name("charter")),
        "apply",
        str(site.path),
        "--config",
        str(config),
    ]
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command, stdout=pipe, stderr=pipe, text=True, env={**os.environ, **(environment or {})}
    )


def _sacctmgr(folder: Path, before_each_modify: str) -> dict[str, str]:
    """An environment whose `sacctmgr` runs some lines of shell before each `modify`."""
    script = folder / "sacctmgr"
    script.write_text(
        f"""#!/bin/sh
case "$*" in *modify*)
{before_each_modify}
;; esac
exec /usr/bin/sacctmgr "$@"
"""
    )
    script.chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}"}


def test_of_two_appliers_with_states_of_their_own_one_is_told_that_another_writes(
    rig: SlurmRig, site: AdaptedSite, tmp_path: Path
) -> None:
    other = tmp_path / "other.yaml"
    folder = site.config.parent
    other.write_text(
        site.config.read_text().replace(f"state_dir: {folder}/state", f"state_dir: {tmp_path}/state")
    )
    _many_limits(site, 1)
    tip = git(site.path, "rev-parse", "audit")
    first = _started(site, site.config, _sacctmgr(tmp_path, "sleep 1"))
    _until(lambda: git(site.path, "rev-parse", "audit") != tip)
    second = _started(site, other)
    said = second.communicate(timeout=240)[1] + first.communicate(timeout=240)[1]
    assert (first.returncode, second.returncode) == (0, 4), said
    site.charter("plan")
    site.charter("audit", "verify")


def test_a_database_that_goes_away_half_way_leaves_nothing_lost(
    rig: SlurmRig, site: AdaptedSite, tmp_path: Path
) -> None:
    _many_limits(site, 2)
    before = _transactions(rig)
    running = _started(site, site.config, _sacctmgr(tmp_path, "sleep 1"))
    _until(lambda: _transactions(rig) > before)
    rig.stop_slurmdbd()
    try:
        said = running.communicate(timeout=240)[1]
        assert running.returncode in (1, 5), said
        assert "is slurmdbd up?" in said
        away = site.charter("apply", expect=1)
        assert "is slurmdbd up?" in away.stderr
    finally:
        rig.start_slurmdbd()
    site.charter("apply")
    site.charter("plan")
    site.charter("audit", "verify")


@pytest.mark.parametrize("seconds", [0.02, 0.1, 0.25])
def test_commands_that_are_killed_half_way_are_carried_on(
    rig: SlurmRig, site: AdaptedSite, tmp_path: Path, seconds: float
) -> None:
    """`sacctmgr modify` dies the second time it is called, after so many seconds."""
    calls = tmp_path / "calls"
    calls.touch()
    environment = _sacctmgr(
        tmp_path,
        f"""echo x >>{calls}
if [ "$(wc -l <{calls})" = 2 ]; then exec timeout -s KILL {seconds} /usr/bin/sacctmgr "$@"; fi""",
    )
    _many_limits(site, int(seconds * 100))
    running = _started(site, site.config, environment)
    said = running.communicate(timeout=240)[1]
    assert len(calls.read_text().split()) >= 2
    assert running.returncode in (0, 1, 5), said
    site.charter("apply")
    site.charter("plan")
    site.charter("audit", "verify")


def test_drift_is_found_and_mended(rig: SlurmRig, site: AdaptedSite) -> None:
    rig.run("sacctmgr", "-i", "modify", "qos", "where", "name=standard", "set", "priority=5")
    plan = site.charter("plan", expect=2)
    assert "~ priority = 5 -> 2000" in plan.stdout
    site.charter("apply")
    assert ["standard", "2000"] in _rows(rig, "qos", "Name", "Priority")


def test_a_removed_tenant_is_closed_its_job_announced_and_cancelled_only_when_confirmed(
    rig: SlurmRig, cluster: KubernetesRig, site: AdaptedSite
) -> None:
    job = rig.submit("sleep 600", user="dora", account="health-genomics", gpus_per_node=2, minutes=30)
    rig.wait_job(job, "RUNNING")
    site.remove("policies/tenants/health.yaml", "policies/members/health.yaml")
    plan = site.charter("plan", expect=2)
    assert f"hits job {job} of dora (health-genomics): running, 2 GPUs" in plan.stdout
    assert "--confirm jobs" in plan.stdout
    site.charter("apply", expect=5)
    assert rig.job(job)["JobState"] == "RUNNING"
    late = rig.run("sbatch", "--account=health-genomics", "--wrap=true", user="dora", check=False)
    assert late.returncode != 0
    entries = len(site.charter("audit", "log").stdout.splitlines())
    site.charter("apply", expect=5)
    assert len(site.charter("audit", "log").stdout.splitlines()) == entries
    site.charter("apply", "--confirm", "jobs")
    assert rig.job(job)["JobState"] in ("CANCELLED", "COMPLETING")
    assert not [row for row in _rows(rig, "assoc", "Account") if row[0].startswith("health")]
    assert "health" not in cluster.kubectl("get", "namespaces", "-o", "name").stdout
    site.charter("plan")


def test_what_is_foreign_survived_everything(
    rig: SlurmRig, cluster: KubernetesRig, site: AdaptedSite
) -> None:
    assert "namespace/strangers" in cluster.kubectl("get", "namespaces", "-o", "name").stdout.split()
    assert ["strangers", "somebody"] in _rows(rig, "account", "Account", "Description")
    assert ["strange", "7"] in _rows(rig, "qos", "Name", "Priority")
    assert ["normal"] in _rows(rig, "qos", "Name")


def test_the_log_verifies_against_its_trust_file_by_both_verifiers(site: AdaptedSite) -> None:
    trust = site.config.parent / "trust"
    site.charter("audit", "verify", "--trust", str(trust))
    script = Path(__file__).parents[2] / "verify.sh"
    done = subprocess.run(
        ["sh", str(script), "--trust", str(trust), str(site.path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_nothing_of_the_engine_is_left_in_the_site(site: AdaptedSite) -> None:
    assert not (site.path / ".charter").exists()
    shutil.rmtree(site.config.parent / "state")
