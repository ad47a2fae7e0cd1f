"""The one built-in that the module leaves to the host: formatting for messages. What it can't format is undefined, as in OPA."""

from __future__ import annotations

import json
import re

_VERB = re.compile(r"%([%vds])")


def sprintf(form: object, values: object) -> str | None:
    """Go's verbs %v, %d, %s and %%; None (undefined) for other verbs, wrong types or a wrong number of values."""
    if not isinstance(form, str) or not isinstance(values, list):
        return None
    verbs = _VERB.findall(form)
    if form.replace("%%", "").count("%") != len([verb for verb in verbs if verb != "%"]):
        return None
    left = iter(values)
    try:
        text = _VERB.sub(lambda match: "%" if match[1] == "%" else _shown(match[1], next(left)), form)
    except (StopIteration, ValueError, RuntimeError):
        return None
    return text if next(left, None) is None else None


def _shown(verb: str, value: object) -> str:
    if verb == "d" and (isinstance(value, bool) or not isinstance(value, int)):
        raise ValueError("%d takes a whole number")
    if verb == "s" and not isinstance(value, str):
        raise ValueError("%s takes text")
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
