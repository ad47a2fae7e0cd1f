"""What every verb shares: its arguments' types, where messages go, and how an error becomes an exit code."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from reconciler.errors import CharterError, Terminal
from renderer.errors import RenderError, SiteInvalid
from renderer.notation.error import NotationError
from renderer.printable import shown

SiteArgument = Annotated[
    Path, typer.Argument(metavar="[SITE]", help="Folder of the site.", show_default="the current folder")
]
ConfigOption = Annotated[
    str | None,
    typer.Option(
        "--config",
        metavar="FILE",
        help="Run-time configuration; else $CHARTER_CONFIG, else /etc/charter/charter.yaml.",
    ),
]
HERE = Path()


def say(message: str) -> None:
    """A message for a person, on standard error."""
    sys.stderr.write(f"{shown(message)}\n")
    sys.stderr.flush()


def show(text: str) -> None:
    """Output for a machine or a pager, on standard output."""
    if sys.stdout is None:
        raise Terminal("standard output is closed; send it to a file or a pipe")
    try:
        sys.stdout.write(shown(text))
        sys.stdout.flush()
    except OSError:
        _drop_output()
        raise


def _drop_output() -> None:
    """What is still buffered can't be written either: without this the interpreter tries again at its end, and fails aloud."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def exits(verb: Callable[..., int]) -> Callable[..., None]:
    """Make a function that returns an exit code a verb: errors become one clear sentence and their class's code."""

    @wraps(verb)
    def run(*arguments: Any, **options: Any) -> None:
        raise typer.Exit(_code(verb, *arguments, **options))

    return run


def _code(verb: Callable[..., int], *arguments: Any, **options: Any) -> int:
    try:
        return verb(*arguments, **options)
    except CharterError as error:
        say(f"error: {error}")
        return error.exit_code
    except SiteInvalid as error:
        say(str(error))
        count = len(error.problems)
        say(f"error: the site has {count} problem{'' if count == 1 else 's'}")
        return 1
    except RenderError as error:
        say(f"error: {error}")
        return 1
    except NotationError as error:
        say(f"error: {error.what}; {error.remedy}")
        return 1
    except BrokenPipeError:
        return 1
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        say(f"error: {place}{error.strerror or error}")
        return 1
    except Exception:  # noqa: BLE001 - the last line of defence: nothing unknown may look like success
        say(traceback.format_exc())
        say("error: this is a bug in Charter; please report the lines above")
        return 1
