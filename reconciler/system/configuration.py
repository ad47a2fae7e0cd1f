"""Run-time configuration: what the reconciler reaches and holds on this host, never what the site decides.

Read from `--config`, else $CHARTER_CONFIG, else /etc/charter/charter.yaml; without any of them the file target in
`.charter/live` of the site. Commands that a site needs run (restarts) stand here and never in the site. Keys and
secrets are file paths.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml
from cerberus import Validator

from reconciler.errors import Terminal, UsageError

DEFAULT = Path("/etc/charter/charter.yaml")
_COMMAND = {"type": "list", "minlength": 1, "schema": {"type": "string", "minlength": 1}}
_TEXT = {"type": "string", "minlength": 1}
_SECONDS = {"type": "integer", "min": 1, "max": 86400}
SCHEMA: dict[str, Any] = {
    "targets": {
        "type": "dict",
        "schema": {
            "files": {"type": "dict", "schema": {"directory": {**_TEXT, "required": True}}},
            "slurm": {
                "type": "dict",
                "schema": {
                    "conf_dir": {**_TEXT, "required": True},
                    "restart_slurmctld": _COMMAND,
                    "restart_slurmd": _COMMAND,
                    "timeout_seconds": _SECONDS,
                },
            },
            "kubernetes": {
                "type": "dict",
                "schema": {
                    "kubeconfig": _TEXT,
                    "context": _TEXT,
                    "timeout_seconds": _SECONDS,
                },
            },
        },
    },
    "engine": {
        "type": "dict",
        "schema": {
            "kind": {"type": "string", "allowed": ["compiled", "server"]},
            "url": _TEXT,
            "token_file": _TEXT,
            "opa": _TEXT,
        },
    },
    "repository": _TEXT,
    "branch": _TEXT,
    "audit_remote": _TEXT,
    "audit_key": _TEXT,
    "trust": _TEXT,
    "state_dir": _TEXT,
    "poll_seconds": _SECONDS,
    "deadline_seconds": _SECONDS,
}


@dataclass(frozen=True, slots=True)
class FilesTarget:
    """The directory that stands for the live system."""

    directory: Path


@dataclass(frozen=True, slots=True)
class SlurmTarget:
    """`conf_dir` is the folder the daemons read: a symlink that Charter switches between generations kept beside it."""

    conf_dir: Path
    restart_slurmctld: tuple[str, ...] = ()
    restart_slurmd: tuple[str, ...] = ()
    timeout_seconds: int = 60


@dataclass(frozen=True, slots=True)
class KubernetesTarget:
    """`kubeconfig` None means $KUBECONFIG or the default path."""

    kubeconfig: Path | None = None
    context: str | None = None
    timeout_seconds: int = 60


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """Which Rego engine judges: the compiled module in process, or an OPA server at `url`. `opa` compiles a site's own rules."""

    kind: str = "compiled"
    url: str | None = None
    token_file: Path | None = None
    opa: str = "opa"


@dataclass(frozen=True, slots=True)
class Configuration:
    """All run-time settings; paths are absolute. `audit_key` None: generated, untrusted, file target only."""

    state_dir: Path
    files: FilesTarget | None = None
    slurm: SlurmTarget | None = None
    kubernetes: KubernetesTarget | None = None
    engine: EngineSettings = field(default_factory=EngineSettings)
    repository: str | None = None
    branch: str = "main"
    audit_remote: str | None = None
    audit_key: Path | None = None
    trust: Path | None = None
    poll_seconds: int = 30
    deadline_seconds: int = 600

    @property
    def only_files(self) -> bool:
        """The file target alone: nothing real can be harmed."""
        return self.slurm is None and self.kubernetes is None


def load(path: str | None, site: str) -> Configuration:
    """Read the configuration for a site directory. Raises UsageError naming the file and every fault in it."""
    chosen = path or os.environ.get("CHARTER_CONFIG") or (str(DEFAULT) if DEFAULT.exists() else None)
    if chosen is None:
        home = Path(site).resolve() / ".charter"
        _own_folders(home, home / "state", home / "live")
        return Configuration(state_dir=home / "state", files=FilesTarget(home / "live"))
    return _parse(Path(chosen))


