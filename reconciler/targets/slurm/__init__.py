"""Live Slurm as a target, through its own command line: configuration as generations, accounting, reservations."""

from reconciler.targets.slurm.target import SlurmTarget

__all__ = ["SlurmTarget"]
