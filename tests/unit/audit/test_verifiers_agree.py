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
from tests.unit.audit.forge import Draft, Forge, chained, edit, honest, rotated

pytestmark = pytest.mark.slow

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


def _bent(position: int, change: Callable[[bytes], bytes]) -> Forgery:
    """A forgery of the commit object after it was signed."""
    return lambda made: _with(made, position, bent=change)


def _more(*rows: tuple[str, str, bytes]) -> Forgery:
    """A forgery of the tree: further entries beside the honest ones of an outcome."""
    return lambda made: _with(made, 2, more=rows)


def _signed_twice(raw: bytes) -> bytes:
    start, end = raw.index(b"gpgsig "), raw.index(b"\n\n") + 1
    return raw[:end] + raw[start:end] + raw[end:]


def _padding_bits(raw: bytes) -> bytes:
    """The signature's base64 with bits set that decode to nothing."""
    end = raw.index(b"\n -----END")
    text = raw[:end].rstrip(b"=")
    alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    assert raw[end - 1 : end] == b"="
    return text[:-1] + alphabet[alphabet.index(text[-1]) + 1 :][:1] + raw[len(text) :]


def _with(made: Forge, position: int, **changes: object) -> list[Draft]:
    entries = list(made.entries)
    entries[position] = replace(entries[position], **changes)  # type: ignore[arg-type]
    return entries


FORGERIES: dict[str, Forgery] = {
    "signed twice": _bent(2, _signed_twice),
    "a signature of the other kind beside": _bent(
        2, lambda raw: _signed_twice(raw).replace(b"\ngpgsig ", b"\ngpgsig-sha256 ", 1)
    ),
    "something behind the signature": _bent(
        2, lambda raw: raw.replace(b"END SSH SIGNATURE-----", b"END SSH SIGNATURE-----\n x")
    ),
    "a space behind the signature": _bent(
        2, lambda raw: raw.replace(b"END SSH SIGNATURE-----", b"END SSH SIGNATURE----- ")
    ),
    "base64 in another form": _bent(2, _padding_bits),
    "a header that nobody knows": _bent(2, lambda raw: raw.replace(b"gpgsig ", b"encoding x\ngpgsig ", 1)),
    "commit object cut short": _bent(2, lambda raw: raw[:-1]),
    "a byte of the message": _bent(2, lambda raw: raw.replace(b"outcome 2", b"outcome 3")),
    "an author that isn't ASCII": _bent(2, lambda raw: raw.replace(b"author w", b"author \xc3\xa9")),
    "a NUL in the author": _bent(2, lambda raw: raw.replace(b"author w", b"author \0")),
    "an empty folder": _more(("40000", "folder", b"")),
    "a name that begins with a space": _more(("100644", " owned.json", b"x")),
    "a name with a line feed": _more(("100644", "a\nb", b"x")),
    "a name twice": _more(("100644", "owned.json", b"other")),
    "a name twice, the same": lambda made: _with(
        made, 2, more=(("100644", "owned.json", made.entries[2].files["owned.json"]),)
    ),
    "a symlink": _more(("120000", "link", b"/etc/passwd")),
    "attachment with mode 755 by another way": lambda made: _with(made, 2, mode={"owned.json": "100775"}),
    "a mode with an eight": lambda made: _with(made, 2, mode={"owned.json": "100684"}),
    "a record's mode with a nine": lambda made: _with(made, 2, mode={"record": "100694"}),
    "a mode that is no number": lambda made: _with(made, 2, mode={"owned.json": "1e5"}),
    "a mode below zero": lambda made: _with(made, 2, mode={"owned.json": "-100644"}),
    "no mode": lambda made: _with(made, 2, mode={"owned.json": ""}),
    "a mode of no kind": lambda made: _with(made, 2, mode={"owned.json": "777777"}),
    "a mode with 755 under 32 bits": lambda made: _with(made, 2, mode={"owned.json": "40000100755"}),
    "a space encoded at the front, another not": edit(2, b"writer charter", b"writer %20 charter"),
    "a space encoded at the end, another not": edit(2, b"actions\n", b"actions %20\n"),
    "two spaces in an attachment line": edit(1, b" plan.json", b"  plan.json"),
    "the thirteenth month": edit(5, b"time 2026-12-01", b"time 2026-13-01"),
    "the twenty-fifth hour": edit(1, b"deadline 2026-12-01T09", b"deadline 2026-12-01T25"),
    "clock held without cause": edit(5, b"clock system", b"clock held"),
    "outcome of another policy": edit(2, b"policy dd", b"policy ee"),
    "outcome of another rendering": edit(2, b"slurm ff", b"slurm ee"),
    "outcome of fewer renderings": edit(2, b"rendering kubernetes " + b"e" * 64 + b"\n", b""),
    "intent cites a statement that nobody sealed": edit(
        1, b"deadline ", b"statement " + b"4" * 64 + b"\ndeadline "
    ),
    "signed without a commit": edit(1, b"deadline ", b"signed sigrun\ndeadline "),
    "origin with a space": edit(5, b"audit.example/aurora", b"audit.example aurora"),
    "log key of another kind": edit(0, b"log_key ssh-ed25519", b"log_key ssh-rsa"),
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


@pytest.mark.parametrize("mode", ["0100644", "00000000000100644", "40000100644", "100600", "100664"])
def test_a_mode_that_git_reads_as_a_plain_file_is_one_for_both(tmp_path: Path, mode: str) -> None:
    made = honest(tmp_path / "log")
    python, shell, output = _verdicts(made.write(_with(made, 2, mode={"owned.json": mode})), None, tmp_path)
    assert (python, shell) == (0, 0), output


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_log_is_caught_by_both(tmp_path: Path, name: str) -> None:
    made = honest(tmp_path / "log")
    forged = FORGERIES[name](made)
    assert forged != made.entries
    python, shell, output = _verdicts(made.write(forged), None, tmp_path)
    assert (python, shell) == (6, 6), output


ROTATIONS: dict[str, Forgery] = {
    "root signed another reason": edit(6, b"was stolen", b"was mislaid"),
    "root signed another last_good": edit(6, b"last_good 3", b"last_good 2"),
    "last_good ahead": edit(6, b"last_good 3", b"last_good 6"),
    "the old key goes on": lambda made: _with(made, 7, signer=made.key),
    "the old key signs the new": lambda made: _with(made, 6, signer=made.key),
    "what was void is cited": lambda made: edit(
        7, b"attachment ", b"statement " + _statement(made) + b"\nattachment "
    )(made),
    "the void outcome counts": lambda made: made.entries[:7] + made.entries[7:] + made.entries[7:],
    "without root": lambda made: _with(
        made,
        6,
        files={},
        record=b"".join(
            line for line in made.entries[6].record.splitlines(keepends=True) if b".sig" not in line
        ),
    ),
}


def _statement(made: Forge) -> bytes:
    return next(
        line.split()[1] for line in made.entries[5].record.splitlines() if line.startswith(b"statement ")
    )


def test_after_a_new_key_what_the_thief_wrote_is_void_for_both(tmp_path: Path) -> None:
    made = rotated(tmp_path / "log")
    repository = made.write(made.entries)
    python, shell, output = _verdicts(repository, None, tmp_path)
    assert (python, shell) == (0, 0), output
    assert verify_log(repository, None).void == (4, 5)
    assert "void by a later key entry: 4-5" in output


@pytest.mark.parametrize("name", ROTATIONS)
def test_a_forged_rotation_is_caught_by_both(tmp_path: Path, name: str) -> None:
    made = rotated(tmp_path / "log")
    forged = ROTATIONS[name](made)
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
