"""Sites as fixtures: `valid`, and beside it one folder a defect, which holds the files that differ and the problems expected."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).parent


def files_of(folder: Path) -> dict[str, bytes]:
    """Path below `folder` to content, of all regular files."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def valid() -> dict[str, bytes]:
    """A small site without any problem."""
    return files_of(HERE / "valid")
