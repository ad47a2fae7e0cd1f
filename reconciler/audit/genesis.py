"""The first entry: origin, root keys, log key, and whose site it is.

Rooted, it is signed by k of n root keys that never touch this machine: `draft` gives the bytes to sign, `found` takes
the signatures. Automatic, it is called untrusted everywhere, and exists only for the file target.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from reconciler.audit.entry import Entry
from reconciler.audit.fields import ATTACHMENT, FORMAT
from reconciler.audit.log import AuditLog, named
from reconciler.audit.record import Record, build, parse
from reconciler.audit.roots import NAMESPACE, Roots, missing_roots, roots_of
from reconciler.audit.rules import NO_PREVIOUS
from reconciler.errors import Denied, Terminal
from reconciler.system.clock import Clock
from reconciler.system.ssh import PrivateKey, PublicKey
from renderer.notation.times import iso


def draft(
    site: str, origin: str, roots: Roots, log_key: PublicKey, approvers: str, clock: Clock, writer: str
) -> Record:
    """The genesis record without signatures: its content is what each root key signs. Raises Terminal for a bad threshold."""
    distinct = {key.line for key in roots.keys}
    if not 1 <= roots.threshold <= len(distinct):
        raise Terminal(
            f"threshold {roots.threshold} with {len(distinct)} root keys: it must be between 1 and their number"
        )
    values = {
        **_common(site, origin, log_key, approvers, clock, writer),
        "trust": "rooted",
        "root_threshold": str(roots.threshold),
        "root_key": sorted(distinct),
    }
    return build("genesis", values)


def found(log: AuditLog, drafted: bytes, signatures: Sequence[str], key: PrivateKey) -> Entry:
    """Seal a drafted genesis with its root signatures. Raises Denied when they don't suffice, Terminal when a log exists."""
    record = parse(drafted)
    if log.last() is not None:
        raise Terminal("there is an audit log already; a second genesis would deny the first")
    if record.one("log_key") != key.public.line:
        raise Terminal("the draft names another log key than audit_key; make the draft again")
    attachments = {
        f"root-{number}.sig": f"{text.strip()}\n".encode() for number, text in enumerate(signatures, 1)
    }
    signed = build("genesis", {**_values(record), ATTACHMENT: named(attachments)})
    missing = missing_roots(signed, attachments.values(), roots_of(signed))
    if missing:
        raise Denied(
            f"{missing} more root signatures are needed; sign with: ssh-keygen -Y sign -n {NAMESPACE} -f ROOT_KEY DRAFT"
        )
    return log.seal(signed, attachments, key=key, previous=None)


def automatic(log: AuditLog, site: str, approvers: str, key: PrivateKey, clock: Clock, writer: str) -> Entry:
    """An untrusted genesis with a key made for the occasion."""
    origin = f"{site}/untrusted/{secrets.token_hex(8)}"
    values = {
        **_common(site, origin, key.public, approvers, clock, writer),
        "trust": "untrusted",
        "root_threshold": "0",
        "root_key": [],
    }
    return log.seal(build("genesis", values), {}, key=key, previous=None)


def _common(
    site: str, origin: str, log_key: PublicKey, approvers: str, clock: Clock, writer: str
) -> dict[str, str | list[str]]:
    return {
        "format": FORMAT,
        "kind": "genesis",
        "origin": origin,
        "seq": "0",
        "prev": NO_PREVIOUS,
        "time": iso(clock.now()),
        "clock": "injected" if clock.injected else "system",
        "writer": writer,
        "site": site,
        "log_key": log_key.line,
        "approvers": approvers,
    }


def _values(record: Record) -> dict[str, str | list[str]]:
    keys = dict.fromkeys(key for key, _ in record.lines)
    return {key: list(record.all(key)) for key in keys}
