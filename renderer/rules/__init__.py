"""Structural truth: what cannot be otherwise in a site, one family of rules a file."""
