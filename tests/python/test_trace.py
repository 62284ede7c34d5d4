"""Traces and profiles in memory."""

from __future__ import annotations

import os
import subprocess
import unittest

from support import JOBS, ONE_GPU, PROFILES, TestCase

import mosim
import numpy as np
import pandas as pd

DEMO = "bundled:traces/demo.csv"


class InMemory(TestCase):
    def test_a_file_and_its_frame_are_the_same_trace(self) -> None:
        run = mosim.run()
        trace = mosim.read_trace(DEMO)
        self.assertEqual(len(trace), 120)
        self.assertEqual(mosim.run(trace=trace).summary, run.summary)
        self.assertEqual(mosim.run(trace=trace.frame).summary, run.summary)
        self.assertEqual(mosim.run(trace=trace.frame.to_dict("records")).summary, run.summary)
        self.assertEqual(mosim.run(trace=DEMO).summary, run.summary)

    def test_frame_has_types(self) -> None:
        frame = mosim.Trace([{**JOBS[0], "job_id": "007", "user": "NA"}, JOBS[1]]).frame
        self.assertEqual(list(frame["job_id"]), ["007", "b"])
        self.assertEqual(list(frame["user"]), ["NA", ""])
        self.assertEqual(frame["duration"].dtype, np.float64)

    def test_numbers_are_exact(self) -> None:
        time = 0.1 + 0.2
        for jobs in ([{**JOBS[0], "arrival_time": time}], [{**JOBS[0], "arrival_time": np.float64(time)}]):
            self.assertEqual(mosim.Trace(jobs).frame["arrival_time"][0], time)
            self.assertEqual(mosim.Trace(pd.DataFrame(jobs)).frame["arrival_time"][0], time)

    def test_what_is_missing_is_blank(self) -> None:
        jobs = [{**JOBS[0], "num_iteration": 7}, {**JOBS[1], "num_iteration": None}]
        for rows in (jobs, pd.DataFrame(jobs)):
            result = mosim.run(ONE_GPU, trace=rows, profiles=PROFILES)
            self.assertEqual(list(result.jobs["iterations"]), [7, 5])

    def test_keys_of_the_scenario_apply(self) -> None:
        jobs = [{**JOBS[0], "status": "failed"}, {**JOBS[1], "status": "unfinished", "start_time": 5}]
        trace = mosim.Trace(jobs)
        kept = mosim.run({**ONE_GPU, "trace": {"on_unfinished": "drop"}}, trace=trace, profiles=PROFILES)
        self.assertEqual(list(kept.jobs["job_id"]), ["a"])
        scaled = mosim.run(
            {**ONE_GPU, "trace": {"time_scale": 2, "format": "philly"}},
            trace=JOBS,
            profiles=pd.DataFrame(PROFILES),
        )
        self.assertEqual(list(scaled.jobs["submit_s"]), [0, 6])

    def test_options_of_read_trace(self) -> None:
        self.assertEqual(len(mosim.read_trace(DEMO, limit=7)), 7)
        path = self.folder / "jobs.csv"
        path.write_text("name,when,took,n\nx,0,5,2\n")
        columns = {"id": "name", "submit": "when", "duration": "took", "gpus": "n"}
        frame = mosim.read_trace(path, format="generic", columns=columns).frame
        self.assertEqual(list(frame["gpu_workers"]), [2])
        self.assert_input_error("<dict> trace.limt: unknown key", mosim.read_trace, DEMO, limt=3)

    def test_saved_trace_is_read_by_the_command(self) -> None:
        mosim.read_trace(DEMO).save(self.folder / "trace.csv")
        binary = os.environ["MOSIM_RELEASE_BINARY"]
        subprocess.run(
            [binary, "run", "--trace", "trace.csv", "-q", "-o", "out"], cwd=self.folder, check=True
        )
        mosim.run(output=self.folder / "python")
        ours = (self.folder / "python" / "jobs.csv").read_bytes()
        self.assertEqual(ours, (self.folder / "out" / "jobs.csv").read_bytes())


class Errors(TestCase):
    def test_row_and_column_are_named(self) -> None:
        bad = {**JOBS[1], "job_id": 'line\nbreak, "quote"', "model": "", "gpu_workers": 1.5}
        for rows in ([JOBS[0], bad], pd.DataFrame([JOBS[0], bad])):
            self.assert_input_error(
                "<trace> row 1, column 'gpu_workers': gpu_workers is '1.5'", mosim.Trace, rows
            )
        self.assert_input_error(
            "jobs row 0, column 'duration': ",
            mosim.Trace,
            [{**JOBS[0], "model": "é", "duration": "long"}],
            name="jobs",
        )
        self.assert_input_error("<trace>: has no column 'model'", mosim.Trace, [{"job_id": 1}])
        self.assert_input_error("<trace>: is empty", mosim.Trace, [])
        self.assert_input_error("was used on line", mosim.Trace, [JOBS[0], JOBS[0]])
        with self.assertRaisesRegex(TypeError, "<trace> row 0: int is no dictionary"):
            mosim.Trace([1])

    def test_of_a_run_too(self) -> None:
        jobs = [JOBS[0], {**JOBS[1], "model": "other"}]
        with self.assertRaises(mosim.InputError) as caught:
            mosim.run(ONE_GPU, trace=jobs, profiles=PROFILES)
        self.assertIn("<trace> row 1, column 'job_id': no profile for", str(caught.exception))

    def test_profiles(self) -> None:
        bad = [PROFILES[0], {**PROFILES[0], "gpus": 2, "volume_bytes": "much"}]
        with self.assertRaises(mosim.InputError) as caught:
            mosim.run(ONE_GPU, trace=JOBS, profiles=bad)
        self.assertIn("<profiles> row 1, column 'volume_bytes': ", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
