"""The site as keyed data for Rego: everything a rule looks up has a key, so that a decision costs the same at any size."""

from renderer.opa.data import site_data

__all__ = ["site_data"]
