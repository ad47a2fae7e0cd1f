"""`charter audit init`: found a log under root keys that never touch this machine, in two steps.

First `--draft FILE` writes what each root key signs (`ssh-keygen -Y sign -n charter-genesis -f ROOT_KEY FILE`, wherever the
root keys are kept). Then `--signed FILE --signature FILE.sig …` seals it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reconciler.audit import anchor
from reconciler.audit.genesis import draft, found
from reconciler.audit.log import AuditLog
from reconciler.audit.record import RecordInvalid
from reconciler.audit.roots import NAMESPACE, Roots
from reconciler.cli.common import HERE, ConfigOption, SiteArgument, exits, say, show
from reconciler.errors import Terminal, UsageError
from reconciler.loop.inputs import approvers_digest, at_commit
from reconciler.loop.world import log_remote, open_log
from reconciler.system.clock import clock
from reconciler.system.configuration import Configuration, load
from reconciler.system.files import atomic_write, read_regular
from reconciler.system.git import Repository
from reconciler.system.lock import exclusive
from reconciler.system.ssh import PrivateKey, PublicKey
from reconciler.version import WRITER

_LIMIT = 1 << 16


@exits
def init(
    site: SiteArgument = HERE,
    write_draft: Annotated[
        Path | None, typer.Option("--draft", metavar="FILE", help="Write what root keys sign.")
    ] = None,
    origin: Annotated[
        str | None, typer.Option("--origin", help="Name of the log, such as audit.example.org/aurora.")
    ] = None,
    root: Annotated[
        list[Path] | None, typer.Option("--root", metavar="PUB", help="Public root key, once for each.")
    ] = None,
    threshold: Annotated[int, typer.Option("--threshold", help="How many root keys must sign.")] = 1,
    signed: Annotated[
        Path | None, typer.Option("--signed", metavar="FILE", help="The draft that was signed.")
    ] = None,
    signature: Annotated[
        list[Path] | None, typer.Option("--signature", metavar="SIG", help="A root key's signature.")
    ] = None,
    config: ConfigOption = None,
) -> int:
    """Found the audit log: --draft first, sign it with the root keys, then --signed with every --signature."""
    configuration = load(config, str(site))
    if (write_draft is None) == (signed is None):
        raise UsageError("give --draft FILE to begin, or --signed FILE with --signature to finish")
    if write_draft is not None:
        return _draft(configuration, site, write_draft, origin, Roots(_keys(root or []), threshold))
    return _found(configuration, site, Path(str(signed)), signature or [])


def _draft(configuration: Configuration, site: Path, path: Path, origin: str | None, roots: Roots) -> int:
    if origin is None:
        raise UsageError(
            "--origin is missing: a name that no other log has, such as audit.example.org/aurora"
        )
    repository = Repository.open(site)
    commit = repository.head()
    if commit is None:
        raise Terminal(f"{site}: has no commit yet; commit the site first, since genesis names its approvers")
    head = at_commit(repository, commit)
    try:
        record = draft(
            head.site.cluster.name,
            origin,
            roots,
            _log_key(configuration).public,
            approvers_digest(head.snapshot),
            clock(may_inject=False),
            WRITER,
        )
    except RecordInvalid as error:
        raise UsageError(
            f"{error}; docs/record.md says which origins and kinds of keys can stand there"
        ) from None
    atomic_write(path, record.rooted_content)
    say(
        f"{path}: let {roots.threshold} root keys sign it: ssh-keygen -Y sign -n {NAMESPACE} -f ROOT_KEY {path}"
    )
    return 0


def _found(configuration: Configuration, site: Path, path: Path, signatures: list[Path]) -> int:
    texts = [read_regular(item, _LIMIT).decode("ascii", errors="replace") for item in signatures]
    with exclusive(configuration.state_dir):
        repository = open_log(configuration, site)
        log = AuditLog(repository, configuration.state_dir)
        try:
            entry = found(log, read_regular(path, _LIMIT), texts, _log_key(configuration))
        except RecordInvalid as error:
            raise Terminal(f"{path}: {error}; make the draft again") from None
        remote = log_remote(configuration)
        if remote is not None:
            repository.push("audit", remote)
    say("founded. Keep the lines below as a trust file, apart from the repository:")
    show(anchor.Anchor(entry.record.sha256, None).text)
    return 0


def _log_key(configuration: Configuration) -> PrivateKey:
    if configuration.audit_key is None:
        raise UsageError(
            "audit_key is missing in the run-time configuration; make one with: ssh-keygen -t ed25519 -N '' -f FILE"
        )
    return PrivateKey.load(configuration.audit_key)


def _keys(paths: list[Path]) -> tuple[PublicKey, ...]:
    return tuple(_key(path) for path in paths)


def _key(path: Path) -> PublicKey:
    try:
        return PublicKey.parse(read_regular(path, _LIMIT).decode("ascii", errors="replace"))
    except ValueError as error:
        raise UsageError(f"{path}: {error}") from None
