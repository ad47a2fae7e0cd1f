"""What Slurm's clients print, read as what it means; the clients are small scripts on PATH."""

from __future__ import annotations

from pathlib import Path

import pytest

from reconciler.errors import Terminal, Unreachable
from reconciler.system.process import Completed
from reconciler.targets.slurm.client import Client


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Client:
    (tmp_path / "slurm.conf").write_text("")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return Client(tmp_path, 5)


def say(folder: Path, name: str, text: str, code: int = 0, stream: int = 1) -> None:
    script = folder / name
    script.write_text(f"#!/bin/sh\ncat >&{stream} <<'END'\n{text}\nEND\nexit {code}\n")
    script.chmod(0o755)


def test_nothing_new_is_success_whatever_the_exit_code(client: Client, tmp_path: Path) -> None:
    say(tmp_path, "sacctmgr", " Nothing new added.", 1)
    assert "Nothing new" in client.write("sacctmgr", "-i", "add", "qos", "x")


def test_error_with_exit_code_zero_is_a_failure(client: Client, tmp_path: Path) -> None:
    say(tmp_path, "sacctmgr", " Unknown option: Foo=1", 0)
    with pytest.raises(Terminal, match="Unknown option"):
        client.write("sacctmgr", "-i", "add", "qos", "x", "Foo=1")


def test_controller_that_is_away_is_worth_another_try(client: Client, tmp_path: Path) -> None:
    say(
        tmp_path,
        "scontrol",
        "slurm_load_ctl_conf error: Unable to contact slurm controller (connect failure)",
        1,
        2,
    )
    with pytest.raises(Unreachable):
        client.read("scontrol", "show", "config")


def test_every_write_is_counted_and_no_read_is(client: Client, tmp_path: Path) -> None:
    say(tmp_path, "sacctmgr", "a|b")
    client.read("sacctmgr", "show")
    client.write("sacctmgr", "-i", "modify")
    assert client.writes == [("sacctmgr", "-i", "modify")]


def test_command_that_hangs_is_ended(tmp_path: Path, client: Client) -> None:
    script = tmp_path / "sacctmgr"
    script.write_text("#!/bin/sh\nexec sleep 60\n")
    script.chmod(0o755)
    with pytest.raises(Unreachable, match="no answer"):
        client.write("sacctmgr", "-i", timeout=0.2)


def test_row_of_another_shape_is_refused(client: Client, tmp_path: Path) -> None:
    say(tmp_path, "sacctmgr", "a|b|c")
    with pytest.raises(Terminal, match="3 fields instead of 2"):
        list(client.table("qos", ("Name", "Priority")))


def test_records_keep_values_with_spaces(client: Client, tmp_path: Path) -> None:
    say(tmp_path, "scontrol", "NodeName=n1 State=IDLE OS=Linux 6.1 #1 SMP Reason=bad cable")
    assert list(client.records("nodes")) == [
        {"NodeName": "n1", "State": "IDLE", "OS": "Linux 6.1 #1 SMP", "Reason": "bad cable"}
    ]


def test_answers_are_in_utc_and_from_the_folder_in_force(client: Client, tmp_path: Path) -> None:
    script = tmp_path / "scontrol"
    script.write_text('#!/bin/sh\necho "$TZ $LC_ALL $SLURM_CONF"\n')
    script.chmod(0o755)
    assert client.read("scontrol") == f"UTC C.UTF-8 {tmp_path}/slurm.conf\n"


@pytest.mark.parametrize(("left", "given"), [(None, 60.0), (5.0, 5.0), (90.0, 60.0), (0.0, 0.0)])
def test_a_command_never_has_more_time_than_is_left(
    monkeypatch: pytest.MonkeyPatch, left: float | None, given: float
) -> None:
    seen: list[float] = []

    def run(argv: tuple[str, ...], *, timeout: float, env: object) -> Completed:
        seen.append(timeout)
        return Completed(argv, 0, b"", b"")

    monkeypatch.setattr("reconciler.targets.slurm.client.run", run)
    Client(Path("/nowhere"), 60.0).write("scontrol", "reconfigure", timeout=left)
    assert seen == [given]
