"""Generations of the configuration folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from reconciler.errors import Stale, Terminal
from reconciler.targets.contract import Mark
from reconciler.targets.slurm.generation import Generations


@pytest.fixture
def generations(tmp_path: Path) -> Generations:
    first = tmp_path / "generations" / "0"
    first.mkdir(parents=True)
    (first / "slurm.conf").write_text("old\n")
    (first / "slurmdbd.conf").write_text("StoragePass=x\n")
    (first / "slurmdbd.conf").chmod(0o600)
    link = tmp_path / "slurm"
    link.symlink_to(first)
    return Generations(link)


def test_new_generation_carries_strangers_files_along_and_leaves_the_old_one(
    generations: Generations,
) -> None:
    before = generations.current
    target = generations.write(3, {"slurm.conf": "new\n"}, [])
    assert generations.files(["slurm.conf"]) == {"slurm.conf": "old\n"}
    generations.switch(target)
    assert generations.files(["slurm.conf", "absent"]) == {"slurm.conf": "new\n"}
    assert (generations.current / "slurmdbd.conf").stat().st_mode & 0o777 == 0o600
    assert (before / "slurm.conf").read_text() == "old\n"


def test_removed_file_is_gone_from_the_new_generation_only(generations: Generations) -> None:
    before = generations.current
    generations.switch(generations.write(1, {}, ["slurm.conf"]))
    assert not (generations.current / "slurm.conf").exists()
    assert (before / "slurm.conf").exists()


def test_second_write_under_one_sequence_never_touches_what_is_in_force(generations: Generations) -> None:
    generations.switch(generations.write(1, {"slurm.conf": "a\n"}, []))
    in_force = generations.current
    target = generations.write(1, {"slurm.conf": "b\n"}, [])
    assert target != in_force
    assert (in_force / "slurm.conf").read_text() == "a\n"


def test_old_generations_go_the_ones_before_stay(generations: Generations) -> None:
    for sequence in range(1, 15):
        generations.switch(generations.write(sequence, {"slurm.conf": f"{sequence}\n"}, []))
    kept = {path.name for path in generations.root.glob("generation-*")}
    assert {"generation-14", "generation-13"} <= kept
    assert len(kept) == 11


def test_folder_that_is_no_link_is_refused_with_the_commands_that_make_it_one(tmp_path: Path) -> None:
    (tmp_path / "slurm").mkdir()
    with pytest.raises(Terminal, match="ln -s"):
        Generations(tmp_path / "slurm").require_link()


def test_mark_is_kept_and_an_older_writer_refused(generations: Generations) -> None:
    assert generations.mark() == Mark(0, None)
    generations.stamp(Mark(5, "x"))
    assert generations.mark() == Mark(5, "x")
    with pytest.raises(Stale, match="sequence 5"):
        generations.stamp(Mark(4, "y"))


def test_mark_outlives_a_restart_that_is_due(generations: Generations) -> None:
    generations.stamp(Mark(5, "x"))
    generations.wait_for_restart("restart slurmd", 99)
    assert generations.waiting() == ("restart slurmd", 99)
    assert generations.mark() == Mark(5, "x")
    generations.wait_for_restart(None, 0)
    assert generations.waiting() is None


@pytest.mark.parametrize("content", ["{", "[]", '{"format": "other"}'])
def test_damaged_sidecar_is_refused(generations: Generations, content: str) -> None:
    (generations.root / "charter.json").write_text(content)
    with pytest.raises(Terminal, match=r"charter\.json"):
        generations.mark()
