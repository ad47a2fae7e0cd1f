"""Put fresh keys into a site's approvers.yaml and require signatures: the first thing a real site does."""

from __future__ import annotations

import sys
from pathlib import Path

ROLES = {"sigrun": "[platform, allocation, security]", "thor": "[allocation]"}


def main(path: Path, keys: dict[str, Path]) -> None:
    """Rewrite the principals of `path`; `keys` maps a name to a public key file."""
    head = path.read_text().partition("\nprincipals:\n")[0].replace("require: none", "require: signed")
    lines = [f'  {name}: {{keys: ["{_key(file)}"], roles: {ROLES[name]}}}' for name, file in keys.items()]
    path.write_text("\n".join([head, "principals:", *lines]) + "\n")


def _key(file: Path) -> str:
    return " ".join(file.read_text().split()[:2])


if __name__ == "__main__":
    names = sys.argv[2::2]
    main(Path(sys.argv[1]), dict(zip(names, map(Path, sys.argv[3::2]), strict=True)))
