#!/usr/bin/python3
"""What a decision costs more in Python than in C++: fifo in both, on the same trace.

Usage: policy_in_python.py [TRACE]: the 1,000 jobs of the bundled Philly-like trace, or a trace file
on 400 servers of 8 GPUs.
"""

from __future__ import annotations

import statistics
import sys
import time
import warnings
from collections.abc import Callable

import mosim

REPEATS = 7


class Fifo(mosim.Policy):
    """The head of the queue blocks all behind it."""

    def decide(self, scheduler: mosim.Scheduler) -> None:
        for job in scheduler.waiting:
            if not scheduler.try_start(job):
                break


class Counted(Fifo):
    """Fifo that counts its decisions."""

    def __init__(self) -> None:
        self.decisions = 0

    def decide(self, scheduler: mosim.Scheduler) -> None:
        self.decisions += 1
        super().decide(scheduler)


def seconds(run: Callable[[], mosim.Result]) -> float:
    begin = time.perf_counter()
    run()
    return time.perf_counter() - begin


def overhead_us(scenario: dict[str, object]) -> float:
    """The median over runs in turn, in microseconds per decision."""
    counted = Counted()
    in_python = mosim.run(scenario, policy=counted)
    in_cpp = mosim.run(scenario, queue="fifo")
    assert in_python.digest == in_cpp.digest, "the schedules differ"
    differences = [
        seconds(lambda: mosim.run(scenario, policy=Fifo()))
        - seconds(lambda: mosim.run(scenario, queue="fifo"))
        for _ in range(REPEATS)
    ]
    return 1e6 * statistics.median(differences) / counted.decisions


def main() -> None:
    warnings.simplefilter("ignore")
    scenario: dict[str, object] = {
        "trace": {"file": "bundled:traces/philly-like.csv"},
        "cluster": {"servers": [{"count": 8, "gpus": 8, "nic": "10 Gbps"}]},
    }
    if len(sys.argv) > 1:
        scenario = {
            "trace": {"file": sys.argv[1]},
            "cluster": {"servers": [{"count": 400, "gpus": 8}]},
        }
    print(f"{overhead_us(scenario):.2f} us per decision over fifo in C++")


if __name__ == "__main__":
    main()
