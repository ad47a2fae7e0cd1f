"""A table of forged logs, shown to both verifiers: each is caught by both, and the honest one by neither."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from reconciler.audit.anchor import Anchor
from reconciler.audit.verify import verify_log
from reconciler.system.git import Repository
from reconciler.system.ssh import PrivateKey
from tests.unit.audit.forge import Draft, Forge, chained, edit, honest

SCRIPT = Path(__file__).parents[3] / "verify.sh"
Forgery = Callable[[Forge], list[Draft]]


def _verdicts(repository: Repository, anchor: Anchor | None, folder: Path) -> tuple[int, int, str]:
    arguments: list[str] = []
    if anchor is not None:
        (folder / "trust").write_text(anchor.text)
        arguments = ["--trust", str(folder / "trust")]
    done = subprocess.run(
        ["sh", str(SCRIPT), *arguments, str(repository.path)], capture_output=True, text=True, check=False
    )
    result = verify_log(repository, anchor)
    return result.exit_code, done.returncode, f"{result.faults}\n{done.stdout}{done.stderr}"


def _other_key(made: Forge) -> list[Draft]:
    other = PrivateKey.generate()
    return [*made.entries[:3], *(replace(entry, signer=other) for entry in made.entries[3:])]


def _other_genesis_key(made: Forge) -> list[Draft]:
    other = PrivateKey.generate()
    entries = [replace(entry, signer=other) for entry in made.entries]
    record = entries[0].record.replace(made.key.public.line.encode(), other.public.line.encode())
    entries[0] = replace(entries[0], record=record)
    return chained(entries, 0)


def _dropped(made: Forge) -> list[Draft]:
    return made.entries[:1] + made.entries[3:]


def _dropped_and_mended(made: Forge) -> list[Draft]:
    rest = [
        replace(
            entry, record=entry.record.replace(f"seq {number + 2}\n".encode(), f"seq {number}\n".encode())
        )
        for number, entry in enumerate(made.entries[3:], 1)
    ]
    return chained([*made.entries[:2], *rest], 1)


def _swapped(made: Forge) -> list[Draft]:
    return [*made.entries[:3], made.entries[4], made.entries[3], *made.entries[5:]]


def _attachment_replaced(made: Forge) -> list[Draft]:
    return _with(made, 1, files={**made.entries[1].files, "plan.json": b"other\n"})


def _attachment_missing(made: Forge) -> list[Draft]:
    return _with(made, 2, files={"owned.json": made.entries[2].files["owned.json"]})


def _extra_file(made: Forge) -> list[Draft]:
    return _with(made, 2, files={**made.entries[2].files, "extra.json": b"x"})


def _executable(made: Forge) -> list[Draft]:
    return _with(made, 2, mode={"owned.json": "100755"})


def _record_executable(made: Forge) -> list[Draft]:
    return _with(made, 2, mode={"record": "100755"})


def _merge(made: Forge) -> list[Draft]:
    return _with(made, 3, parents=2)


def _second_root_commit(made: Forge) -> list[Draft]:
    return _with(made, 3, parents=0)


def _unsigned(made: Forge) -> list[Draft]:
    return _with(made, 4, signer=None)


def _message_changed(made: Forge) -> list[Draft]:
    return _with(made, 2, text="outcome 2\n\nRecord-Sha256: " + "0" * 64 + "\n")


def _message_longer(made: Forge) -> list[Draft]:
    return _with(made, 2, text="outcome 2\n\nmore\n")


def _one_root_only(made: Forge) -> list[Draft]:
    entry = made.entries[0]
    record = b"\n".join(line for line in entry.record.split(b"\n") if not line.endswith(b"root-2.sig"))
    entries = [
        replace(entry, record=record, files={"root-1.sig": entry.files["root-1.sig"]}),
        *made.entries[1:],
    ]
    return chained(entries, 0)


def _same_root_twice(made: Forge) -> list[Draft]:
    entry = made.entries[0]
    digest = next(line.split()[1] for line in entry.record.split(b"\n") if line.endswith(b"root-1.sig"))
    lines = [
        digest.join([b"attachment ", b" root-2.sig"]) if line.endswith(b"root-2.sig") else line
        for line in entry.record.split(b"\n")
    ]
    attached = sorted(line for line in lines if line.startswith(b"attachment"))
    record = (
        b"\n".join([line for line in lines if line and not line.startswith(b"attachment")] + attached) + b"\n"
    )
    files = {"root-1.sig": entry.files["root-1.sig"], "root-2.sig": entry.files["root-1.sig"]}
    return chained([replace(entry, record=record, files=files), *made.entries[1:]], 0)


def _drift_digest(made: Forge) -> list[Draft]:
    record = made.entries[5].record
    digest = next(line.split()[1] for line in record.split(b"\n") if line.startswith(b"drift "))
    return _with(made, 5, record=record.replace(b"drift " + digest, b"drift " + b"9" * 64, 1))


def _with(made: Forge, position: int, **changes: object) -> list[Draft]:
    entries = list(made.entries)
    entries[position] = replace(entries[position], **changes)  # type: ignore[arg-type]
    return entries


FORGERIES: dict[str, Forgery] = {
    "a flipped byte, nothing mended": lambda made: _with(
        made, 2, record=made.entries[2].record.replace(b"complete", b"failed")
    ),
    "another key from the middle on, chain correct": _other_key,
    "another key from genesis on, chain correct": _other_genesis_key,
    "entries dropped": _dropped,
    "an outcome dropped, seq and prev mended": _dropped_and_mended,
    "entries swapped": _swapped,
    "attachment replaced": _attachment_replaced,
    "attachment missing": _attachment_missing,
    "file not named by the record": _extra_file,
    "attachment executable": _executable,
    "record executable": _record_executable,
    "merge commit": _merge,
    "second root commit": _second_root_commit,
    "unsigned": _unsigned,
    "message names another digest": _message_changed,
    "message longer": _message_longer,
    "too few roots": _one_root_only,
    "one root counted twice": _same_root_twice,
    "CRLF": edit(2, b"status complete\n", b"status complete\r\n"),
    "key twice": edit(2, b"status complete\n", b"status complete\nstatus complete\n"),
    "keys out of order": edit(
        2, b"clock system\nwriter charter 0.1.0\n", b"writer charter 0.1.0\nclock system\n"
    ),
    "not in its one encoded form": edit(2, b"files done", b"files %64one"),
    "lower-case escape": edit(2, b"files done", b"files %c3%a9done"),
    "bare percent": edit(2, b"files done", b"files 5% done"),
    "space encoded inside": edit(2, b"files done", b"files%20done"),
    "space at the end": edit(2, b"actions\n", b"actions \n"),
    "unknown kind": edit(5, b"kind drift", b"kind drifted"),
    "unknown key": edit(5, b"site_commit", b"site_comment"),
    "another format": edit(5, b"charter.record/v1", b"charter.record/v9"),
    "another origin": edit(5, b"audit.example/aurora", b"audit.example/borealis"),
    "time runs back": edit(5, b"time 2026-12-01T08", b"time 2026-12-01T07"),
    "time with an offset": edit(5, b"time 2026-12-01T08:03:00Z", b"time 2026-12-01T08:03:00+00:00"),
    "injected clock under root": edit(5, b"clock system", b"clock injected"),
    "seq skipped": edit(5, b"seq 5", b"seq 6"),
    "seq with a zero": edit(5, b"seq 5", b"seq 05"),
    "second genesis": edit(5, b"kind drift", b"kind genesis"),
    "drift is not the digest of drift.json": _drift_digest,
    "status unknown": edit(2, b"status complete", b"status finished"),
    "threshold changed": edit(0, b"root_threshold 2", b"root_threshold 1"),
    "approvers changed in genesis": edit(0, b"approvers 00", b"approvers 11"),
    "trust lowered in genesis": edit(0, b"trust rooted", b"trust untrusted"),
}


def test_the_honest_log_is_intact_for_both(tmp_path: Path) -> None:
    made = honest(tmp_path / "log")
    repository = made.write(made.entries)
    python, shell, output = _verdicts(repository, None, tmp_path)
    assert (python, shell) == (0, 0), output
    assert "UNANCHORED" in output
    result = verify_log(repository, None)
    anchor = Anchor(str(result.genesis), result.tip)
    assert _verdicts(repository, anchor, tmp_path)[:2] == (0, 0)


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_log_is_caught_by_both(tmp_path: Path, name: str) -> None:
    made = honest(tmp_path / "log")
    forged = FORGERIES[name](made)
    assert forged != made.entries
    python, shell, output = _verdicts(made.write(forged), None, tmp_path)
    assert (python, shell) == (6, 6), output


@pytest.mark.parametrize("kept", [1, 3, 5])
def test_a_log_cut_short_is_caught_by_what_the_trust_file_saw(tmp_path: Path, kept: int) -> None:
    made = honest(tmp_path / "log")
    whole = verify_log(Repository.open(tmp_path / "log" / "honest"), None)
    repository = made.write(made.entries[:kept])
    assert _verdicts(repository, None, tmp_path)[:2] == (0, 0)
    assert _verdicts(repository, Anchor(str(whole.genesis), whole.tip), tmp_path)[:2] == (6, 6)


def test_a_log_made_anew_under_another_genesis_is_caught_by_the_trust_file(tmp_path: Path) -> None:
    first, second = honest(tmp_path / "a"), honest(tmp_path / "b")
    genesis = verify_log(first.write(first.entries), None).genesis
    repository = second.write(second.entries)
    assert _verdicts(repository, None, tmp_path)[:2] == (0, 0)
    assert _verdicts(repository, Anchor(str(genesis), None), tmp_path)[:2] == (6, 6)


def test_without_a_log_both_say_they_could_not_run(tmp_path: Path) -> None:
    Repository.init(tmp_path / "empty")
    done = subprocess.run(
        ["sh", str(SCRIPT), str(tmp_path / "empty")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "nothing was ever sealed" in done.stderr
