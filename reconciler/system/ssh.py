"""SSH keys and signatures, in process: the SSHSIG format of OpenSSH's PROTOCOL.sshsig, on `cryptography`.

A signature covers a namespace, so that one made for a commit cannot be passed off as one made for a statement.
"""

from __future__ import annotations

import base64
import hashlib
import struct
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from reconciler.errors import Terminal
from reconciler.system.files import atomic_write, secret

_MAGIC = b"SSHSIG"
_BEGIN, _END = "-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----"
_HASHES = {b"sha512": hashlib.sha512, b"sha256": hashlib.sha256}
_MINIMUM_RSA = 2048
_TOKEN_ED25519, _TOKEN_ECDSA = "sk-ssh-ed25519@openssh.com", "sk-ecdsa-sha2-nistp256@openssh.com"
_Verifying = ed25519.Ed25519PublicKey | ec.EllipticCurvePublicKey | rsa.RSAPublicKey


class SignatureInvalid(Exception):
    """A signature that doesn't hold; the message says why."""


@dataclass(frozen=True, slots=True)
class PublicKey:
    """`kind` such as ssh-ed25519, and the key blob."""

    kind: str
    blob: bytes

    @classmethod
    def parse(cls, line: str) -> PublicKey:
        """From `kind base64 [comment]`. Raises ValueError."""
        parts = line.split()
        if len(parts) < 2:
            raise ValueError("an SSH key is `kind base64`, such as ssh-ed25519 AAAA…")
        try:
            blob = _base64(parts[1])
        except ValueError:
            raise ValueError("the key's second word is not base64") from None
        key = cls.of_blob(blob)
        if key.kind != parts[0]:
            raise ValueError(f"the line says {parts[0]}, the key itself {key.kind}")
        return key

    @classmethod
    def of_blob(cls, blob: bytes) -> PublicKey:
        """From the wire form. Raises ValueError for what cannot verify."""
        kind = _Reader(blob).string().decode("ascii", errors="replace")
        key = cls(kind, blob)
        key.verifying()
        return key

    @property
    def line(self) -> str:
        """`kind base64`, without a comment."""
        return f"{self.kind} {base64.b64encode(self.blob).decode()}"

    @property
    def fingerprint(self) -> str:
        """`SHA256:…` as ssh-keygen prints it."""
        digest = base64.b64encode(hashlib.sha256(self.blob).digest()).decode().rstrip("=")
        return f"SHA256:{digest}"

    @property
    def application(self) -> bytes | None:
        """What a key on a hardware token (FIDO) is bound to, such as `ssh:`; None for any other key. Raises ValueError."""
        if self.kind not in (_TOKEN_ED25519, _TOKEN_ECDSA):
            return None
        reader = _Reader(self.blob)
        for _ in range(2 if self.kind == _TOKEN_ED25519 else 3):
            reader.string()
        found = reader.string()
        reader.end()
        return found

    def verifying(self) -> _Verifying:
        """The key for `cryptography`. Raises ValueError."""
        if self.application is not None:
            return _token_key(self.blob)
        try:
            key = serialization.load_ssh_public_key(self.line.encode())
        except (UnsupportedAlgorithm, ValueError):
            raise ValueError(f"keys of kind {self.kind} are not supported; use ssh-ed25519") from None
        if isinstance(key, rsa.RSAPublicKey) and key.key_size < _MINIMUM_RSA:
            raise ValueError(f"an RSA key of {key.key_size} bits is too short; use ssh-ed25519")
        if not isinstance(key, _Verifying):
            raise ValueError(f"keys of kind {self.kind} are not supported; use ssh-ed25519")
        return key


@dataclass(frozen=True, slots=True, repr=False)
class PrivateKey:
    """An Ed25519 key that signs."""

    key: ed25519.Ed25519PrivateKey

    @classmethod
    def generate(cls) -> PrivateKey:
        """A new key."""
        return cls(ed25519.Ed25519PrivateKey.generate())

    @classmethod
    def load(cls, path: Path) -> PrivateKey:
        """From an unencrypted OpenSSH file that only its owner may read. Raises Terminal."""
        try:
            key = serialization.load_ssh_private_key(secret(path), password=None)
        except (ValueError, TypeError, UnsupportedAlgorithm):
            raise Terminal(
                f"{path}: is not an unencrypted OpenSSH private key; make one with: ssh-keygen -t ed25519 -N '' -f {path}"
            ) from None
        if not isinstance(key, ed25519.Ed25519PrivateKey):
            raise Terminal(
                f"{path}: only Ed25519 keys sign; make one with: ssh-keygen -t ed25519 -N '' -f {path}"
            )
        return cls(key)

    def write(self, path: Path) -> None:
        """Store it, mode 0600, with the public half in `path`.pub."""
        content = self.key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.OpenSSH, serialization.NoEncryption()
        )
        atomic_write(path, content, 0o600)
        atomic_write(path.with_name(path.name + ".pub"), f"{self.public.line}\n".encode())

    @property
    def public(self) -> PublicKey:
        """The public half."""
        line = self.key.public_key().public_bytes(
            serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH
        )
        return PublicKey.parse(line.decode())

    def sign(self, namespace: str, message: bytes) -> str:
        """Armoured SSHSIG over a message."""
        signed = self.key.sign(_signed_data(namespace.encode(), b"sha512", message))
        signature = _string(b"ssh-ed25519") + _string(signed)
        blob = (
            _MAGIC
            + struct.pack(">I", 1)
            + _string(self.public.blob)
            + _string(namespace.encode())
            + _string(b"")
            + _string(b"sha512")
            + _string(signature)
        )
        return _armour(blob)


