"""`charter audit`: found a log, read it, verify it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from reconciler.audit import anchor
from reconciler.audit.log import BRANCH, AuditLog, Entry
from reconciler.audit.memory import Memory
from reconciler.audit.verify import CANNOT_PROVE, PROVES, Verification, verify_log
from reconciler.cli.audit_init import init
from reconciler.cli.common import HERE, ConfigOption, SiteArgument, exits, say, show
from reconciler.errors import UsageError
from reconciler.loop.world import open_log
from reconciler.system.configuration import load
from renderer.printable import one_line

app = typer.Typer(help="Found, read and verify the audit log.")
app.command()(init)


class Format(StrEnum):
    """How the output is written."""

    TEXT = "text"
    JSON = "json"


_Output = Annotated[Format, typer.Option("--format", help="Format of the output.")]


@app.command()
@exits
def log(site: SiteArgument = HERE, config: ConfigOption = None, output: _Output = Format.TEXT) -> int:
    """List the entries, newest last; void ones are marked."""
    found = _log(site, config)
    entries, void = found.history(), found.void
    if output is Format.JSON:
        documents = [_document(entry, void=entry.record.seq in void) for entry in entries]
        show(json.dumps(documents, indent=1, ensure_ascii=False) + "\n")
        return 0
    for entry in entries:
        show(f"{one_line(_line(entry))}{'  VOID' if entry.record.seq in void else ''}\n")
    return 0


@app.command(name="show")
@exits
def show_entry(
    seq: Annotated[int, typer.Argument(min=0)],
    site: SiteArgument = HERE,
    config: ConfigOption = None,
    output: _Output = Format.TEXT,
) -> int:
    """Print one entry's record, which names its attachments."""
    found = _log(site, config)
    entries = found.history()
    if seq >= len(entries):
        raise UsageError(f"there is no entry {seq}; the newest is {len(entries) - 1}")
    if output is Format.JSON:
        document = _document(entries[seq], void=seq in found.void)
        show(json.dumps(document, indent=1, ensure_ascii=False) + "\n")
    else:
        show(entries[seq].record.content.decode())
    return 0


@app.command()
@exits
def verify(
    site: SiteArgument = HERE,
    trust: Annotated[
        Path | None, typer.Option("--trust", metavar="FILE", help="What is known from outside.")
    ] = None,
    config: ConfigOption = None,
    output: _Output = Format.TEXT,
) -> int:
    """Check the whole log. Exit 0 intact, 6 not, 1 could not run."""
    configuration = load(config, str(site))
    repository = open_log(configuration, site)
    chosen = trust or configuration.trust
    seen = Memory(configuration.state_dir).read()
    result = verify_log(repository, anchor.read(chosen) if chosen else None, BRANCH, seen)
    show(
        _result_json(result)
        if output is Format.JSON
        else "".join(f"{line}\n" for line in _result_lines(result))
    )
    return result.exit_code


def _log(site: Path, config: str | None) -> AuditLog:
    configuration = load(config, str(site))
    return AuditLog(open_log(configuration, site), configuration.state_dir)


def _line(entry: Entry) -> str:
    record = entry.record
    facts = [f"{record.seq:>4}", record.one("time"), f"{record.kind:<8}"]
    commit, status = record.get("site_commit"), record.get("status")
    facts += [commit[:12] if commit else "-" * 12, status or record.get("trust") or ""]
    facts += [*record.all("result")]
    return "  ".join(fact for fact in facts if fact).rstrip()


def _document(entry: Entry, *, void: bool) -> dict[str, object]:
    keys = dict.fromkeys(key for key, _ in entry.record.lines)
    values = {key: list(entry.record.all(key)) for key in keys}
    return {"commit": entry.commit, "sha256": entry.record.sha256, "void": void, "record": values}


def _result_lines(result: Verification) -> Iterator[str]:
    for fault in result.faults:
        yield f"entry {fault.seq if fault.seq >= 0 else '-'} ({fault.commit[:12]}): {fault.what}"
    if result.void:
        yield f"void by a later key entry: {', '.join(map(str, result.void))}"
    if not result.intact:
        yield f"NOT INTACT: {len(result.faults)} faults in {result.entries} entries"
        return
    yield f"intact: {result.entries} entries, tip {' '.join(map(str, result.tip or ()))}"
    if not result.anchored:
        yield "UNANCHORED: the log agrees with itself, but who wrote it is taken on trust; give --trust FILE"
    if not result.rooted:
        yield "UNTRUSTED: its key was generated for the occasion; nothing vouches for it"
    else:
        yield "proves that root keys vouch for the log key"
    yield from (f"proves {item}" for item in PROVES)
    yield from (f"cannot prove {item}" for item in CANNOT_PROVE)


def _result_json(result: Verification) -> str:
    document = {
        "format": "charter.verification/v1",
        "intact": result.intact,
        "anchored": result.anchored,
        "rooted": result.rooted,
        "entries": result.entries,
        "genesis": result.genesis,
        "tip": list(result.tip) if result.tip else None,
        "void": list(result.void),
        "faults": [{"seq": fault.seq, "commit": fault.commit, "what": fault.what} for fault in result.faults],
        "proves": list(PROVES),
        "cannot_prove": list(CANNOT_PROVE),
    }
    say("intact" if result.intact else "NOT INTACT")
    return json.dumps(document, indent=1) + "\n"