def _own_folders(*folders: Path) -> None:
    """A commit could bring a link of that name, and the embedded target would write wherever it leads. Raises Terminal."""
    for folder in folders:
        if folder.is_symlink():
            raise Terminal(f"{folder}: is a symlink; remove it, or name a target in a configuration file")


def with_repository(configuration: Configuration, url: str) -> Configuration:
    """The same configuration, following another repository."""
    return replace(configuration, repository=url)


def _parse(path: Path) -> Configuration:
    document = _document(path)
    validator = Validator(SCHEMA)
    if not validator.validate(document):
        raise UsageError(f"{path}: {_faults(validator.errors)}; see docs/configuration.md for the keys")
    base = path.resolve().parent
    targets = document.get("targets") or {}
    if not targets:
        raise UsageError(
            f"{path}: no target is configured; name one of files, slurm, kubernetes under 'targets'"
        )
    return Configuration(
        state_dir=_path(base, document.get("state_dir", "/var/lib/charter")),
        files=_files(base, targets.get("files")),
        slurm=_slurm(base, targets.get("slurm")),
        kubernetes=_kubernetes(base, targets.get("kubernetes")),
        engine=_engine(base, document.get("engine") or {}),
        audit_key=_optional(base, document.get("audit_key")),
        trust=_optional(base, document.get("trust")),
        **{key: document[key] for key in _PLAIN if key in document},
    )


_PLAIN = ("repository", "branch", "audit_remote", "poll_seconds", "deadline_seconds")


def _document(path: Path) -> Mapping[str, Any]:
    try:
        document = yaml.safe_load(path.read_bytes())
    except OSError as error:
        raise UsageError(
            f"{path}: cannot be read ({error.strerror}); check --config and $CHARTER_CONFIG"
        ) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise UsageError(f"{path}: not valid YAML ({' '.join(str(error).split())}); mend it") from None
    if not isinstance(document, dict):
        raise UsageError(f"{path}: must be a mapping; see docs/configuration.md")
    return document


def _faults(errors: Mapping[str, Any], prefix: str = "") -> str:
    found = []
    for key, values in errors.items():
        for value in values:
            nested = (
                _faults(value, f"{prefix}{key}.") if isinstance(value, dict) else f"{prefix}{key}: {value}"
            )
            found.append(nested)
    return ", ".join(found)


def _path(base: Path, text: str) -> Path:
    try:
        return (base / Path(text).expanduser()).absolute()
    except RuntimeError as error:
        raise Terminal(f"{text[:100]!r}: {error}; write the path out") from None


def _optional(base: Path, text: str | None) -> Path | None:
    return None if text is None else _path(base, text)


def _files(base: Path, section: Mapping[str, Any] | None) -> FilesTarget | None:
    return None if section is None else FilesTarget(_path(base, section["directory"]))


def _slurm(base: Path, section: Mapping[str, Any] | None) -> SlurmTarget | None:
    if section is None:
        return None
    return SlurmTarget(
        conf_dir=_path(base, section["conf_dir"]),
        restart_slurmctld=tuple(section.get("restart_slurmctld", ())),
        restart_slurmd=tuple(section.get("restart_slurmd", ())),
        timeout_seconds=section.get("timeout_seconds", 60),
    )


def _kubernetes(base: Path, section: Mapping[str, Any] | None) -> KubernetesTarget | None:
    if section is None:
        return None
    return KubernetesTarget(
        kubeconfig=_optional(base, section.get("kubeconfig")),
        context=section.get("context"),
        timeout_seconds=section.get("timeout_seconds", 60),
    )


def _engine(base: Path, section: Mapping[str, Any]) -> EngineSettings:
    settings = EngineSettings(
        kind=section.get("kind", "compiled"),
        url=section.get("url"),
        token_file=_optional(base, section.get("token_file")),
        opa=section.get("opa", "opa"),
    )
    if settings.kind == "server" and settings.url is None:
        raise UsageError("engine.kind is server but engine.url is missing; give the OPA server's address")
    return settings
