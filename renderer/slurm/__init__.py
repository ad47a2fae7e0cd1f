"""A site as Slurm's own files, accounting state and reservations. One output file or kind a module; nothing is guessed:
what a release can be told stands in capability.py.
"""

from renderer.slurm.render import render

__all__ = ["render"]
