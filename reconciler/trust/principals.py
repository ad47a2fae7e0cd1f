"""Which principal holds a key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reconciler.system.ssh import PublicKey
from renderer.model.governance import Approvers


@dataclass(frozen=True, slots=True)
class Keyring:
    """`holders`: fingerprint (`SHA256:…`) to principal. `unusable`: a sentence for each key that gives nobody authority."""

    holders: Mapping[str, str]
    unusable: tuple[str, ...]


def keyring(approvers: Approvers) -> Keyring:
    """The keys of all principals. One that cannot be read, or that two principals claim, stands for nobody."""
    claims: dict[str, set[str]] = {}
    unusable: list[str] = []
    for name, principal in sorted(approvers.principals.items()):
        for line in principal.keys:
            try:
                claims.setdefault(PublicKey.parse(line).fingerprint, set()).add(name)
            except ValueError as error:
                unusable.append(f"a key of {name} cannot be used: {error}")
    shared = {key: sorted(names) for key, names in claims.items() if len(names) > 1}
    unusable += [
        f"key {key} is claimed by {' and '.join(names)}, so it is nobody's" for key, names in shared.items()
    ]
    return Keyring(
        {key: next(iter(names)) for key, names in claims.items() if key not in shared}, tuple(unusable)
    )
