"""mosim.run and its Result."""

from __future__ import annotations

import doctest
import gc
import os
import pickle
import signal
import subprocess
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

from support import JOBS, ONE_GPU, PROFILES, TestCase

import mosim
import mosim._run
import mosim._trace
import numpy as np
import pandas as pd

FILES = ["jobs.csv", "timeline.csv", "summary.json", "scenario.resolved.yaml"]
VIEWS = ["submit_s", "start_s", "end_s", "compute_s", "network_s", "loading_s", "iterations"]
VIEWS += ["mean_contention", "restarts", "lost_s"]
# Two jobs of 10^11 iterations that share their NICs, each phase an event: hours.
ENDLESS = {
    "contention": {"resolution": "phase"},
    "cluster": {"servers": [{"count": 2, "gpus": 2}]},
}
LONG_JOBS = [{**job, "duration": 1e8, "gpu_workers": 2} for job in JOBS]
SHORT_ITERATIONS = [{**PROFILES[0], "gpus": 2, "compute_s": 5e-4, "network_s": 5e-4, "volume_bytes": 1e6}]


def load_tests(loader: object, tests: unittest.TestSuite, pattern: object) -> unittest.TestSuite:
    for module in (mosim, mosim._run, mosim._trace):
        tests.addTests(doctest.DocTestSuite(module))
    return tests


class Run(TestCase):
    def test_one_gpu_by_hand(self) -> None:
        # a runs from 0 to 20, b waits for it and runs from 20 to 30.
        result = mosim.run(ONE_GPU, trace=JOBS, profiles=PROFILES)
        jobs = result.jobs
        self.assertEqual(list(jobs["job_id"]), ["a", "b"])
        self.assertEqual(list(jobs["start_s"]), [0, 20])
        self.assertEqual(list(jobs["end_s"]), [20, 30])
        self.assertEqual(list(jobs["wait_s"]), [0, 17])
        self.assertEqual(list(jobs["jct_s"]), [20, 27])
        self.assertEqual(list(jobs["iterations"]), [10, 5])
        self.assertEqual(list(jobs["servers"]), ["0:1", "0:1"])
        self.assertEqual(result.summary["makespan_s"], 30)
        self.assertEqual(list(result.timeline["waiting"]), [0, 1, 0, 0])

    def test_writes_the_files_of_the_command(self) -> None:
        binary = os.environ["MOSIM_RELEASE_BINARY"]
        arguments = ["--placement", "bin-packing", "--seed", "3", "-q", "-o", "cli"]
        subprocess.run([binary, "run", *arguments], cwd=self.folder, check=True)
        mosim.run(placement="bin-packing", seed=3, output=self.folder / "python")
        for file in FILES:
            ours = (self.folder / "python" / file).read_bytes()
            self.assertEqual(ours, (self.folder / "cli" / file).read_bytes(), file)

    def test_tables_are_those_of_the_files(self) -> None:
        result = mosim.run("bundled:scenarios/philly-like.yaml", output=self.folder)
        for table, file in ((result.jobs, "jobs.csv"), (result.timeline, "timeline.csv")):
            written = pd.read_csv(
                self.folder / file,
                float_precision="round_trip",
                dtype={"job_id": str},
                keep_default_na=False,
            )
            pd.testing.assert_frame_equal(table, written, check_dtype=False, check_exact=True)

    def test_numbers_are_not_copied_and_outlive_the_result(self) -> None:
        result = mosim.run()
        again = result._core.job_columns()
        for column in VIEWS:
            values = result.jobs[column].to_numpy()
            self.assertTrue(np.shares_memory(values, again[column]), column)
        jobs = result.jobs
        total = jobs["end_s"].sum()
        del result, again
        gc.collect()
        _ = [mosim.run() for _ in range(3)]
        self.assertEqual(jobs["end_s"].sum(), total)

    def test_results_cannot_be_changed_by_accident(self) -> None:
        jobs = mosim.run().jobs
        with self.assertRaises(ValueError):
            jobs["end_s"].to_numpy()[0] = 0
        changed = jobs.copy()
        changed["end_s"] += 1
        self.assertEqual(changed["end_s"][0], jobs["end_s"][0] + 1)

    def test_pandas_works_on_the_tables(self) -> None:
        jobs = mosim.run().jobs
        means = jobs.groupby("model")["jct_s"].mean()
        self.assertAlmostEqual(means["bert"], jobs[jobs["model"] == "bert"]["jct_s"].mean())
        self.assertEqual(len(jobs.sort_values("end_s").merge(jobs, on="job_id")), len(jobs))
        self.assertEqual(jobs["start_s"].rolling(3).mean().count(), len(jobs) - 2)
        self.assertEqual(jobs.describe()["end_s"]["max"], jobs["end_s"].max())
        self.assertTrue(pickle.loads(pickle.dumps(jobs)).equals(jobs))

    def test_every_way_to_say_a_scenario_gives_the_same_run(self) -> None:
        path = self.folder / "scenario.yaml"
        path.write_text("scheduler: {placement: bin-packing}\ncluster: {servers: [{count: 3}]}\n")
        by_file = mosim.run(path)
        by_dict = mosim.run(
            {"scheduler": {"placement": "bin-packing"}, "cluster": {"servers": [{"count": np.int64(3)}]}}
        )
        by_override = mosim.run(
            {}, placement="bin-packing", overrides={"cluster.servers": [{"count": 3}]}
        )
        self.assertEqual(by_file.summary, by_dict.summary)
        self.assertEqual(by_file.summary, by_override.summary)

    def test_saved_run_is_read_back(self) -> None:
        result = mosim.run(ONE_GPU, trace=JOBS, profiles=PROFILES, output=self.folder)
        again = mosim.run(self.folder / "scenario.resolved.yaml")
        self.assertEqual(again.digest, result.digest)
        self.assert_input_error("holds a run already", result.save, self.folder)
        result.save(self.folder, force=True)

    def test_compare(self) -> None:
        both = mosim.compare({"one": mosim.run(), "two": mosim.run(placement="consolidate")})
        self.assertLess(both["two"]["jct_s.avg"], both["one"]["jct_s.avg"])

    def test_warnings(self) -> None:
        with self.assertWarnsRegex(UserWarning, "dropped: job 'big'"):
            big = {"job_id": "big", "model": "m", "arrival_time": 0, "duration": 1, "gpu_workers": 2}
            profiles = [*PROFILES, {**PROFILES[0], "gpus": 2}]
            result = mosim.run(
                ONE_GPU,
                trace=[*JOBS, big],
                profiles=profiles,
                overrides={"scheduler.skip_unplaceable": True},
            )
        self.assertEqual(len(result.jobs), 2)
        self.assertEqual(len(result.warnings), 1)


