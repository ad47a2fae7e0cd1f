"""The API server: a handful of verbs on manifests as plain data, each with a time-out and each failure mapped.

This is the only module here that makes requests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from kubernetes.client.exceptions import ApiException
from kubernetes.dynamic import DynamicClient
from kubernetes.dynamic.resource import Resource

from reconciler.system.documents import json_mapping
from reconciler.targets.kubernetes.boundary import mapped
from reconciler.targets.kubernetes.kinds import Kind

MANAGER = "charter"
Manifest = Mapping[str, Any]
_PAGE = 500
_LEAST_SECONDS = 1.0


class Cluster:
    """`connect` is called at the first request. `seconds` bounds each request, and so does `limit` where one is set."""

    def __init__(
        self, connect: Callable[[], DynamicClient], seconds: float, limit: Callable[[], float] | None = None
    ) -> None:
        self._connect = cache(connect)
        self._seconds = seconds
        self._limit = limit

    def within(self, limit: Callable[[], float]) -> Cluster:
        """The same connection, no request of which outlasts what `limit` says is left."""
        return Cluster(self._connect, self._seconds, limit)

    def get(self, kind: Kind, name: str, namespace: str | None = None) -> Manifest | None:
        """The object, or None where there is none."""
        return self._send(
            f"reading {_title(kind, name, namespace)}", "get", kind, name=name, namespace=namespace
        )

    def list(self, kind: Kind, namespace: str | None = None) -> Iterator[Manifest]:
        """Every object of a kind, in one namespace or in all, page by page."""
        token = None
        while True:
            page = self._send(
                f"listing {kind.plural}", "get", kind, namespace=namespace, limit=_PAGE, _continue=token
            )
            yield from page["items"] if page else ()
            token = page["metadata"].get("continue") if page else None
            if not token:
                return

    def apply(self, kind: Kind, manifest: Manifest, *, dry_run: bool = False) -> None:
        """Server-side apply, never forced. Raises Conflict naming the manager that holds a field."""
        name, namespace = manifest["metadata"]["name"], manifest["metadata"].get("namespace")
        self._send(
            f"{'trying' if dry_run else 'applying'} {_title(kind, name, namespace)}",
            "server_side_apply",
            kind,
            body=manifest,
            name=name,
            namespace=namespace,
            field_manager=MANAGER,
            dry_run="All" if dry_run else None,
        )

    def create(self, kind: Kind, manifest: Manifest, *, dry_run: bool = False) -> None:
        """Plain creation. Raises Conflict where the name is taken."""
        metadata = manifest["metadata"]
        self._send(
            f"creating {_title(kind, metadata.get('name', ''), metadata.get('namespace'))}",
            "create",
            kind,
            body=manifest,
            namespace=metadata.get("namespace"),
            field_manager=MANAGER,
            dry_run="All" if dry_run else None,
        )

    def replace(self, kind: Kind, manifest: Manifest) -> None:
        """Write the whole object. Raises Conflict where its resourceVersion is no longer the live one."""
        metadata = manifest["metadata"]
        self._send(
            f"writing {_title(kind, metadata['name'], metadata.get('namespace'))}",
            "replace",
            kind,
            body=manifest,
            name=metadata["name"],
            namespace=metadata.get("namespace"),
            field_manager=MANAGER,
        )

    def delete(self, kind: Kind, live: Manifest, *, dry_run: bool = False) -> None:
        """Delete exactly the object that was read as `live`; done where it is gone already. Raises Conflict where it changed."""
        metadata = live["metadata"]
        self._send(
            f"removing {_title(kind, metadata['name'], metadata.get('namespace'))}",
            "delete",
            kind,
            name=metadata["name"],
            namespace=metadata.get("namespace"),
            body={
                "apiVersion": "v1",
                "kind": "DeleteOptions",
                "preconditions": {"uid": metadata["uid"], "resourceVersion": metadata["resourceVersion"]},
                # with a body the server ignores the query: ?dryRun=All would really delete
                **({"dryRun": ["All"]} if dry_run else {}),
            },
        )

    def _send(self, doing: str, verb: str, kind: Kind, **arguments: Any) -> Manifest | None:
        with mapped(doing):
            client = self._connect()
            call = getattr(client, verb)
            try:
                answer = call(
                    _resource(client, kind), serialize=False, _request_timeout=self._timeout(), **arguments
                )
            except ApiException as error:
                if error.status == 404 and verb in ("get", "delete"):
                    return None
                raise
            return json_mapping(answer.data)

    def _timeout(self) -> float:
        if self._limit is None:
            return self._seconds
        return max(_LEAST_SECONDS, min(self._seconds, self._limit()))


def _resource(client: DynamicClient, kind: Kind) -> Resource:
    return Resource(
        prefix="apis" if kind.group else "api",
        group=kind.group,
        api_version=kind.version,
        kind=kind.name,
        namespaced=kind.namespaced,
        name=kind.plural,
        client=client,
    )


def _title(kind: Kind, name: str, namespace: str | None) -> str:
    return f"{kind.name} {namespace}/{name}" if namespace else f"{kind.name} {name}"
