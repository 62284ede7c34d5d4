#!/usr/bin/python3
"""Discretized 2D-LAS written down a second time, to be compared with the policy `las`.

It walks all jobs at every event and knows nothing but the number of free GPUs. Options change what
the description of Tiresias leaves open, to see what each is worth. Reads the columns job_id,
submission_time, duration and num_gpu; prints the average JCT in seconds.
Usage: tests/schedule/las_reference.py raw-cluster04.csv.gz --gpus 512 [--demotion late] ...
"""
import argparse
import csv
import gzip
import math
import random
import statistics

NEVER = math.inf


class Job:
    def __init__(self, row):
        self.name, self.gpus = row["job_id"], int(row["num_gpu"])
        self.submit, self.duration = float(row["submission_time"]), float(row["duration"])
        self.ran, self.queue, self.running, self.start, self.end = 0.0, 0, False, NEVER, NEVER
        self.left = []  # attained service at every demotion


def load(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as lines:
        return [Job(row) for row in csv.DictReader(lines)]


def enter(queue, job, rules):
    """Puts a job into a queue: behind all, or a demoted one behind those that run."""
    in_front = rules.demoted == "front" and job.running
    queue.insert(sum(other.running for other in queue) if in_front else len(queue), job)


def demote(queues, running, rules):
    for job in running:
        level = job.queue
        while level < len(rules.limits) and job.ran * job.gpus >= rules.limits[level]:
            level += 1
            if rules.one_queue:
                break
        if level > job.queue:
            job.left.append(job.ran * job.gpus)
            queues[job.queue].remove(job)
            job.queue = level
            enter(queues[level], job, rules)


def choose(queues, free, rules):
    """The jobs that run, by the queues; what does not fit is skipped."""
    chosen = []
    for queue in queues:
        by_submission = rules.order == "submission"
        for job in sorted(queue, key=lambda job: job.number) if by_submission else queue:
            if job.gpus <= free:
                free -= job.gpus
                chosen.append(job)
    return chosen


def sort_queue(queue, stopped, rules):
    """Running jobs first; the sorts are stable."""
    if rules.running == "first-start":
        queue.sort(key=lambda job: (job.start, job.number) if job.running else (NEVER, 0))
    else:
        queue.sort(key=lambda job: not job.running)
    if rules.waiting == "preempted-last":
        queue.sort(key=lambda job: job in stopped)
    elif rules.waiting == "submission":
        queue.sort(key=lambda job: (1, job.number) if not job.running else (0, 0))


def next_demotion(now, job, rules):
    if job.queue == len(rules.limits):
        return NEVER
    limit = rules.limits[job.queue]
    if rules.demotion == "late":  # as Tiresias's simulator, which takes time for service
        return now + max(1, math.ceil((limit - job.ran) / job.gpus))
    due = now + limit / job.gpus - job.ran
    return math.ceil(due) if rules.demotion == "whole-seconds" else due


def simulate(jobs, rules):
    jobs = sorted(jobs, key=lambda job: job.submit)
    for number, job in enumerate(jobs):
        job.number = number
    queues = [[] for _ in range(len(rules.limits) + 1)]
    running, now, submitted, due = [], 0.0, 0, NEVER
    while running or submitted < len(jobs):
        ends = [now + job.duration - job.ran for job in running]
        comes = jobs[submitted].submit if submitted < len(jobs) else NEVER
        then = min([comes, due] + ends)
        for job in running:
            job.ran += then - now
        now = then
        for job in [job for job in running if job.ran >= job.duration]:
            job.end, job.running = now, False
            running.remove(job)
            queues[job.queue].remove(job)
        while submitted < len(jobs) and jobs[submitted].submit == now:
            enter(queues[0], jobs[submitted], rules)
            submitted += 1
        demote(queues, sorted(running, key=lambda job: job.number), rules)
        before, running = set(running), choose(queues, rules.gpus, rules)
        stopped = before.difference(running)
        for job in stopped:
            job.running = False
        for job in running:
            job.running, job.start = True, min(job.start, now)
        for queue in queues:
            sort_queue(queue, stopped, rules)
        due = min((next_demotion(now, job, rules) for job in running), default=NEVER)
    return [job.end - job.submit for job in jobs]


def average_when_moved(rules, seed):
    """Every job comes 0 or 1 s later: what an average is worth when nothing but ties change."""
    rng, jobs = random.Random(seed), load(rules.trace)
    for job in jobs:
        job.submit += rng.randint(0, 1)
    return statistics.mean(simulate(jobs, rules))


def print_by_gpus(jobs):
    print("GPUs, jobs, their share of the average JCT, mean service at their demotions")
    for gpus in sorted({job.gpus for job in jobs}):
        some = [job for job in jobs if job.gpus == gpus]
        part = sum(job.end - job.submit for job in some) / len(jobs)
        most = max(len(job.left) for job in some)
        lefts = zip(*(job.left for job in some if len(job.left) == most))
        print(gpus, len(some), f"{part:.0f}", *(f"{statistics.mean(left):.0f}" for left in lefts))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("trace")
    parser.add_argument("--gpus", type=int, required=True)
    parser.add_argument("--limits", type=float, nargs="*", default=[3250, 7200])
    parser.add_argument("--demotion", choices=["exact", "whole-seconds", "late"], default="exact")
    parser.add_argument("--one-queue", action="store_true", help="per event at most")
    parser.add_argument("--order", choices=["running-first", "submission"], default="running-first")
    parser.add_argument("--running", choices=["last-start", "first-start"], default="last-start",
                        help="the order of the running jobs of a queue")
    parser.add_argument("--waiting", default="preempted-first", help="the order of the others",
                        choices=["preempted-first", "preempted-last", "submission"])
    parser.add_argument("--demoted", choices=["front", "back"], default="back",
                        help="of those that wait in the queue that a running job enters")
    parser.add_argument("--moved", type=int, help="the mean of so many traces a little changed")
    parser.add_argument("--jobs", action="store_true", help="prints job_id,jct_s of each")
    parser.add_argument("--by-gpus", action="store_true", help="prints the parts of the average")
    rules = parser.parse_args()
    if rules.moved:
        averages = [average_when_moved(rules, seed) for seed in range(1, rules.moved + 1)]
        print(f"{statistics.mean(averages):.0f} standard deviation {statistics.stdev(averages):.0f}")
        return
    jobs = load(rules.trace)
    jct = simulate(jobs, rules)
    if rules.by_gpus:
        print_by_gpus(jobs)
    elif rules.jobs:
        print("job_id,jct_s")
        for job in jobs:
            print(f"{job.name},{job.end - job.submit:.6f}")
    else:
        print(f"{statistics.mean(jct):.1f}")


if __name__ == "__main__":
    main()
