"""What a value must be beyond its type: names, host lists, durations, instants, TRES. Used as `check_with` in the schemas."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from renderer.load.budget import affordable
from renderer.notation import durations, times, tres
from renderer.notation.error import NotationError
from renderer.notation.names import MAX_NAME, is_name
from renderer.problem import Keys

_USER = re.compile(r"[a-z_][a-z0-9_.-]{0,31}\Z")
_WORD = re.compile(r"[A-Za-z0-9_.:/=@+-]{1,253}\Z")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}\Z")
_IMAGE = re.compile(r"[a-z0-9][a-z0-9._/:-]{0,254}@sha256:[0-9a-f]{64}\Z")
_REFERENCE = re.compile(r"[a-z][a-z0-9-]{0,62}/[a-z][a-z0-9-]{0,62}\Z")
_PATH = re.compile(r"/[A-Za-z0-9_./%@+-]{0,254}\Z")
_MAX_TEXT = 1000
_LABEL = re.compile(r"(?:[a-z0-9.-]{1,253}/)?[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?\Z")
_YEARS = (1971, 2200)

Report = Callable[..., None]
Check = Callable[[str, Any, Report], None]


@dataclass(frozen=True, slots=True)
class Complaint:
    """A fault that a check found, `keys` below the field."""

    rule: str
    what: str
    remedy: str
    keys: Keys = ()


def _one(rule: str, good: Callable[[str], object], what: str, remedy: str) -> Check:
    def check(field: str, value: Any, report: Report) -> None:
        if isinstance(value, str) and not good(value):
            report(field, Complaint(rule, f"{field}: {value[:60]!r} {what}", remedy))

    return check


def _each(rule: str, good: Callable[[str], object], what: str, remedy: str) -> Check:
    def check(field: str, value: Any, report: Report) -> None:
        if not isinstance(value, list):
            return
        seen: set[str] = set()
        for index, item in enumerate(value):
            if not isinstance(item, str):
                report(
                    field, Complaint("shape-type", f"{field}: {item!r:.60} is no text", "quote it", (index,))
                )
            elif not good(item):
                report(field, Complaint(rule, f"{field}: {item[:60]!r} {what}", remedy, (index,)))
            elif item in seen:
                report(
                    field, Complaint("shape-twice", f"{item[:60]!r} is listed twice", "keep one", (index,))
                )
            else:
                seen.add(item)

    return check


def _parsed(rule: str, parse: Callable[[Any], object]) -> Check:
    def check(field: str, value: Any, report: Report) -> None:
        if not isinstance(value, (str, int)):
            return
        try:
            parse(value)
        except NotationError as error:
            report(field, Complaint(rule, f"{field}: {error.what}", error.remedy))

    return check


def _bounded(value: object) -> datetime:
    moment = times.instant(value)
    if not _YEARS[0] <= moment.year <= _YEARS[1]:
        raise NotationError(f"{value} is out of range", f"write a year from {_YEARS[0]} to {_YEARS[1]}")
    return moment


def _is_text(text: str) -> bool:
    return 0 < len(text) <= _MAX_TEXT and text.isprintable()


_NAME = (
    "notation-name",
    is_name,
    "is not a name",
    f"use a-z, 0-9 and inner '-', beginning with a letter, at most {MAX_NAME} characters",
)
_REF = ("notation-reference", _REFERENCE.match, "does not name a programme", "write tenant/programme")
_TEXT = ("notation-text", _is_text, "is empty, too long or not printable", "write one line of text")
_USERS = (
    "notation-user",
    _USER.match,
    "is not a user name",
    "use the operating system's: a-z, 0-9, '_', '-', '.', at most 32 characters",
)
_WORDS = ("notation-word", _WORD.match, "is not one word", "use letters, digits and _ . : / = @ + -")

name = _one(*_NAME)
names = _each(*_NAME)
reference = _one(*_REF)
references = _each(*_REF)
text = _one(*_TEXT)
texts = _each(*_TEXT)
users = _each(*_USERS)
user = _one(*_USERS)
word = _one(*_WORDS)
words = _each(*_WORDS)
absolute_path = _one("notation-path", _PATH.match, "is not an absolute path", "begin with /, without blanks")
digest = _one("notation-digest", _DIGEST.match, "is not a digest", "write sha256: and 64 hex digits")
image = _one(
    "notation-image", _IMAGE.match, "is not an image by digest", "write repository@sha256:…; tags can move"
)
hosts = _parsed("notation-hosts", affordable)
duration = _parsed("notation-duration", durations.seconds)
tres_text = _parsed("notation-tres", tres.parse)
instant = _parsed("notation-time", _bounded)


def tres_limits(field: str, value: Any, report: Report) -> None:
    """A mapping of Slurm's limit fields: TRES strings, and whole numbers for those that count jobs."""
    if not isinstance(value, dict):
        return
    for key, limit in value.items():
        complaint = _limit_complaint(key, limit)
        if complaint is not None:
            report(field, complaint)


