"""Pure: what would change, in which order, and what it would do to whom."""