class Errors(TestCase):
    def test_dictionary_names_its_keys(self) -> None:
        scenario = {"scheduler": {"queue": "fifi"}, "cluster": {"servers": [{}, {"gpuz": 4}]}}
        self.assert_input_error("<dict> scheduler.queue: ", mosim.run, scenario)
        self.assert_input_error("<dict> cluster.servers[1].gpuz: unknown key", mosim.run, scenario)
        self.assert_input_error("<dict>: ", mosim.run, {"profile": {"backend": "table"}})
        with self.assertRaisesRegex(TypeError, "trace.limit: set has no place"):
            mosim.run({"trace": {"limit": {1}}})

    def test_arguments_are_named(self) -> None:
        self.assert_input_error("queue: scheduler.queue is 'fifi'", mosim.run, queue="fifi")
        self.assert_input_error(
            "overrides['scheduler.quue']: unknown key", mosim.run, overrides={"scheduler.quue": 1}
        )

    def test_files_have_lines(self) -> None:
        path = self.folder / "scenario.yaml"
        path.write_text("scheduler:\n  queue: fifi\n")
        self.assert_input_error(f"{path}:2:10: scheduler.queue is 'fifi'", mosim.run, path)
        with self.assertRaises(mosim.InputError) as caught:
            mosim.run(path)
        self.assertEqual(caught.exception.diagnostics[0][:3], (str(path), 2, 10))

    def test_folder_that_cannot_be_made(self) -> None:
        (self.folder / "file").write_text("")
        self.assert_input_error("is not a folder", mosim.run, output=self.folder / "file")
        with self.assertRaisesRegex(mosim.RunError, "cannot be made"):
            mosim.run(output=self.folder / "file" / "below")


class WhileItRuns(TestCase):
    def test_progress(self) -> None:
        calls: list[tuple[float, int, int, int]] = []
        result = mosim.run(progress=lambda *now: calls.append(now))
        last = calls[-1]
        self.assertEqual(last[1:], (120, 120, result.summary["events"]))
        self.assertEqual(last[0], result.jobs["end_s"].max())

    def test_exception_of_the_callback_comes_out(self) -> None:
        def fail(*now: object) -> None:
            raise KeyError("mine")

        with self.assertRaisesRegex(KeyError, "mine"):
            mosim.run(progress=fail)

    def test_ctrl_c_ends_the_run_and_other_threads_go_on(self) -> None:
        # The timer's thread can only act if the run does not hold the GIL.
        timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
        begin = time.monotonic()
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            mosim.run(ENDLESS, trace=LONG_JOBS, profiles=SHORT_ITERATIONS)
        self.assertLess(time.monotonic() - begin, 10)

    def test_runs_in_threads(self) -> None:
        with ThreadPoolExecutor(4) as pool:
            runs = list(pool.map(lambda _: mosim.run().digest, range(8)))
        self.assertEqual(set(runs), {mosim.run().digest})


if __name__ == "__main__":
    unittest.main()
