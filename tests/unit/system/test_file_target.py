"""A target directory in which somebody else left something: named, refused, and nothing of it changed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from reconciler.errors import CharterError, Terminal
from reconciler.targets.contract import Mark
from reconciler.targets.files import FileTarget
from tests.unit.gate.reference import reference_site

STATE, OBJECTS = "slurm/state/qos.json", "kubernetes/cluster.yaml"


def _seen(directory: Path) -> None:
    FileTarget(directory).observe(reference_site(), (), frozenset())


@pytest.mark.parametrize(
    ("file", "content"),
    [
        (STATE, b"[" * 100_000),
        (STATE, b'{"a": ' * 80 + b"1" + b"}" * 80),
        (STATE, b'{"mission": {"flags": "\\ud800"}}'),
        (STATE, b'{"mission": {"priority": 1e999}}'),
        (STATE, b'{"mission": {"priority": NaN}}'),
        (STATE, b'{"mission": 7}'),
        (STATE, b"[]"),
        (STATE, b"\xff\xfe"),
        (STATE, b'{"mission": {"priority": ' + b"9" * 5000 + b"}}"),
        (OBJECTS, b"kind: A\nmetadata: {name: b, day: 2026-12-01}\n"),
        (OBJECTS, b"kind: A\nmetadata: {name: b, set: !!set {x}}\n"),
        (OBJECTS, b"kind: A\nmetadata: {name: b, blob: !!binary aGk=}\n"),
        (OBJECTS, b"kind: A\nmetadata: {name: b, 7: seven}\n"),
        (OBJECTS, b"kind: A\nmetadata: &m {name: b, again: *m}\n"),
        (OBJECTS, b"kind: A\nmetadata: {name: b}\nspec: !!python/object:os.system {}\n"),
        (OBJECTS, b"just text\n"),
        ("notes.txt", b"mine\n"),
        ("charter.json", b'{"sequence": 1e999, "identity": "x"}'),
        ("charter.json", b'{"sequence": -1, "identity": "x"}'),
        ("charter.json", b'{"sequence": true, "identity": "x"}'),
        ("charter.json", b"{" * 100_000),
        ("charter.json", b"7"),
    ],
    ids=str,
)
def test_what_charter_would_not_have_written_is_refused_by_name(
    tmp_path: Path, file: str, content: bytes
) -> None:
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    with pytest.raises(Terminal, match=str(path)):
        _seen(tmp_path)
    assert path.read_bytes() == content


@pytest.mark.parametrize("file", [STATE, "charter.json"])
@pytest.mark.parametrize("kind", ["pipe", "link", "folder"])
def test_what_is_no_regular_file_is_neither_waited_for_nor_followed(
    tmp_path: Path, file: str, kind: str
) -> None:
    path = tmp_path / "live" / file
    path.parent.mkdir(parents=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "link":
        (tmp_path / "elsewhere").write_text("{}")
        path.symlink_to(tmp_path / "elsewhere")
    else:
        path.mkdir()
    if kind == "folder" and file == STATE:
        _seen(tmp_path / "live")
        return
    with pytest.raises(CharterError, match=str(path)):
        _seen(tmp_path / "live")


def test_an_earlier_writer_is_told_that_a_later_one_was_here(tmp_path: Path) -> None:
    target = FileTarget(tmp_path)
    target.stamp(Mark(7, "a" * 64))
    target.stamp(Mark(7, "b" * 64))
    with pytest.raises(CharterError, match="last written under sequence 7, this is 6"):
        target.stamp(Mark(6, "c" * 64))
