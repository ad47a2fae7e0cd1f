"""What every parser of this package raises."""

from __future__ import annotations


class NotationError(ValueError):
    """`what` is wrong with the text, and the `remedy`."""

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(f"{what}; {remedy}")
        self.what = what
        self.remedy = remedy
