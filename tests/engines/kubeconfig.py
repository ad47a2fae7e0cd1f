"""A kubeconfig file for one server, its CA and one token."""

from __future__ import annotations

from pathlib import Path

import yaml


def kubeconfig(path: Path, server: str, ca_file: Path, token: str) -> Path:
    """Write it, readable by its owner only, and return its path."""
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "rig", "cluster": {"server": server, "certificate-authority": str(ca_file)}}],
        "users": [{"name": "rig", "user": {"token": token}}],
        "contexts": [{"name": "rig", "context": {"cluster": "rig", "user": "rig"}}],
        "current-context": "rig",
    }
    path.touch(mode=0o600)
    path.write_text(yaml.safe_dump(document, sort_keys=False))
    return path
