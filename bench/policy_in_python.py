#!/usr/bin/python3
"""What a decision costs more in Python than in C++: fifo and fifo-skip in both, on the same trace.

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


class FifoSkip(mosim.Policy):
    """Those that do not fit are passed by."""

    def decide(self, scheduler: mosim.Scheduler) -> None:
        for job in scheduler.waiting:
            scheduler.try_start(job)


class Counted(mosim.Policy):
    """Counts the decisions of another policy, and the jobs that it finds waiting."""

    def __init__(self, policy: mosim.Policy) -> None:
        self.policy = policy
        self.decisions = 0
        self.waiting = 0

    def decide(self, scheduler: mosim.Scheduler) -> None:
        self.decisions += 1
        self.waiting += len(scheduler.waiting)
        self.policy.decide(scheduler)


def seconds(run: Callable[[], mosim.Result]) -> float:
    begin = time.perf_counter()
    run()
    return time.perf_counter() - begin


def report(scenario: dict[str, object], policy: type[mosim.Policy], queue: str) -> None:
    """The median over runs in turn, in microseconds per decision."""
    counted = Counted(policy())
    in_python = mosim.run(scenario, policy=counted)
    in_cpp = mosim.run(scenario, queue=queue)
    assert in_python.digest == in_cpp.digest, "the schedules differ"
    differences = [
        seconds(lambda: mosim.run(scenario, policy=policy()))
        - seconds(lambda: mosim.run(scenario, queue=queue))
        for _ in range(REPEATS)
    ]
    cost = 1e6 * statistics.median(differences) / counted.decisions
    waiting = counted.waiting / counted.decisions
    print(f"{queue}: {cost:.2f} us per decision over C++, {waiting:.1f} jobs waiting on average")


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
    report(scenario, Fifo, "fifo")
    report(scenario, FifoSkip, "fifo-skip")


if __name__ == "__main__":
    main()
