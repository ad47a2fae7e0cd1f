"""The reference site's objects, as a reviewer reads them. CHARTER_GOLDEN=write makes the files anew."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import pytest
import yaml

from renderer import kubernetes
from renderer.load import load
from renderer.model.site import Site
from renderer.resource import Resource

HERE = Path(__file__).parent
ROOT = HERE.parents[2]


@pytest.fixture(scope="module")
def site() -> Site:
    paths = (
        path for folder in ("inventory", "policies") for path in (ROOT / folder).rglob("*") if path.is_file()
    )
    loaded = load({path.relative_to(ROOT).as_posix(): path.read_bytes() for path in paths})
    assert loaded.site is not None, loaded.problems
    return loaded.site


@pytest.mark.parametrize(
    ("kind", "file"),
    [("Namespace", "namespaces.yaml"), ("ResourceQuota", "resource_quotas.yaml"), ("Node", "nodes.yaml")],
)
def test_the_reference_site_renders_the_golden_objects(site: Site, kind: str, file: str) -> None:
    written = documents(item for item in kubernetes.render(site) if item.key.kind == kind)
    golden = HERE / file
    if os.environ.get("CHARTER_GOLDEN") == "write":
        golden.write_text(written)
    assert written == golden.read_text()


def test_the_reference_site_needs_no_remark(site: Site) -> None:
    assert kubernetes.remarks(site) == ()


def documents(resources: Iterable[Resource]) -> str:
    return yaml.safe_dump_all([dict(item.fields) for item in resources], sort_keys=True)
