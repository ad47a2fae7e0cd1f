"""Decisions of the Slurm renderer, one a test."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from renderer.errors import RenderError
from renderer.model.cluster import ControlHost, Manage, SlurmAuth
from renderer.model.fabric import Fabric
from renderer.model.nodes import Gpu, Node, NodeGroup, Nodes, NodeType
from renderer.model.site import Site
from renderer.model.tenants import Grant
from renderer.resource import Key
from renderer.rules.guard import guard
from renderer.slurm import render
from renderer.slurm.accounts import gpu_limits
from renderer.slurm.capability import capability
from renderer.slurm.priority import weights
from renderer.slurm.raw import logical_lines
from tests.unit.slurm_renderer.eight_nodes import NOW, site


def fields(given: Site, kind: str, name: str) -> dict[str, Any]:
    found = {item.key: item.fields for item in render(given, NOW)[0]}
    return dict(found[Key("slurm", kind, name)])


def lines(given: Site, file: str = "slurm.conf") -> list[str]:
    text: str = fields(given, "config", file)["content"]
    return text.splitlines()


def with_slurm(**changes: object) -> Site:
    original = site()
    slurm = replace(original.cluster.slurm, **changes)  # type: ignore[arg-type]
    return replace(original, cluster=replace(original.cluster, slurm=slurm))


def with_raw(text: str, file: str = "slurm.conf") -> Site:
    return replace(site(), slurm_d={file: text})


def with_manage(**levels: str) -> Site:
    original = site()
    return replace(original, cluster=replace(original.cluster, manage=Manage(**levels)))  # type: ignore[arg-type]


def test_every_host_of_every_plane_is_a_node_and_none_is_drained() -> None:
    nodes = [line for line in lines(site()) if line.startswith("NodeName=")]
    assert [line.split()[0] for line in nodes] == ["NodeName=su01-n[01-04]", "NodeName=su02-n[01-04]"]
    assert not any("DRAIN" in line for line in lines(site()))


def test_partitions_hold_training_hosts_only() -> None:
    train = next(line for line in lines(site()) if line.startswith("PartitionName=train"))
    assert " Nodes=su01-n[01-03],su02-n[01-03] " in train


def test_partition_without_a_training_host_has_no_nodes() -> None:
    given = site()
    door = replace(given.partitions["evaluate"], hosts=("su01-n04",))
    changed = replace(given, partitions={"evaluate": door})
    line = next(line for line in lines(changed) if line.startswith("PartitionName=evaluate"))
    assert " Nodes=" not in line


def test_partition_names_accounts_of_tenant_and_programmes() -> None:
    assert any("AllowAccounts=weather,weather-nowcast " in line for line in lines(site()))


def test_header_names_no_commit_and_is_the_same_at_any_time() -> None:
    later = render(site(), NOW + timedelta(days=3))[0]
    now = render(site(), NOW)[0]
    assert [r for r in later if r.key.kind == "config"] == [r for r in now if r.key.kind == "config"]


def test_list_keys_merge_by_part() -> None:
    assert "AuthInfo=socket=/run/munge/munge.socket.2,cred_expire=10" in lines(site())
    assert "SchedulerParameters=bf_continue,bf_interval=30" in lines(site())


def test_slurm_d_may_not_contradict_a_part() -> None:
    with pytest.raises(
        RenderError, match="AuthInfo says socket=/else where Charter writes socket=/run/munge"
    ):
        render(with_raw("AuthInfo=socket=/else\n"), NOW)


def test_repeated_part_is_written_once() -> None:
    assert "ReconfigFlags=KeepPartState" in lines(with_raw("ReconfigFlags=keeppartstate\n"))


def test_key_that_the_release_does_not_know_is_refused_with_its_line() -> None:
    given = with_slurm(version="22.05")
    raw = replace(given, slurm_d={"slurm.conf": "\n# note\nPreemptParameters=send_user_signal\n"})
    with pytest.raises(RenderError, match=r"slurm.d/slurm.conf:3: PreemptParameters: .*24.11"):
        render(raw, NOW)


def test_key_that_the_release_knows_is_kept() -> None:
    assert "PreemptParameters=send_user_signal" in lines(with_raw("PreemptParameters=send_user_signal\n"))


def test_defunct_key_is_refused_from_its_release_on() -> None:
    with pytest.raises(RenderError, match=r"defunct from 24\.11 on"):
        render(with_raw("PowerPlugin=power/none\n"), NOW)
    given = replace(with_slurm(version="22.05"), slurm_d={"slurm.conf": "PowerPlugin=power/none\n"})
    given = replace(given, reservations={})
    assert "PowerPlugin=power/none" in lines(given)


def test_continued_lines_are_joined_and_comments_dropped() -> None:
    assert list(logical_lines("A=1,\\\n2 # why\n\n#x\nB=\\#3\n")) == [(1, "A=1,2"), (5, "B=\\#3")]


def test_other_files_of_slurm_d_pass_through() -> None:
    assert lines(site(), "plugstack.conf") == ["optional /usr/lib/slurm/pyxis.so"]


def test_spool_folder_is_one_a_node() -> None:
    assert "SlurmdSpoolDir=/var/spool/slurmd/%n" in lines(site())
    dirs = replace(site().cluster.slurm.dirs, spool="/data/%n/spool")
    assert "SlurmdSpoolDir=/data/%n/spool" in lines(with_slurm(dirs=dirs))


def test_munge_socket_reaches_slurmdbd_too() -> None:
    assert "AccountingStoragePass=/run/munge/munge.socket.2" in lines(site())
    assert not any(
        line.startswith("AccountingStoragePass") for line in lines(with_slurm(auth=SlurmAuth("munge")))
    )


def test_auth_slurm_needs_a_release_that_has_it() -> None:
    found = lines(with_slurm(auth=SlurmAuth("slurm")))
    assert {"AuthType=auth/slurm", "CredType=auth/slurm"} <= set(found)
    assert not any(line.startswith("AccountingStoragePass") for line in found)
    with pytest.raises(RenderError, match=r"upgrade to 24\.11"):
        render(replace(with_slurm(version="22.05", auth=SlurmAuth("slurm")), reservations={}), NOW)


def test_configless_is_told_to_the_controller() -> None:
    assert "SlurmctldParameters=enable_configless" in lines(with_slurm(distribution="configless"))
    assert not any(line.startswith("SlurmctldParameters") for line in lines(site()))


def test_controllers_share_one_port() -> None:
    with pytest.raises(RenderError, match=r"ports \[6817, 7000\]"):
        render(with_slurm(slurmctld=(ControlHost("a"), ControlHost("b", port=7000))), NOW)


def test_value_that_would_start_a_line_is_refused() -> None:
    with pytest.raises(RenderError, match="line break"):
        render(with_slurm(cluster_name="x\nPluginDir=/tmp"), NOW)


def test_value_with_a_space_is_refused() -> None:
    given = site()
    group = replace(given.nodes.groups[0], features=("a b",))
    with pytest.raises(RenderError, match="Features='a b'"):
        render(replace(given, nodes=replace(given.nodes, groups=(group,))), NOW)


def test_parts_managed_off_are_left_out() -> None:
    found = {item.key for item in render(with_manage(config="off", topology="off", qos="off"), NOW)[0]}
    assert {key.kind for key in found} == {"account", "association", "coordinator", "reservation"}
    found = {item.key for item in render(with_manage(accounts="off", reservations="off"), NOW)[0]}
    assert {key.kind for key in found} == {"config", "qos"}


def test_partitions_and_tree_off_leave_no_line() -> None:
    found = lines(with_manage(partitions="off", topology="off"))
    assert not any(line.startswith(("PartitionName", "TopologyPlugin")) for line in found)


def test_topology_off_lets_slurm_d_bring_the_file() -> None:
    given = replace(with_manage(topology="off"), slurm_d={"topology.conf": "SwitchName=s Nodes=ALL\n"})
    assert lines(given, "topology.conf") == ["SwitchName=s Nodes=ALL"]


def test_hosts_without_cables_are_a_leaf_and_all_lies_below_one_root() -> None:
    given = replace(site(), fabric=Fabric("infiniband", 2, 1, (), (), ()))
    assert "SwitchName=uncabled Nodes=su01-n[01-04],su02-n[01-04]" in lines(given, "topology.conf")
    half = site()
    first = half.nodes.groups[0].hosts
    links = tuple(link for link in half.fabric.links if not link.ends_are_hosts or link.ends == first)
    loose = replace(half, fabric=replace(half.fabric, links=links))
    assert lines(loose, "topology.conf")[-1] == "SwitchName=cluster Switches=spine,uncabled"
    remarks = render(loose, NOW)[1]
    assert any("su02-n[01-04]: no cable is declared" in remark for remark in remarks)
    assert any("under a switch named cluster" in remark for remark in remarks)


def test_gpus_without_files_are_detected_where_declared() -> None:
    given = site()
    gpu = replace(given.nodes.types["hgx"].gpus[0], file=None, autodetect="nvml")
    kind = replace(given.nodes.types["hgx"], gpus=(gpu,))
    found = lines(replace(given, nodes=replace(given.nodes, types={"hgx": kind})), "gres.conf")
    assert "NodeName=su01-n[01-04],su02-n[01-04] AutoDetect=nvml Name=gpu Type=h200" in found
    assert "AutoDetect=off" in found


def test_grace_is_killwait_and_no_qos_has_a_grace_time() -> None:
    assert "KillWait=90" in lines(site())
    assert fields(site(), "qos", "high")["grace_time"] == "0"


def test_qos_comes_before_those_that_prey_on_it() -> None:
    names = [item.key.name for item in render(site(), NOW)[0] if item.key.kind == "qos"]
    assert names == ["low", "mid", "high"]


def test_wall_time_that_slurm_cannot_keep_is_refused() -> None:
    given = site()
    tier = replace(given.qos.tiers["low"], max_wall_seconds=90)
    with pytest.raises(RenderError, match="whole minutes"):
        render(replace(given, qos=replace(given.qos, tiers={"low": tier})), NOW)


def test_one_step_between_tiers_outweighs_everything_else() -> None:
    tiers = site().qos
    close = replace(tiers.tiers["mid"], priority=2999)
    found = weights(replace(tiers, tiers={**tiers.tiers, "mid": close}))
    assert found.qos * (3000 - 2999) / 3000 > found.fairshare + found.age
    assert weights(tiers).qos == 100_000


def two_models() -> Site:
    given = site()
    extra = NodeType(
        "b", 8, 1, 8, 1, 1000, None, (), (Gpu("b200", 8, "b200", "nvidia.com/gpu", file="/dev/b[0-7]"),), None
    )
    group = NodeGroup(("b1",), "b", None, "north", (), 1, None, None, None)
    nodes = given.nodes
    return replace(
        given,
        nodes=Nodes(
            {**nodes.types, "b": extra},
            (*nodes.groups, group),
            {**nodes.by_name, "b1": Node("b1", extra, group)},
        ),
    )


@pytest.mark.parametrize(
    ("training", "expected"),
    [
        ({}, "gres/gpu=0,gres/gpu:b200=0,gres/gpu:h200=0"),
        ({"h200": Grant(0, 8)}, "gres/gpu=8,gres/gpu:b200=0,gres/gpu:h200=8"),
        ({"any": Grant(0, 8)}, "gres/gpu=8"),
        ({"any": Grant(0, 8), "h200": Grant(0, 4)}, "gres/gpu=8,gres/gpu:h200=4"),
        ({"b200": Grant(0, 2), "h200": Grant(0, 4)}, "gres/gpu=6,gres/gpu:b200=2,gres/gpu:h200=4"),
    ],
)
def test_limit_covers_jobs_that_name_no_model(training: dict[str, Grant], expected: str) -> None:
    assert gpu_limits(training, two_models()) == expected


def test_accounts_come_after_their_parents() -> None:
    items = [item for item in render(site(), NOW)[0] if item.key.kind == "account"]
    seen = {"root"}
    for item in items:
        assert item.fields["parent"] in seen
        seen.add(item.key.name)


def test_reservation_by_gpus_is_whole_nodes_where_slurm_cannot_reserve_gpus() -> None:
    assert fields(site(), "reservation", "run")["tres"] == "gres/gpu=20"
    old = fields(replace(with_slurm(version="22.05"), slurm_d={}), "reservation", "run")
    assert (old["tres"], old["node_count"], old["partition"]) == ("", "3", "train")


def test_reservation_by_gpus_needs_equal_nodes_on_old_releases() -> None:
    given = replace(two_models(), cluster=with_slurm(version="22.05").cluster, slurm_d={})
    kinds = {
        **given.nodes.types,
        "b": replace(given.nodes.types["b"], gpus=(replace(given.nodes.types["b"].gpus[0], count=4),)),
    }
    by_name = {name: replace(node, type=kinds[node.group.type]) for name, node in given.nodes.by_name.items()}
    nodes = replace(given.nodes, types=kinds, by_name=by_name)
    planes = replace(given.planes, training=(*given.planes.training, "b1"))
    with pytest.raises(RenderError, match="nodes of the training plane differ"):
        render(replace(given, nodes=nodes, planes=planes), NOW)


def test_ended_reservation_is_left_out_and_said() -> None:
    resources, remarks = render(site(), NOW)
    assert {item.key.name for item in resources if item.key.kind == "reservation"} == {"care", "run"}
    assert "reservation past ended at 2026-11-02T00:00:00Z; nothing is rendered for it" in remarks
    assert not any("is unguarded" in remark for remark in remarks)


def test_maintenance_is_roots_and_ignores_running_jobs() -> None:
    care = fields(site(), "reservation", "care")
    assert (care["users"], care["accounts"], care["flags"]) == ("root", "", "IGNORE_JOBS,MAINT")
    assert (care["recurrence"], care["nodes"]) == ("weekly", "su02-n[01-02]")
    ahead = guard(site()).seconds
    assert care["duration"] == str(7200 + ahead)


def test_release_table() -> None:
    assert capability("24.11.5")[0].auth_slurm
    assert capability("25.11")[0].release == (24, 11)
    newest, remarks = capability("27.05")
    assert newest.release == (26, 5)
    assert "newer than 26.05" in remarks[0]
    with pytest.raises(RenderError, match=r"older than 22\.05"):
        capability("21.08")
    with pytest.raises(RenderError, match=r"write it as 24\.11"):
        capability("latest")


def test_partition_topology_needs_a_release_that_has_it() -> None:
    given = site()
    door = replace(given.partitions["train"], topology="blocks")
    changed = replace(given, partitions={"train": door})
    with pytest.raises(RenderError, match=r"upgrade to 26\.05"):
        render(changed, NOW)
    newer = replace(with_slurm(version="26.05"), partitions={"train": door})
    assert any(" Topology=blocks" in line for line in lines(newer))
