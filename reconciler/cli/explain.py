"""`charter explain`: the arithmetic behind what an engine does."""

from __future__ import annotations

import typer

from reconciler.cli.explain_preemption import preemption
from reconciler.cli.explain_priority import priority
from reconciler.cli.explain_reservation import reservation

app = typer.Typer(help="Show why a job comes first, whom it would preempt, when a reservation is held.")
for verb in (priority, preemption, reservation):
    app.command()(verb)
