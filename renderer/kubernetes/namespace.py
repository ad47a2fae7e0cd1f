"""One Namespace a programme, with the Pod Security level that its pods must meet.

The level is `restricted`. Programmes don't trust each other and share nodes, and a device plugin hands a GPU to a pod
that has no privilege at all, so inference loses nothing by it; `baseline` would still admit root and pods without a
seccomp profile. The level's version is that of the declared cluster: an upgrade of the cluster then doesn't change
what is admitted until the site says so.
"""

from __future__ import annotations

from renderer.errors import RenderError
from renderer.kubernetes import labels
from renderer.model.site import Site
from renderer.model.tenants import Program
from renderer.resource import Resource

STATE_NAMESPACE = "charter-system"
"""Where Charter keeps its mark in the cluster."""
_POD_SECURITY = "pod-security.kubernetes.io"
_LEVEL = "restricted"


def render(site: Site) -> tuple[Resource, ...]:
    """Namespaces of all programmes. Raises RenderError for a name that Kubernetes or Charter keeps for itself."""
    return tuple(_namespace(site, program) for program in site.programs())


def pod_security(version: str) -> dict[str, str]:
    """Labels that enforce the level at a release such as `1.37`, and warn whoever applies a workload that breaks it."""
    pinned = "v" + ".".join(version.removeprefix("v").split(".")[:2])
    return {
        f"{_POD_SECURITY}/enforce": _LEVEL,
        f"{_POD_SECURITY}/enforce-version": pinned,
        f"{_POD_SECURITY}/warn": _LEVEL,
        f"{_POD_SECURITY}/warn-version": pinned,
    }


def _namespace(site: Site, program: Program) -> Resource:
    name = program.account
    if name.startswith("kube-") or name == STATE_NAMESPACE:
        raise RenderError(
            f"policies/tenants/{program.tenant}.yaml: programme {program.name} would be namespace {name}, "
            "which is reserved; give the tenant or the programme another name"
        )
    own = {
        **labels.of_program(site, program),
        f"{labels.PREFIX}data-class": site.tenants[program.tenant].data_class,
        **pod_security(site.cluster.kubernetes.version),
    }
    return labels.resource("Namespace", name, own)
