"""What a forger with write access would do: commit the newest entries again, the chain correct, under a key of their own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from reconciler.audit.log import BRANCH, message
from reconciler.audit.record import parse
from reconciler.system.git import Repository
from reconciler.system.ssh import PrivateKey

REWRITTEN = 2


def main(path: Path) -> None:
    """Rewrite the last entries of the log in the repository at `path`."""
    repository = Repository.open(path)
    commits = repository.first_parents(None, str(repository.tip(BRANCH)))
    key, parent = PrivateKey.generate(), commits[-1 - REWRITTEN]
    subprocess.run(["git", "-C", str(path), "update-ref", f"refs/heads/{BRANCH}", parent], check=True)
    for commit in commits[-REWRITTEN:]:
        files = {item.path: repository.blob(item.oid) for item in repository.tree(commit)}
        when = repository.commit(commit).time
        parent = repository.append(BRANCH, files, message(parse(files["record"])), key, when, parent)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
