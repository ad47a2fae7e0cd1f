"""The command `charter`: collects the verbs and maps usage errors to exit code 1."""

from __future__ import annotations

import sys

import typer

from reconciler.cli.apply import apply
from reconciler.cli.audit import app as audit
from reconciler.cli.common import say
from reconciler.cli.explain import app as explain
from reconciler.cli.init import init
from reconciler.cli.plan import plan
from reconciler.cli.reconcile import reconcile
from reconciler.cli.render import render
from reconciler.cli.validate import validate
from reconciler.version import VERSION

app = typer.Typer(
    name="charter",
    help="Declarative GitOps policy for AI clusters that run Slurm and Kubernetes on one fabric.",
    add_completion=False,
    pretty_exceptions_enable=False,
)
for verb in (init, validate, render, plan, apply, reconcile):
    app.command()(verb)
app.add_typer(audit, name="audit")
app.add_typer(explain, name="explain")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"charter {VERSION}")
        raise typer.Exit(0)


@app.callback()
def options(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Say the version."
    ),
) -> None:
    """Declarative GitOps policy for AI clusters that run Slurm and Kubernetes on one fabric."""


def main() -> None:
    """Run the command; a usage error is exit code 1, since 2 means changes."""
    try:
        code = app(standalone_mode=False)
    except typer.TyperException as error:
        say(f"error: {error.format_message().rstrip('.')}; see: charter --help")
        code = 1
    except typer.Abort:
        code = 1
    sys.exit(code if isinstance(code, int) else 0)
