"""Policies in Python."""

from __future__ import annotations

import doctest
import os
import signal
import subprocess
import threading
import unittest
from pathlib import Path
from typing import Any

from support import JOBS, ONE_GPU, PROFILES, TestCase

import mosim
import mosim._policy

ROOT = Path(__file__).parents[2]
PHILLY_LIKE = "bundled:scenarios/philly-like.yaml"


def load_tests(loader: object, tests: unittest.TestSuite, pattern: object) -> unittest.TestSuite:
    tests.addTests(doctest.DocTestSuite(mosim._policy))
    return tests


class Fifo(mosim.Policy):
    def decide(self, scheduler: mosim.Scheduler) -> None:
        for job in scheduler.waiting:
            if not scheduler.try_start(job):
                break


class FifoSkip(mosim.Policy):
    def decide(self, scheduler: mosim.Scheduler) -> None:
        for job in scheduler.waiting:
            scheduler.try_start(job)


class ShortestRemaining(mosim.Policy):
    """For jobs of one GPU on one GPU."""

    needs = ["remaining_time"]

    def decide(self, scheduler: mosim.Scheduler) -> None:
        jobs = [*scheduler.waiting, *scheduler.running]
        first = min(jobs, key=lambda job: job.remaining_s, default=None)
        if first is None or first in scheduler.running:
            return
        for job in scheduler.running:
            scheduler.preempt(job)
        scheduler.try_start(first)


def run(policy: Any, scenario: Any = ONE_GPU, **options: Any) -> mosim.Result:
    return mosim.run(scenario, trace=JOBS, profiles=PROFILES, policy=policy, **options)


