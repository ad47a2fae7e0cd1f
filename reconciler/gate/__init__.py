"""Asks Rego whether a change or a request is allowed: one protocol, two engines, and a denial whenever neither can say."""
