"""Writing whole or not at all, reading without following, running without a shell and never for ever."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from reconciler.errors import Locked, Stale, Terminal, Unreachable, UsageError
from reconciler.system.clock import SystemClock, clock
from reconciler.system.files import atomic_write, read_regular, secret, switch_link
from reconciler.system.lock import Deadline, exclusive
from reconciler.system.process import run


def test_a_failed_write_leaves_the_old_file_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    atomic_write(path, b"old")

    def broken(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(Terminal, match="No space left"):
        atomic_write(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_is_switched_in_one_step(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        switch_link(tmp_path / "current", name)
        assert (tmp_path / "current").resolve() == tmp_path / name


def test_links_pipes_and_large_files_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/etc/passwd")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "large").write_bytes(b"x" * 11)
    for name, why in (
        ("link", "symlink"),
        ("pipe", "not a regular"),
        ("large", "larger"),
        ("absent", "cannot be read"),
    ):
        with pytest.raises(Terminal, match=why):
            read_regular(tmp_path / name, 10)


def test_a_secret_may_be_named_through_a_link_but_only_its_owner_may_read_it(tmp_path: Path) -> None:
    target = tmp_path / "..data" / "key"
    atomic_write(target, b"secret", 0o600)
    (tmp_path / "key").symlink_to(target)
    assert secret(tmp_path / "key") == b"secret"
    target.chmod(0o640)
    with pytest.raises(Terminal, match=r"mode 0640 lets others read a secret; run: chmod 600"):
        secret(tmp_path / "key")


def test_arguments_reach_a_command_as_they_are() -> None:
    done = run(
        [sys.executable, "-c", "import sys; print(sys.argv[1]); sys.exit(3)", "$(id); `id`"], timeout=20
    )
    assert (done.code, done.out) == (3, "$(id); `id`\n")


def test_a_command_that_hangs_is_ended_with_its_children(tmp_path: Path) -> None:
    marker = tmp_path / "pid"
    script = f"import os,subprocess,time; p=subprocess.Popen(['sleep','60']); open({str(marker)!r},'w').write(str(p.pid)); time.sleep(60)"
    with pytest.raises(Unreachable, match="no answer"):
        run([sys.executable, "-c", script], timeout=2)
    child = int(marker.read_text())
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and _alive(child):
        os.sched_yield()
    assert not _alive(child)


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(") ")[1][0] not in "ZX"
    except OSError:
        return False


def test_a_command_that_is_not_there_or_says_too_much() -> None:
    with pytest.raises(Terminal, match="cannot be started"):
        run(["/nonexistent/command"], timeout=1)
    with pytest.raises(Terminal, match="more than 10 bytes"):
        run([sys.executable, "-c", "print('x' * 50)"], timeout=20, limit=10)


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_command_that_never_stops_talking_is_stopped_long_before_its_time_is_over(stream: str) -> None:
    talk = f"import sys\nwhile True: sys.{stream}.write('x' * 4096)"
    with pytest.raises(Terminal, match="more than 1000 bytes; it was stopped"):
        run([sys.executable, "-c", talk], timeout=3600, limit=1000)


def test_input_larger_than_a_pipe_reaches_a_slow_reader_whole() -> None:
    slow = "import sys, time; time.sleep(1.2); print(len(sys.stdin.buffer.read()))"
    assert run([sys.executable, "-c", slow], timeout=30, stdin=b"x" * (1 << 20)).out == f"{1 << 20}\n"


def test_the_lock_has_one_holder(tmp_path: Path) -> None:
    with exclusive(tmp_path), pytest.raises(Locked), exclusive(tmp_path):
        pass
    with exclusive(tmp_path):
        pass


def test_a_passed_deadline_stops() -> None:
    now = SystemClock()
    Deadline(now, now.monotonic() + 60).check()
    with pytest.raises(Stale, match="deadline"):
        Deadline(now, now.monotonic() - 1).check()


def test_the_clock_is_injected_only_where_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHARTER_NOW", "2026-12-01T08:00:00Z")
    assert clock(may_inject=True).injected
    assert clock(may_inject=True).now().isoformat() == "2026-12-01T08:00:00+00:00"
    with pytest.raises(UsageError, match="unset"):
        clock(may_inject=False)
    for bad in ("yesterday", "2026-12-01T08:00:00"):
        monkeypatch.setenv("CHARTER_NOW", bad)
        with pytest.raises(UsageError):
            clock(may_inject=True)