class Decisions(TestCase):
    def test_same_schedule_as_in_cpp(self) -> None:
        for policy, queue in ((Fifo(), "fifo"), (FifoSkip(), "fifo-skip")):
            ours = mosim.run(PHILLY_LIKE, policy=policy)
            theirs = mosim.run(PHILLY_LIKE, queue=queue)
            self.assertEqual(ours.digest, theirs.digest, queue)
            self.assertEqual(ours.summary["events"], theirs.summary["events"], queue)

    def test_preemption_by_hand(self) -> None:
        # At 3 s a has 17 s left and b 10: b takes the GPU until 13, then a ends its 17 s at 30.
        result = run(ShortestRemaining())
        self.assertEqual(list(result.jobs["end_s"]), [30, 13])
        self.assertEqual(list(result.jobs["preemptions"]), [1, 0])
        self.assertEqual(result.digest, run(None, queue="srtf").digest)
        attempt = result.attempts.iloc[0]
        self.assertEqual((attempt["job_id"], attempt["start_s"], attempt["end_s"]), ("a", 0, 3))

    def test_calls_in_order(self) -> None:
        calls: list[tuple[str, float, str]] = []

        class Noting(Fifo):
            def on_submit(self, view: mosim.SchedulerView, job: mosim.Job) -> None:
                calls.append(("submit", view.now, job.id))

            def on_end(self, view: mosim.SchedulerView, job: mosim.Job) -> None:
                calls.append(("end", view.now, job.id))

        run(Noting())
        expected = [("submit", 0, "a"), ("submit", 3, "b"), ("end", 20, "a"), ("end", 30, "b")]
        self.assertEqual(calls, expected)

    def test_wake_at_and_what_a_job_tells(self) -> None:
        seen: list[tuple[float, float, float, float, str]] = []

        class Later(Fifo):
            def decide(self, scheduler: mosim.Scheduler) -> None:
                if scheduler.now < 7:
                    scheduler.wake_at(7)
                    return
                super().decide(scheduler)
                if scheduler.now < 12:
                    scheduler.wake_at(12)
                a = scheduler.job(0)
                seen.append((scheduler.now, a.elapsed_s, a.served_s, a.attained_service, a.stage))

        result = run(Later())
        self.assertEqual(list(result.jobs["start_s"]), [7, 27])
        self.assertEqual(
            seen[:2], [(7, 7, 0, 0, "running"), (12, 12, 5, 5, "running")]
        )
        self.assertEqual(seen[2][4], "done")

    def test_places_of_its_own_moves_and_sizes(self) -> None:
        servers = {"cluster": {"servers": [{"count": 3, "gpus": 2}]}}
        profiles = [
            {"model": "m", "gpus": n, "compute_s": 2.0, "network_s": 0, "volume_bytes": 0} for n in (1, 2)
        ]

        class Mover(mosim.Policy):
            def decide(self, scheduler: mosim.Scheduler) -> None:
                for job in scheduler.waiting:
                    scheduler.start(job, {2: 1})
                for job in scheduler.running:
                    if scheduler.now == 3 and job.id == "a":
                        scheduler.migrate(job, {0: 1})
                        assert job.place == {0: 1}, job.place
                    elif scheduler.now == 3:
                        assert scheduler.may_resize(job, 2)
                        scheduler.resize(job, {1: 1, 0: 1})
                assert list(scheduler.gpus_per_server) == [2, 2, 2]
                if scheduler.now == 3:
                    assert list(scheduler.free_gpus_per_server) == [0, 1, 2]
                    assert scheduler.free_gpus == 3

        result = mosim.run(servers, trace=JOBS, profiles=profiles, policy=Mover())
        self.assertEqual(list(result.jobs["servers"]), ["0:1", "1:1 0:1"])
        # b's 5 iterations are 2.5 on two workers: 5 s from 3 s on.
        self.assertEqual(list(result.jobs["end_s"]), [20, 8])

    def test_where_a_place_would_hurt(self) -> None:
        seen: list[float] = []
        two_workers = [{**job, "gpu_workers": 2} for job in JOBS]
        sending = [{**PROFILES[0], "gpus": 2, "network_s": 1.0, "volume_bytes": 1e9}]
        servers = {"cluster": {"servers": [{"count": 4, "gpus": 2, "nic": "8 Gbps"}]}}

        class Asking(mosim.Policy):
            def decide(self, scheduler: mosim.Scheduler) -> None:
                for job in scheduler.waiting:
                    if job.id == "b":
                        seen.append(scheduler.added_slowdown(job, {0: 1, 1: 1}))
                        seen.append(scheduler.added_slowdown(job, {2: 1, 3: 1}))
                        scheduler.start(job, {0: 1, 1: 1})
                        seen.append(job.contention)
                    else:
                        scheduler.start(job, {0: 1, 1: 1})

        mosim.run(servers, trace=two_workers, profiles=sending, policy=Asking())
        together, apart, contention = seen
        # Each of two equal jobs gets half of what it had.
        self.assertAlmostEqual(contention, 2)
        self.assertAlmostEqual(together, 2)
        self.assertEqual(apart, 0)

    def test_a_policy_for_each_virtual_cluster(self) -> None:
        made: list[mosim.Policy] = []

        class Own(Fifo):
            per_virtual_cluster = True

            def __init__(self) -> None:
                self.users: set[str] = set()
                made.append(self)

            def on_submit(self, view: mosim.SchedulerView, job: mosim.Job) -> None:
                self.users.add(job.virtual_cluster)

        halves = {
            "cluster": {
                "servers": [
                    {"count": 1, "gpus": 1, "virtual_cluster": "one"},
                    {"count": 1, "gpus": 1, "virtual_cluster": "two"},
                ],
                "virtual_clusters": [{"name": "one"}, {"name": "two"}],
            }
        }
        trace = [{**job, "virtual_cluster": vc} for job, vc in zip(JOBS, ("one", "two"))]
        result = mosim.run(halves, trace=trace, profiles=PROFILES, policy=Own)
        self.assertEqual(list(result.jobs["start_s"]), [0, 3])
        self.assertEqual([policy.users for policy in made], [{"one"}, {"two"}])
        with self.assertRaisesRegex(ValueError, "give its class"):
            mosim.run(halves, trace=trace, profiles=PROFILES, policy=Own())


