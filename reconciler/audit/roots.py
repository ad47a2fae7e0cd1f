"""Root keys: offline, k of n, named by genesis; what they sign, and whether enough of them did."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from reconciler.audit.record import Record
from reconciler.system.ssh import PublicKey, SignatureInvalid, verify

NAMESPACE = "charter-genesis"
_NAMESPACES = {"genesis": NAMESPACE, "key": "charter-key", "recovery": "charter-recovery"}
KINDS = frozenset(_NAMESPACES)
"""Kinds of entries that need root in a rooted log."""


@dataclass(frozen=True, slots=True)
class Roots:
    """Root keys, and how many of them must sign."""

    keys: tuple[PublicKey, ...]
    threshold: int


def namespace(kind: str) -> str:
    """The SSHSIG namespace in which root signs an entry of this kind."""
    return _NAMESPACES[kind]


def roots_of(genesis: Record) -> Roots:
    """The root keys that a genesis record names. Raises ValueError where one is no key."""
    return Roots(
        tuple(PublicKey.parse(line) for line in genesis.all("root_key")), int(genesis.one("root_threshold"))
    )


def missing_roots(record: Record, signatures: Iterable[bytes], roots: Roots) -> int:
    """How many root signatures over a record are lacking; 0 when enough distinct root keys signed."""
    signers = {key.line for text in signatures if (key := _signer(record, text)) is not None}
    return max(0, roots.threshold - len(signers & {key.line for key in roots.keys}))


def _signer(record: Record, signature: bytes) -> PublicKey | None:
    try:
        return verify(
            signature.decode("ascii", errors="replace"), record.rooted_content, namespace(record.kind)
        )
    except SignatureInvalid:
        return None
