"""A commit, or a working tree, as a loaded site; and what the log says was applied last."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reconciler.audit.log import AuditLog, Entry, malformed
from reconciler.plan.build import Before
from reconciler.source.directory import read_directory
from reconciler.source.snapshot import Snapshot
from reconciler.source.tree import read_tree
from reconciler.system.git import Repository
from renderer.errors import SiteInvalid
from renderer.load import load
from renderer.model.site import Site
from renderer.problem import Problem
from renderer.resource import Key

APPROVERS = "policies/approvers.yaml"
_APPLIED = ("complete", "pending")


@dataclass(frozen=True, slots=True)
class Loaded:
    """A side of a plan: `commit` None for a working tree; `warnings` are the site's problems that don't forbid it."""

    commit: str | None
    site: Site
    warnings: tuple[Problem, ...]
    snapshot: Snapshot


@dataclass(frozen=True, slots=True)
class Applied:
    """What the log says: the commit applied last (None before the first), and what Charter owns since."""

    commit: str | None
    digest: str | None
    identity: str | None
    status: str | None
    before: Before

    def settled(self, identity: str) -> bool:
        """True where the last outcome is of this identity and complete: what was pending is sealed anew once it is done."""
        return self.status == "complete" and self.identity == identity


def at_commit(repository: Repository, commit: str) -> Loaded:
    """The site of a commit, straight from git. Raises SiteInvalid."""
    return _loaded(read_tree(repository, commit))


def at_directory(path: Path) -> Loaded:
    """The site of a working tree. Raises SiteInvalid."""
    return _loaded(read_directory(path))


def _loaded(snapshot: Snapshot) -> Loaded:
    result = load(snapshot.files)
    if result.site is None:
        raise SiteInvalid(result.problems)
    return Loaded(snapshot.commit, result.site, result.problems, snapshot)


def approvers_digest(snapshot: Snapshot) -> str:
    """SHA-256 (hex) of policies/approvers.yaml, of nothing where it isn't there."""
    content = snapshot.files.get(APPROVERS)
    return hashlib.sha256(content if isinstance(content, bytes) else b"").hexdigest()


def applied(log: AuditLog) -> Applied:
    """What was applied last, and what is owned. Raises AuditBroken for attachments that aren't what they should be."""
    newest = log.last("outcome")
    done = _last_applied(log)
    owned = _keys(log, newest) if newest else frozenset()
    desired = _fingerprints(log, done) if done else {}
    return Applied(
        commit=done.record.one("site_commit") if done else None,
        digest=done.record.one("site_digest") if done else None,
        identity=newest.record.one("identity") if newest else None,
        status=newest.record.one("status") if newest else None,
        before=Before(owned, desired),
    )


def _last_applied(log: AuditLog) -> Entry | None:
    outcomes = (entry for entry in reversed(log.entries()) if entry.record.kind == "outcome")
    return next((entry for entry in outcomes if entry.record.one("status") in _APPLIED), None)


def _keys(log: AuditLog, entry: Entry) -> frozenset[Key]:
    rows = _rows(log, entry, "owned.json", "keys", 3)
    return frozenset(Key(engine, kind, name) for engine, kind, name in rows)


def _fingerprints(log: AuditLog, entry: Entry) -> dict[Key, str]:
    rows = _rows(log, entry, "desired.json", "resources", 4)
    return {Key(engine, kind, name): digest for engine, kind, name, digest in rows}


def _rows(log: AuditLog, entry: Entry, name: str, member: str, width: int) -> list[list[Any]]:
    rows = log.document(entry, name).get(member)
    if not isinstance(rows, list) or not all(_is_row(row, width) for row in rows):
        raise malformed(entry, name, f"{member} is no list of rows of {width} texts")
    return rows


def _is_row(row: object, width: int) -> bool:
    return isinstance(row, list) and len(row) == width and all(isinstance(part, str) for part in row)


def sealed_actions(log: AuditLog, intent: Entry) -> list[dict[str, Any]]:
    """The actions of an intent's plan.json. Raises AuditBroken."""
    actions = log.document(intent, "plan.json").get("actions")
    if not isinstance(actions, list) or not all(_is_action(item) for item in actions):
        raise malformed(intent, "plan.json", "an action lacks what names it")
    return actions


def _is_action(item: object) -> bool:
    if not isinstance(item, dict) or not isinstance(item.get("confirm"), (str, type(None))):
        return False
    return all(isinstance(item.get(name), str) for name in ("target", "engine", "kind", "name", "verb"))


def owned_json(keys: frozenset[Key]) -> bytes:
    """Attachment owned.json."""
    rows = sorted([key.engine, key.kind, key.name] for key in keys)
    return _dump({"format": "charter.owned/v1", "keys": rows})


def desired_json(fingerprints: Mapping[Key, str]) -> bytes:
    """Attachment desired.json."""
    rows = sorted([key.engine, key.kind, key.name, digest] for key, digest in fingerprints.items())
    return _dump({"format": "charter.desired/v1", "resources": rows})


def _dump(document: Mapping[str, Any]) -> bytes:
    return (json.dumps(document, sort_keys=True, indent=0, ensure_ascii=False) + "\n").encode()
