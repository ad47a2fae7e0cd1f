"""The one error of this package: an engine is missing, is of another version, or did not start."""


class EngineError(RuntimeError):
    """A sentence that says what failed and what to do; log excerpts follow on lines of their own."""
