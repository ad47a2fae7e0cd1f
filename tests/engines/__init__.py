"""The real engines for tests and demonstrations: how they are obtained, started and stopped.

`setup` installs or builds the pinned versions once, into a cache outside the tree. `slurm`, `kubernetes` and `opa` each
start one engine in a scratch folder on free ports and leave nothing behind. Nothing here is part of Charter itself.
"""
