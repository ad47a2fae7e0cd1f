"""Where the client's errors become Charter's. Nothing of a request (its headers hold a token) gets into a message."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import urllib3
from kubernetes.client.exceptions import ApiException

from reconciler.errors import CharterError, ConfigurationRefused, Conflict, Terminal, Unreachable
from reconciler.system.documents import json_mapping

_OWNED_ELSEWHERE = "FieldManagerConflict"


class Forbidden(Terminal):
    """The API server knows the caller and doesn't let it: RBAC, an admission policy, a namespace that is going."""


@contextmanager
def mapped(doing: str) -> Iterator[None]:
    """Raise Unreachable, Conflict, ConfigurationRefused or Terminal for what the client raises; `doing` starts the sentence."""
    try:
        yield
    except ApiException as error:
        raise _of_status(error, doing) from None
    except (urllib3.exceptions.HTTPError, OSError) as error:
        raise Unreachable(
            f"{doing}: the API server can't be reached ({type(error).__name__}); "
            "check that it runs and that this host may reach it"
        ) from None
    except ValueError as error:
        raise Unreachable(f"{doing}: the answer isn't JSON ({error}); is there a proxy in between?") from None


def _of_status(error: ApiException, doing: str) -> CharterError:
    document = _document(error)
    said = str(document.get("message") or error.reason)
    match int(error.status or 0):
        case 0:
            return Terminal(
                f"{doing}: TLS verification failed; put the cluster's certificate authority into the kubeconfig"
            )
        case 401:
            return Terminal(f"{doing}: the credentials are refused; renew those in the kubeconfig")
        case 403:
            return Forbidden(f"{doing}: forbidden: {said}; grant it, or change what forbids it")
        case 409:
            return Conflict(_conflict(doing, said, document))
        case 400 | 422:
            return ConfigurationRefused(f"{doing}: refused by the API server: {said}; correct the site")
        case 408 | 410 | 429 | 500 | 502 | 503 | 504:
            return Unreachable(f"{doing}: the API server can't serve this now: {said}")
        case status:
            return Terminal(f"{doing}: the API server answered {status}: {said}")


def _conflict(doing: str, said: str, document: Mapping[str, Any]) -> str:
    causes = (document.get("details") or {}).get("causes") or ()
    held = [
        f"{cause.get('field')} ({cause.get('message')})"
        for cause in causes
        if cause.get("reason") == _OWNED_ELSEWHERE
    ]
    if not held:
        return f"{doing}: {said}; it was changed meanwhile, plan again"
    return (
        f"{doing}: owned by another: {'; '.join(held)}; let that manager give the field up, "
        "or take it out of the site"
    )


def _document(error: ApiException) -> Mapping[str, Any]:
    try:
        return json_mapping(error.body or "{}")
    except ValueError:
        return {}
