"""{path: bytes} becomes a Site, or all of its problems: limits, shape by Cerberus, then the rules over the whole."""

from renderer.load.digest import site_digest
from renderer.load.refused import Refused
from renderer.load.site import Loaded, load

__all__ = ["Loaded", "Refused", "load", "site_digest"]
