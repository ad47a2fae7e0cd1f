"""Real engines as fixtures. A missing engine is an error that says `make engines`, never a skipped test.

The shared rigs live as long as the session (one each for every worker of a parallel run); a test that must not see what
others did takes `slurm_rigs`, which starts one of its own in a few seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.engines import opa
from tests.engines.kubernetes import KubernetesRig
from tests.engines.opa import OpaRig
from tests.engines.slurm import SlurmRig

LONGEST = (
    "test_training.py",
    "test_preemption.py",
    "test_site_pairs.py",
    "test_slurm_target.py",
    "test_reservation_guard.py",
    "test_closed_loop.py",
)
"""Minutes each, so they come first: workers that share the files out by turns end together."""
UNITS = tuple(f"su{unit:02d}-n{number:02d}" for unit in (1, 2) for number in range(1, 33))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files first, in the order of LONGEST."""
    places = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path.name, len(places)))


@pytest.fixture(scope="session")
def slurm_rig8() -> Iterator[SlurmRig]:
    """Eight idle nodes n1 to n8."""
    with SlurmRig() as rig:
        yield rig


@pytest.fixture(scope="session")
def slurm_rig64() -> Iterator[SlurmRig]:
    """The 64 nodes of the reference site, in its order."""
    with SlurmRig(UNITS, cluster="aurora") as rig:
        yield rig


@pytest.fixture
def slurm_rigs() -> Iterator[Callable[..., SlurmRig]]:
    """Start rigs of this test's own: takes SlurmRig's arguments, returns it running; all end with the test."""
    with ExitStack() as stack:

        def start(*arguments: Any, **options: Any) -> SlurmRig:
            return stack.enter_context(SlurmRig(*arguments, **options))

        yield start


@pytest.fixture(scope="session")
def kubernetes_rig() -> Iterator[KubernetesRig]:
    """API server and controllers, without nodes."""
    with KubernetesRig() as rig:
        yield rig


@pytest.fixture(scope="session")
def opa_rig() -> Iterator[OpaRig]:
    """An OPA server without policy."""
    with OpaRig() as rig:
        yield rig


@pytest.fixture(scope="session")
def opa_binary() -> Path:
    """The pinned OPA program."""
    return opa.opa_binary()
