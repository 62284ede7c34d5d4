#!/usr/bin/python3
"""A policy of one's own, beside two that ship.

Usage: own_policy.py OUTPUT_FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

import mosim

DAY = 24 * 3600


class SmallestFirst(mosim.Policy):
    """The job that asks for the fewest GPUs goes first. What waited for a day goes before it, and
    what does not fit then holds up the others, so that no job starves."""

    name = "smallest-first"

    def decide(self, scheduler: mosim.Scheduler) -> None:
        def urgency(job: mosim.Job) -> tuple[bool, int, int]:
            return job.elapsed_s < DAY, job.gpus, job.index

        for job in sorted(scheduler.waiting, key=urgency):
            if not scheduler.try_start(job) and job.elapsed_s >= DAY:
                break


def main(folder: Path) -> None:
    runs = {
        "fifo": mosim.run(queue="fifo"),
        "fifo-skip": mosim.run(queue="fifo-skip"),
        "smallest-first": mosim.run(policy=SmallestFirst(), output=folder, force=True),
    }
    measures = ["jct_s.avg", "jct_s.median", "jct_s.p99", "wait_s.avg", "makespan_s"]
    print(mosim.compare(runs).loc[measures].to_string(float_format="%.1f"))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
