"""The reference site as the gate sees it, in a file that a reviewer reads; CHARTER_GOLDEN=write writes it anew."""

from __future__ import annotations

import json
import os
from pathlib import Path

from renderer.opa import site_data
from tests.unit.gate.reference import reference_site

GOLDEN = Path(__file__).with_name("reference.json")


def test_the_reference_site_as_keyed_data() -> None:
    data = site_data(reference_site())
    data["digest"] = "left out: it follows every comment"
    data["nodes"] = {name: data["nodes"][name] for name in ("su01-n01", "su01-n25", "su02-n32")}
    text = json.dumps(data, indent=1, sort_keys=True) + "\n"
    if os.environ.get("CHARTER_GOLDEN") == "write":
        GOLDEN.write_text(text)
    assert text == GOLDEN.read_text()
