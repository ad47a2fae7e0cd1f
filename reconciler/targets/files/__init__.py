"""The file target: a directory stands for the live systems, so that the whole loop runs with nothing installed."""

from reconciler.targets.files.target import FileTarget

__all__ = ["FileTarget"]
