"""Who signed a commit, if anybody. Only SSH signatures made for git count, by a key that one principal holds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from reconciler.source.history import CommitFacts
from reconciler.system.ssh import SignatureInvalid, verify
from reconciler.trust.principals import Keyring, keyring
from renderer.model.governance import Approvers

Status = Literal["good", "unsigned", "unknown key", "bad signature", "unsupported"]

NAMESPACE = "git"
_SSH = b"-----BEGIN SSH SIGNATURE-----\n"
_OTHERS = {b"-----BEGIN PGP": "a GPG signature", b"-----BEGIN SIGNED MESSAGE": "an X.509 signature"}


@dataclass(frozen=True, slots=True)
class Signed:
    """A commit's paths and its verified principal; None for every status but "good". `why` is a clause about the commit."""

    id: str
    paths: tuple[str, ...]
    principal: str | None
    status: Status
    why: str


def verify_commits(facts: Iterable[CommitFacts], approvers: Approvers) -> tuple[Signed, ...]:
    """Judge the signature of each commit by the approvers of the last applied commit."""
    keys = keyring(approvers)
    return tuple(_judged(commit, keys) for commit in facts)


def _judged(commit: CommitFacts, keys: Keyring) -> Signed:
    status, principal, why = _verdict(commit, keys)
    return Signed(commit.id, commit.paths, principal, status, why)


def _verdict(commit: CommitFacts, keys: Keyring) -> tuple[Status, str | None, str]:
    if not commit.signatures:
        return "unsigned", None, "bears no signature"
    if len(commit.signatures) > 1:
        return (
            "bad signature",
            None,
            f"bears {len(commit.signatures)} signatures, of which none can be chosen",
        )
    armoured = commit.signatures[0]
    if not armoured.startswith(_SSH):
        return "unsupported", None, f"bears {_kind(armoured)}; only SSH signatures are verified"
    try:
        key = verify(armoured.decode("ascii"), commit.payload, NAMESPACE)
    except (SignatureInvalid, UnicodeDecodeError) as error:
        return "bad signature", None, f"bears an SSH signature that does not hold: {error}"
    principal = keys.holders.get(key.fingerprint)
    if principal is None:
        notes = "".join(f" ({note})" for note in keys.unusable)
        return "unknown key", None, f"is signed with key {key.fingerprint}, which is no principal's{notes}"
    return "good", principal, f"is signed by {principal} with key {key.fingerprint}"


def _kind(armoured: bytes) -> str:
    return next(
        (name for begin, name in _OTHERS.items() if armoured.startswith(begin)), "an unknown signature"
    )
