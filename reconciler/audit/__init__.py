"""The record of what was applied: one signed commit an entry, linear, chained by SHA-256. The format is in docs/record.md."""
