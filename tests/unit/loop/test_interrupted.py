"""Writers that die at any moment, and several at once: the next run converges, and the log stays whole."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time

import pytest

from tests.counts import count
from tests.unit.loop.conftest import FileSite

pytestmark = pytest.mark.slow

KILLS = count(6, 200)
CROWDS = count(1, 20)
APPLY = [sys.executable, "-c", "from reconciler.cli.main import main; main()", "apply"]
TENANT = "policies/tenants/health.yaml"


def _shares(site: FileSite) -> int:
    """Change the tenant's share by commit; the new share."""
    (line,) = [line for line in site.read(TENANT).splitlines() if line.startswith("fairshare:")]
    share = int(line.split()[1])
    site.edit(TENANT, line, f"fairshare: {share + 1}")
    return share + 1


def _started(site: FileSite) -> subprocess.Popen[bytes]:
    return subprocess.Popen([*APPLY, str(site.path)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _converged(site: FileSite, share: int) -> None:
    site.charter("apply", expect=0)
    site.charter("plan", expect=0)
    site.charter("audit verify", expect=0)
    accounts = json.loads((site.path / ".charter/live/slurm/state/account.json").read_text())
    assert accounts["health"]["fairshare"] == str(share)


@pytest.mark.parametrize("seed", range(KILLS))
def test_a_writer_killed_at_any_moment_is_carried_on(site: FileSite, seed: int) -> None:
    draw = random.Random(seed)
    share = _shares(site)
    writer = _started(site)
    time.sleep(draw.uniform(0, 2.5))
    writer.kill()
    writer.wait()
    site.charter("audit verify", expect=0)
    _converged(site, share)


@pytest.mark.parametrize("_", range(CROWDS))
def test_of_writers_at_once_one_writes_and_the_others_say_locked_or_in_sync(site: FileSite, _: int) -> None:
    share, before = _shares(site), len(site.entries())
    writers = [_started(site) for _ in range(6)]
    codes = sorted(writer.wait() for writer in writers)
    assert set(codes) <= {0, 4}, codes
    assert 0 in codes
    assert [entry.record.kind for entry in site.entries()[before:]] == ["intent", "outcome"]
    _converged(site, share)