def verify(armoured: str, message: bytes, namespace: str) -> PublicKey:
    """The key that made this signature over this message in this namespace. Raises SignatureInvalid."""
    try:
        return _verify(_unarmour(armoured), message, namespace.encode())
    except ValueError as error:
        raise SignatureInvalid(str(error)) from None


def _verify(blob: bytes, message: bytes, namespace: bytes) -> PublicKey:
    if not blob.startswith(_MAGIC + struct.pack(">I", 1)):
        raise ValueError("it is not an SSHSIG of version 1")
    reader = _Reader(blob[len(_MAGIC) + 4 :])
    key, given = PublicKey.of_blob(reader.string()), reader.string()
    reader.string()
    algorithm, signature = reader.string(), reader.string()
    reader.end()
    if given != namespace:
        raise ValueError(
            f"it was made for {given.decode(errors='replace')!r}, not for {namespace.decode()!r}"
        )
    if algorithm not in _HASHES:
        raise ValueError("its hash is neither sha512 nor sha256")
    data = _signed_data(namespace, algorithm, message)
    if key.application is None:
        _check(key.verifying(), signature, data)
    else:
        _check_token(key, key.application, signature, data)
    return key


def _check_token(key: PublicKey, application: bytes, signature: bytes, data: bytes) -> None:
    """OpenSSH's PROTOCOL.u2f: the token signs digests with its flags and counter between them.

    Whether it was touched is the token's own policy, as it is for `ssh-keygen -Y verify`.
    """
    reader = _Reader(signature)
    kind, value, state = reader.string(), reader.string(), reader.take(5)
    reader.end()
    if kind != key.kind.encode():
        raise ValueError("its algorithm doesn't fit its key")
    plain = b"ssh-ed25519" if key.kind == _TOKEN_ED25519 else b"ecdsa-sha2-nistp256"
    wrapped = hashlib.sha256(application).digest() + state + hashlib.sha256(data).digest()
    _check(key.verifying(), _string(plain) + _string(value), wrapped)


def _token_key(blob: bytes) -> _Verifying:
    reader = _Reader(blob)
    if reader.string() == _TOKEN_ED25519.encode():
        return ed25519.Ed25519PublicKey.from_public_bytes(reader.string())
    if reader.string() != b"nistp256":
        raise ValueError("the key's curve is not its kind's")
    return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), reader.string())


def _check(key: _Verifying, signature: bytes, data: bytes) -> None:
    reader = _Reader(signature)
    kind, value = reader.string(), reader.string()
    reader.end()
    try:
        if isinstance(key, ed25519.Ed25519PublicKey) and kind == b"ssh-ed25519":
            key.verify(value, data)
        elif isinstance(key, rsa.RSAPublicKey) and kind == b"rsa-sha2-512":
            key.verify(value, data, padding.PKCS1v15(), hashes.SHA512())
        elif isinstance(key, rsa.RSAPublicKey) and kind == b"rsa-sha2-256":
            key.verify(value, data, padding.PKCS1v15(), hashes.SHA256())
        elif isinstance(key, ec.EllipticCurvePublicKey) and kind == b"ecdsa-sha2-" + _curve(key):
            parts = _Reader(value)
            key.verify(encode_dss_signature(parts.number(), parts.number()), data, ec.ECDSA(_curve_hash(key)))
        else:
            raise ValueError("its algorithm doesn't fit its key")
    except InvalidSignature:
        raise ValueError("it doesn't match the content: one of the two was changed") from None


def _curve(key: ec.EllipticCurvePublicKey) -> bytes:
    return f"nistp{key.curve.key_size}".encode()


def _curve_hash(key: ec.EllipticCurvePublicKey) -> hashes.HashAlgorithm:
    """RFC 5656, section 6.2.1: the hash follows the curve's size."""
    if key.curve.key_size <= 256:
        return hashes.SHA256()
    return hashes.SHA384() if key.curve.key_size <= 384 else hashes.SHA512()


def _signed_data(namespace: bytes, algorithm: bytes, message: bytes) -> bytes:
    digest = _HASHES[algorithm](message).digest()
    return _MAGIC + _string(namespace) + _string(b"") + _string(algorithm) + _string(digest)


def _string(content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + content


def _armour(blob: bytes) -> str:
    text = base64.b64encode(blob).decode()
    lines = [text[start : start + 70] for start in range(0, len(text), 70)]
    return "\n".join([_BEGIN, *lines, _END])


def _unarmour(armoured: str) -> bytes:
    lines = armoured.rstrip("\n").split("\n")
    if len(lines) < 3 or lines[0] != _BEGIN or lines[-1] != _END:
        raise ValueError("it is not an SSH signature")
    try:
        return _base64("".join(lines[1:-1]))
    except ValueError:
        raise ValueError("its armour is not base64") from None


def _base64(text: str) -> bytes:
    """The bytes of a text in base64's one form: bits that pad must be zero. Raises ValueError."""
    content = base64.b64decode(text, validate=True)
    if base64.b64encode(content).decode() != text:
        raise ValueError("not base64 in its one form")
    return content


class _Reader:
    """Length-prefixed fields of RFC 4251. Raises ValueError when they run out."""

    def __init__(self, blob: bytes) -> None:
        self._blob = blob

    def string(self) -> bytes:
        (size,) = struct.unpack(">I", self.take(4))
        return self.take(size)

    def take(self, count: int) -> bytes:
        if len(self._blob) < count:
            raise ValueError("it is cut short")
        content, self._blob = self._blob[:count], self._blob[count:]
        return content

    def number(self) -> int:
        return int.from_bytes(self.string(), "big", signed=True)

    def end(self) -> None:
        if self._blob:
            raise ValueError("it has bytes behind its end")
