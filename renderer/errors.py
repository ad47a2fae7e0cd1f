"""The errors that the pure half raises."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from renderer.problem import Problem


class RenderError(Exception):
    """A site that loaded cannot be rendered for the declared engine release."""


class SiteInvalid(ValueError):
    """The site has problems of severity error; `problems` holds all of them, sorted."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = problems
