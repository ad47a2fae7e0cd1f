"""Names of tenants, programmes, tiers and the like, and the account that two of them make."""

from __future__ import annotations

import re

MAX_NAME = 63
_NAME = re.compile(r"[a-z](?:[a-z0-9-]*[a-z0-9])?\Z")


def is_name(text: str) -> bool:
    """True for what a Slurm account, a DNS label and a file name can all be."""
    return len(text) <= MAX_NAME and bool(_NAME.match(text))


def account_of(tenant: str, program: str) -> str:
    """Slurm account and Kubernetes namespace of a programme."""
    return f"{tenant}-{program}"