def tres_weights(field: str, value: Any, report: Report) -> None:
    """A mapping of TRES to a billing weight such as "1.0" or "0.25G"."""
    if not isinstance(value, dict):
        return
    for key, weight in value.items():
        if not tres.is_tres(key.lower()):
            what = f"{field}: {key[:40]!r} is not a TRES"
            report(field, Complaint("notation-tres", what, "write a name such as cpu or gres/gpu", (key,)))
        if not re.fullmatch(r"\d{1,9}(\.\d{1,9})?[KMGTP]?", str(weight)):
            what = f"{field}: {weight!r:.40} is not a weight"
            report(field, Complaint("notation-weight", what, 'write a number such as "1.0"', (key,)))


COUNTS = frozenset({"max_jobs_per_user", "max_submit_jobs_per_user"})
TRES_LIMITS = frozenset({"grp_tres", "max_tres_per_job", "max_tres_per_user", "max_tres_per_account"})


def _limit_complaint(key: str, limit: object) -> Complaint | None:
    if key not in COUNTS | TRES_LIMITS:
        known = ", ".join(sorted(COUNTS | TRES_LIMITS))
        return Complaint("shape-unknown", f"{key[:60]!r} is no limit", f"limits are {known}", (key,))
    if key in COUNTS:
        good = re.fullmatch(r"\d{1,9}", str(limit)) is not None
        return (
            None
            if good
            else Complaint(
                "notation-count",
                f"{key}: {limit!r:.40} is no count",
                "write a whole number such as 200",
                (key,),
            )
        )
    if not isinstance(limit, str):
        return Complaint(
            "shape-type", f"{key}: {limit!r:.40} is no text", "write a TRES such as gres/gpu=64", (key,)
        )
    try:
        tres.parse(limit)
    except NotationError as error:
        return Complaint("notation-tres", f"{key}: {error.what}", error.remedy, (key,))
    return None


def one_of(what: str, allowed: Collection[str]) -> Check:
    """A list of words that are all among `allowed`."""
    return _each("shape-choice", allowed.__contains__, "is not possible", f"{what} are {', '.join(allowed)}")


def keys_are_labels(field: str, value: Any, report: Report) -> None:
    """A mapping of Kubernetes labels, [prefix/]name, to values (Kubernetes: Labels and Selectors, syntax)."""
    if not isinstance(value, dict):
        return
    for key in value:
        if not _LABEL.match(key):
            what = f"{field}: {key[:40]!r} is no label"
            report(field, Complaint("notation-label", what, "write [prefix/]name as Kubernetes does", (key,)))


def keys_are_names(field: str, value: Any, report: Report) -> None:
    """A mapping whose keys name objects."""
    if not isinstance(value, dict):
        return
    for key in value:
        if not is_name(key):
            rule, _, what, remedy = _NAME
            report(field, Complaint(rule, f"{key[:60]!r} {what}", remedy, (key,)))
