"""`python -m tests.engines.policy build|test`: compile the built-in rules, or test them and their committed module.

The module is built with the pinned OPA only: the same sources give the same bytes, so a reviewer can rebuild it.
"""

from __future__ import annotations

import sys
from pathlib import Path

from reconciler.gate.policy import CAPABILITIES, MODULE, build_module, builtin_sources
from reconciler.system.files import atomic_write
from reconciler.system.process import run
from tests.engines.errors import EngineError
from tests.engines.opa import opa_binary

REGO = Path(__file__).parents[2] / "rego"


def build(compiler: str) -> bytes:
    """The module of the built-in rules."""
    return build_module(builtin_sources(), compiler)


def check(compiler: str) -> None:
    """Format, capabilities, the tests beside the rules, and the committed module. Raises EngineError."""
    steps = (
        ["fmt", "--fail", "--list"],
        ["check", "--strict", "--ignore", "*_test.rego", "--capabilities", CAPABILITIES],
        ["test", "--ignore", "*.json"],
    )
    for step in steps:
        done = run([compiler, *step, "."], timeout=120, cwd=REGO)
        print(done.out, end="")
        if done.code != 0:
            raise EngineError(f"opa {step[0]} failed:\n{done.out}{done.err}")
    if build(compiler) != (REGO / MODULE).read_bytes():
        raise EngineError(
            f"rego/{MODULE} isn't what the sources give; run: python -m tests.engines.policy build"
        )


def main(arguments: list[str]) -> int:
    """Run one of the two; 0 when all is well."""
    if arguments not in (["build"], ["test"]):
        print("usage: python -m tests.engines.policy build|test", file=sys.stderr)
        return 1
    try:
        if arguments == ["build"]:
            atomic_write(REGO / MODULE, build(str(opa_binary())))
        else:
            check(str(opa_binary()))
    except EngineError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
