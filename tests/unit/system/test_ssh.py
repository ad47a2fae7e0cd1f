"""Signatures in process agree with OpenSSH's own, both ways, and fail in every other case."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from reconciler.errors import Terminal
from reconciler.system.ssh import PrivateKey, PublicKey, SignatureInvalid, verify


def _keygen(path: Path, kind: str, *more: str) -> PublicKey:
    subprocess.run(["ssh-keygen", "-q", "-t", kind, *more, "-N", "", "-f", str(path)], check=True)
    return PublicKey.parse(path.with_name(path.name + ".pub").read_text())


@pytest.mark.parametrize(
    ("kind", "more"),
    [("ed25519", ()), ("rsa", ("-b", "2048")), ("ecdsa", ("-b", "256")), ("ecdsa", ("-b", "384"))],
)
def test_what_openssh_signs_is_verified(tmp_path: Path, kind: str, more: tuple[str, ...]) -> None:
    public = _keygen(tmp_path / "key", kind, *more)
    content = tmp_path / "content"
    content.write_bytes(b"one\ntwo")
    subprocess.run(
        ["ssh-keygen", "-Y", "sign", "-n", "git", "-f", str(tmp_path / "key"), str(content)],
        check=True,
        capture_output=True,
    )
    signature = (tmp_path / "content.sig").read_text()
    assert verify(signature, b"one\ntwo", "git") == public
    for message, namespace in ((b"one\ntwo\n", "git"), (b"one\ntwo", "file")):
        with pytest.raises(SignatureInvalid):
            verify(signature, message, namespace)


def test_what_is_signed_here_openssh_verifies(tmp_path: Path) -> None:
    key = PrivateKey.generate()
    (tmp_path / "allowed").write_text(f"w {key.public.line}\n")
    (tmp_path / "sig").write_text(key.sign("charter-genesis", b"content"))
    argv = [
        "ssh-keygen",
        "-Y",
        "verify",
        "-f",
        str(tmp_path / "allowed"),
        "-I",
        "w",
        "-n",
        "charter-genesis",
        "-s",
        str(tmp_path / "sig"),
    ]
    assert subprocess.run(argv, input=b"content", capture_output=True, check=False).returncode == 0
    assert subprocess.run(argv, input=b"other", capture_output=True, check=False).returncode != 0


def test_a_key_survives_its_file_and_nobody_else_may_read_it(tmp_path: Path) -> None:
    key, path = PrivateKey.generate(), tmp_path / "key"
    key.write(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert PrivateKey.load(path).public == key.public
    path.chmod(0o640)
    with pytest.raises(Terminal, match="chmod 600"):
        PrivateKey.load(path)


def test_other_files_are_no_keys(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_bytes(b"not a key")
    path.chmod(0o600)
    with pytest.raises(Terminal, match="ssh-keygen"):
        PrivateKey.load(path)
    _keygen(tmp_path / "rsa", "rsa", "-b", "2048")
    with pytest.raises(Terminal, match="Ed25519"):
        PrivateKey.load(tmp_path / "rsa")


@pytest.mark.parametrize(
    "line",
    [
        "",
        "ssh-ed25519",
        "ssh-ed25519 !!!",
        "ssh-rsa AAAAC3NzaC1lZDI1NTE5AAAAIAAA",
        "ssh-dss AAAAB3NzaC1kc3M=",
    ],
)
def test_lines_that_are_no_keys(line: str) -> None:
    with pytest.raises(ValueError):
        PublicKey.parse(line)


def test_damaged_armour_is_refused_whatever_is_cut() -> None:
    key = PrivateKey.generate()
    signature = key.sign("git", b"x")
    lines = signature.splitlines()
    for damaged in (
        "",
        "x",
        "\n".join(lines[:-1]),
        "\n".join(lines[1:]),
        "\n".join([lines[0], lines[1], lines[-1]]),
        signature.replace("A", "B", 9),
    ):
        with pytest.raises(SignatureInvalid):
            verify(damaged, b"x", "git")
