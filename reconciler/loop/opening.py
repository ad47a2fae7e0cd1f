"""The log's first entry, where nobody made one: only for the file target, only where nothing bears Charter's mark."""

from __future__ import annotations

from reconciler.audit.genesis import automatic
from reconciler.errors import AuditBroken, Terminal
from reconciler.loop.inputs import Loaded, approvers_digest
from reconciler.loop.planning import observe
from reconciler.loop.world import GENERATED_KEY, World
from reconciler.plan.build import Before
from reconciler.system.ssh import PrivateKey
from reconciler.version import WRITER
from renderer.rendering import Rendering


def ensure_log(world: World, head: Loaded) -> None:
    """Leave a log that exists alone; else found an untrusted one, or raise Terminal naming `charter audit init`."""
    if world.log.last() is not None:
        return
    if not world.configuration.only_files:
        raise Terminal("there is no audit log yet, and a live engine is configured; run: charter audit init")
    marks = observe(world.targets, head.site, Rendering(()), Before(frozenset(), {}))
    if any(seen.mark.sequence for seen in marks.values()):
        raise AuditBroken(
            "the target was written under an audit log that is not here; restore branch audit, or clear the target directory"
        )
    world.say(
        "no audit log yet: founding one with a generated key, UNTRUSTED; for a trusted one: charter audit init"
    )
    key = PrivateKey.generate()
    key.write(world.configuration.state_dir / GENERATED_KEY)
    automatic(world.log, head.site.cluster.name, approvers_digest(head.snapshot), key, world.clock, WRITER)
