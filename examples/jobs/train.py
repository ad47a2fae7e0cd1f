"""A training loop that can be stopped at any moment: real state, real checkpoints, one shard a rank.

It stands for a framework's own loop; what to copy is the frame. SIGTERM only sets a flag; the loop finishes its step,
writes the checkpoint and leaves. A checkpoint is written beside the old one, flushed to the disk and renamed, so that
whenever the job dies one whole checkpoint is there. A run that finds its work finished says so and exits 0.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import time
from pathlib import Path
from types import FrameType

stopped = False


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--state",
        type=Path,
        required=True,
        help="folder of the checkpoints, on a file system that all nodes share",
    )
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--every", type=int, default=50, help="steps between two checkpoints")
    parser.add_argument("--seconds-per-step", type=float, default=1.0)
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, stop)
    rank = int(os.environ.get("SLURM_PROCID", "0"))
    shard = asked.state / f"rank-{rank}.json"
    step, weight = load(shard)
    say(rank, f"resumed at step {step}" if step else "begins at step 0")
    while step < asked.steps and not stopped:
        step, weight = step + 1, train(step, weight, rank, asked.seconds_per_step)
        if step % asked.every == 0:
            save(shard, step, weight)
    save(shard, step, weight)
    say(
        rank,
        f"finished {step} steps, weight {weight}"
        if step >= asked.steps
        else f"checkpoint at step {step}, leaving",
    )
    return 0 if step >= asked.steps else 143


def train(step: int, weight: int, rank: int, seconds: float) -> int:
    """One step; what it computes depends on every step before, so a lost or repeated one would show."""
    time.sleep(seconds)
    return (weight * 31 + step + rank) % 1_000_003


def load(shard: Path) -> tuple[int, int]:
    """Step and weight of the newest checkpoint; the beginning where there is none."""
    if not shard.exists():
        return 0, 1
    held = json.loads(shard.read_text())
    return int(held["step"]), int(held["weight"])


def save(shard: Path, step: int, weight: int) -> None:
    """The new checkpoint is whole on the disk before it takes the old one's place."""
    fresh = shard.with_suffix(".new")
    with fresh.open("w") as stream:
        json.dump({"step": step, "weight": weight}, stream)
        stream.flush()
        os.fsync(stream.fileno())
    fresh.replace(shard)


def stop(_number: int, _frame: FrameType | None) -> None:
    """Only a flag: the handler of a signal is no place for work."""
    global stopped
    stopped = True


def say(rank: int, text: str) -> None:
    """A line of the job's output, at once."""
    print(f"rank {rank}: {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