class Mistakes(TestCase):
    def test_wrong_actions_change_nothing(self) -> None:
        refused: list[str] = []

        class Wrong(Fifo):
            def decide(self, scheduler: mosim.Scheduler) -> None:
                for job in scheduler.running:
                    self.refuse(lambda: scheduler.try_start(job))
                    self.refuse(lambda: scheduler.migrate(job, {7: 1}))
                    self.refuse(lambda: scheduler.resize(job, {}))
                for job in scheduler.waiting:
                    self.refuse(lambda: scheduler.preempt(job))
                    self.refuse(lambda: scheduler.start(job, {0: 2}))
                    self.refuse(lambda: job.remaining_s)
                self.refuse(lambda: scheduler.wake_at(scheduler.now))
                super().decide(scheduler)

            def refuse(self, action: Any) -> None:
                try:
                    action()
                except mosim.InvalidAction as error:
                    refused.append(str(error))
                else:
                    raise AssertionError("it was allowed")

        self.assertEqual(run(Wrong()).digest, run(Fifo()).digest)
        self.assertGreater(len(refused), 10)
        for message in refused:
            self.assertRegex(message, r"Wrong.* \d")

    def test_uncaught_it_ends_the_run(self) -> None:
        class Wrong(mosim.Policy):
            name = "wrong(3)"

            def decide(self, scheduler: mosim.Scheduler) -> None:
                for job in scheduler.waiting:
                    scheduler.start(job, {0: 5})

        with self.assertRaisesRegex(mosim.InvalidAction, r"wrong\(3\)"):
            run(Wrong())

    def test_its_exception_comes_out_with_a_note(self) -> None:
        class Fails(mosim.Policy):
            def decide(self, scheduler: mosim.Scheduler) -> None:
                if scheduler.now > 0:
                    raise KeyError("mine")

        with self.assertRaisesRegex(KeyError, "mine") as caught:
            run(Fails())
        if hasattr(caught.exception, "add_note"):
            self.assertEqual(caught.exception.__notes__, ["in policy 'Fails' at 3 s"])

    def test_kept_objects_are_refused_after_the_call(self) -> None:
        kept: list[Any] = []

        class Keeps(Fifo):
            def on_end(self, view: Any, job: mosim.Job) -> None:
                kept.extend((view, job))
                with caller.assertRaisesRegex(RuntimeError, r"actions belong into decide\(\)"):
                    view.try_start(job)

        caller = self
        run(Keeps())
        with self.assertRaisesRegex(RuntimeError, "only in the calls of the policy"):
            kept[0].now
        with self.assertRaisesRegex(RuntimeError, "only in the calls of the policy"):
            kept[1].gpus

    def test_jobs_of_another_run_are_refused(self) -> None:
        kept: list[mosim.Job] = []
        refused: list[str] = []

        class Keeps(Fifo):
            def on_submit(self, view: mosim.SchedulerView, job: mosim.Job) -> None:
                kept.append(job)

        class Asks(Fifo):
            def on_submit(self, view: mosim.SchedulerView, job: mosim.Job) -> None:
                try:
                    view.fit_class(kept[0])
                except ValueError as error:
                    refused.append(str(error))

        run(Keeps())
        run(Asks())
        self.assertEqual(refused, ["the job is of another run"] * 2)

    def test_what_is_no_place(self) -> None:
        class Wrong(mosim.Policy):
            def decide(self, scheduler: mosim.Scheduler) -> None:
                for job in scheduler.waiting:
                    scheduler.start(job, {0: -1})

        with self.assertRaisesRegex(ValueError, "expected workers by server"):
            run(Wrong())

    def test_what_is_no_policy(self) -> None:
        with self.assertRaisesRegex(TypeError, "expected a mosim.Policy"):
            run(3)
        with self.assertRaisesRegex(TypeError, "decide"):
            run(mosim.Policy)
        with self.assertRaisesRegex(ValueError, "policy and queue"):
            run(Fifo(), queue="fifo")
        with self.assertRaisesRegex(ValueError, "needs has 'luck'"):
            run(type("Lucky", (Fifo,), {"needs": ["luck"]}))

    def test_a_policy_that_never_starts_a_job(self) -> None:
        class Idle(mosim.Policy):
            def decide(self, scheduler: mosim.Scheduler) -> None:
                pass

        with self.assertRaisesRegex(mosim.RunError, "a"):
            run(Idle())


class Plugins(TestCase):
    def test_policies_of_plugins_run(self) -> None:
        library = self.folder / "libshortest_estimate.so"
        source = ROOT / "examples" / "policy-cpp" / "shortest_estimate.cpp"
        build = ["g++", "-std=c++20", "-shared", "-fPIC", f"-I{ROOT / 'include'}"]
        subprocess.run([*build, str(source), "-o", str(library)], check=True)
        result = mosim.run(
            {"plugins": [str(library)], "scheduler": {"queue": "shortest-estimate"}}, output=self.folder
        )
        self.assertEqual(result.summary["jobs"]["finished"], 120)
        self.assertNotEqual(result.digest, mosim.run(queue="fifo").digest)
        again = mosim.run(self.folder / "scenario.resolved.yaml")
        self.assertEqual(again.digest, result.digest)


class Run(TestCase):
    def test_saved_scenario_names_it_and_is_refused(self) -> None:
        run(Fifo(), output=self.folder)
        resolved = self.folder / "scenario.resolved.yaml"
        self.assertIn("python:Fifo", resolved.read_text())
        self.assert_input_error("python:Fifo", mosim.run, resolved)
        again = mosim.run(resolved, policy=Fifo())
        self.assertEqual(again.digest, run(Fifo()).digest)

    def test_ctrl_c_in_a_policy(self) -> None:
        class Slow(Fifo):
            def decide(self, scheduler: mosim.Scheduler) -> None:
                os.kill(os.getpid(), signal.SIGINT)
                super().decide(scheduler)

        with self.assertRaises(KeyboardInterrupt):
            run(Slow())

    def test_in_threads(self) -> None:
        digests: list[str] = []
        threads = [
            threading.Thread(target=lambda: digests.append(mosim.run(policy=Fifo()).digest))
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(set(digests), {mosim.run(queue="fifo").digest})
        self.assertEqual(len(digests), 4)


if __name__ == "__main__":
    unittest.main()
