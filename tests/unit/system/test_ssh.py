"""Signatures in process agree with OpenSSH's own, both ways, and fail in every other case."""

from __future__ import annotations

import base64
import hashlib
import random
import struct
import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

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


def _string(content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + content


def _number(value: int) -> bytes:
    return _string(value.to_bytes(value.bit_length() // 8 + 1, "big"))


class Token:
    """A FIDO token in software: it signs digests with its flags and counter between them (PROTOCOL.u2f)."""

    def __init__(self, kind: str) -> None:
        self.kind = kind.encode()
        self._key: ed25519.Ed25519PrivateKey | ec.EllipticCurvePrivateKey = (
            ed25519.Ed25519PrivateKey.generate()
            if "ed25519" in kind
            else ec.generate_private_key(ec.SECP256R1())
        )

    @property
    def blob(self) -> bytes:
        """Its public key."""
        public = self._key.public_key()
        if isinstance(public, ed25519.Ed25519PublicKey):
            body = _string(public.public_bytes_raw())
        else:
            point = public.public_bytes(
                serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
            )
            body = _string(b"nistp256") + _string(point)
        return _string(self.kind) + body + _string(b"ssh:")

    def sign(self, namespace: bytes, message: bytes) -> str:
        """Armoured SSHSIG."""
        data = (
            b"SSHSIG"
            + _string(namespace)
            + _string(b"")
            + _string(b"sha512")
            + _string(hashlib.sha512(message).digest())
        )
        state = b"\x01" + struct.pack(">I", 41)
        wrapped = hashlib.sha256(b"ssh:").digest() + state + hashlib.sha256(data).digest()
        signature = _string(self.kind) + _string(self._signed(wrapped)) + state
        parts = [self.blob, namespace, b"", b"sha512", signature]
        blob = b"SSHSIG" + struct.pack(">I", 1) + b"".join(map(_string, parts))
        return (
            f"-----BEGIN SSH SIGNATURE-----\n{base64.b64encode(blob).decode()}\n-----END SSH SIGNATURE-----\n"
        )

    def _signed(self, wrapped: bytes) -> bytes:
        if isinstance(self._key, ed25519.Ed25519PrivateKey):
            return self._key.sign(wrapped)
        return b"".join(
            map(_number, decode_dss_signature(self._key.sign(wrapped, ec.ECDSA(hashes.SHA256()))))
        )


@pytest.mark.parametrize("kind", ["sk-ssh-ed25519@openssh.com", "sk-ecdsa-sha2-nistp256@openssh.com"])
def test_a_token_s_signature_is_verified_here_as_by_openssh(tmp_path: Path, kind: str) -> None:
    token = Token(kind)
    key = PublicKey.parse(f"{kind} {base64.b64encode(token.blob).decode()}")
    signature = token.sign(b"git", b"content")
    assert verify(signature, b"content", "git") == key
    with pytest.raises(SignatureInvalid, match="doesn't match"):
        verify(signature, b"other", "git")
    (tmp_path / "allowed").write_text(f"w {key.line}\n")
    (tmp_path / "sig").write_text(signature)
    argv = ["ssh-keygen", "-Y", "verify", "-f", str(tmp_path / "allowed"), "-I", "w", "-n", "git"]
    done = subprocess.run(
        [*argv, "-s", str(tmp_path / "sig")], input=b"content", capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_a_token_key_with_something_behind_its_end_is_none() -> None:
    blob = Token("sk-ssh-ed25519@openssh.com").blob + _string(b"more")
    with pytest.raises(ValueError, match="behind its end"):
        PublicKey.of_blob(blob)


def test_base64_has_one_form(tmp_path: Path) -> None:
    _keygen(tmp_path / "key", "ecdsa", "-b", "256")
    kind, text = (tmp_path / "key.pub").read_text().split()[:2]
    body = text.rstrip("=")
    assert body != text
    other = body[:-1] + chr(ord(body[-1]) + 1) + text[len(body) :]
    assert base64.b64decode(other) == base64.b64decode(text)
    with pytest.raises(ValueError, match="base64"):
        PublicKey.parse(f"{kind} {other}")


def test_a_short_rsa_key_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="1024 bits is too short"):
        _keygen(tmp_path / "key", "rsa", "-b", "1024")


@pytest.mark.parametrize(
    "kind", ["ssh-ed25519", "sk-ssh-ed25519@openssh.com", "sk-ecdsa-sha2-nistp256@openssh.com"]
)
def test_whatever_byte_changes_the_signature_holds_no_more_and_nothing_else_happens(kind: str) -> None:
    signature = (
        PrivateKey.generate().sign("git", b"x") if kind == "ssh-ed25519" else Token(kind).sign(b"git", b"x")
    )
    lines = signature.strip().split("\n")
    blob = base64.b64decode("".join(lines[1:-1]))
    chosen = random.Random(7)
    for position in range(len(blob)):
        changed = bytearray(blob)
        changed[position] ^= 1 << chosen.randrange(8)
        for damaged in (bytes(changed), blob[:position]):
            text = "\n".join([lines[0], base64.b64encode(damaged).decode(), lines[-1]])
            with pytest.raises(SignatureInvalid):
                verify(text, b"x", "git")
