"""What one run holds in its hands: the site's repository, the log, the engines, built from the run-time configuration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from reconciler.audit.anchor import Anchor
from reconciler.audit.anchor import read as read_anchor
from reconciler.audit.log import BRANCH, AuditLog
from reconciler.errors import Terminal, UsageError
from reconciler.gate.compiled import CompiledEngine
from reconciler.gate.engine import Engine
from reconciler.gate.server import ServerEngine
from reconciler.system.clock import Clock, clock
from reconciler.system.configuration import Configuration, EngineSettings
from reconciler.system.files import secret
from reconciler.system.git import Repository
from reconciler.system.ssh import PrivateKey
from reconciler.targets.contract import Target
from reconciler.targets.files import FileTarget

if TYPE_CHECKING:
    from reconciler.targets.slurm.client import Client

GENERATED_KEY = "untrusted_key"


@dataclass(frozen=True, slots=True)
class World:
    """Everything outside, opened. `follows` is the remote that the site is fetched from, None for a work tree."""

    configuration: Configuration
    clock: Clock
    repository: Repository
    follows: str | None
    log: AuditLog
    log_repository: Repository
    engine: Engine
    targets: tuple[Target, ...]
    say: Callable[[str], None]

    def key(self) -> PrivateKey:
        """The log key. Raises Terminal where none is configured or was generated."""
        configured = self.configuration.audit_key
        generated = self.configuration.state_dir / GENERATED_KEY
        if configured is None and not (self.configuration.only_files and generated.exists()):
            raise Terminal(
                "no audit_key is configured; set it to the key that `charter audit init` named as log key"
            )
        return PrivateKey.load(configured or generated)

    def push_unsent(self) -> None:
        """Bring to the remote what an earlier push, lost on the way, left here."""
        remote, local = log_remote(self.configuration), self.log_repository.tip(BRANCH)
        if (
            remote is not None
            and local is not None
            and self.log_repository.remote_tip(BRANCH, remote) != local
        ):
            self.push_log()

    def push_log(self) -> None:
        """Bring the log to its remote, where it has one. Raises Stale when another writer was there."""
        remote = log_remote(self.configuration)
        if remote is not None:
            self.log_repository.push(BRANCH, remote)


def open_world(configuration: Configuration, site: Path, say: Callable[[str], None]) -> World:
    """Open everything, fetching the log's branch where it has a remote. Raises CharterError."""
    follows = configuration.repository
    repository = (
        Repository.open(site)
        if follows is None
        else Repository.mirror(follows, configuration.state_dir / "site.git")
    )
    log_repository = open_log(configuration, site)
    return World(
        configuration=configuration,
        clock=clock(may_inject=configuration.only_files),
        repository=repository,
        follows=follows,
        log=AuditLog(log_repository, configuration.state_dir, anchor=_anchor(configuration)),
        log_repository=log_repository,
        engine=engine_of(configuration.engine),
        targets=targets_of(configuration),
        say=say,
    )


def _anchor(configuration: Configuration) -> Anchor | None:
    return read_anchor(configuration.trust) if configuration.trust else None


def log_remote(configuration: Configuration) -> str | None:
    """Where the log is pushed: its own remote, else the followed repository, else nowhere (it lives in the site's)."""
    return configuration.audit_remote or configuration.repository


def open_log(configuration: Configuration, site: Path) -> Repository:
    """The repository that holds the log, brought up to its remote; the site's own where it has none. Raises CharterError."""
    remote = log_remote(configuration)
    return Repository.open(site) if remote is None else _fetched(configuration, remote)


def _fetched(configuration: Configuration, remote: str) -> Repository:
    repository = Repository.mirror(remote, configuration.state_dir / "audit.git")
    if repository.remote_tip(BRANCH, remote) is not None:
        repository.advance(BRANCH, remote)
    return repository


def engine_of(settings: EngineSettings) -> Engine:
    """The Rego engine that the configuration chose."""
    if settings.kind == "server":
        token = secret(settings.token_file).decode().strip() if settings.token_file else None
        return ServerEngine(str(settings.url), token)
    return CompiledEngine()


def slurm_client(configuration: Configuration) -> Client:
    """Slurm's clients on the configured cluster. Raises UsageError where none is configured."""
    if configuration.slurm is None:
        raise UsageError(
            "no Slurm is configured, so there is nobody to ask; add targets.slurm to the configuration"
        )
    from reconciler.targets.slurm.client import Client

    return Client(configuration.slurm.conf_dir, configuration.slurm.timeout_seconds)


def targets_of(configuration: Configuration) -> tuple[Target, ...]:
    """The configured targets. An engine's client library is loaded only where it is one."""
    found: list[Target] = []
    if configuration.files:
        found.append(FileTarget(configuration.files.directory))
    if configuration.slurm:
        from reconciler.targets.slurm import SlurmTarget

        found.append(SlurmTarget(configuration.slurm))
    if configuration.kubernetes:
        from reconciler.targets.kubernetes import KubernetesTarget

        found.append(KubernetesTarget(configuration.kubernetes))
    return tuple(found)
