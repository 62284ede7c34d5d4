"""The scripts of examples/python run as they stand, and give what they promise."""

from __future__ import annotations

import subprocess
import sys
import unittest
from pathlib import Path

from support import TestCase

EXAMPLES = Path(__file__).parents[2] / "examples" / "python"
PNG = b"\x89PNG\r\n"


class Examples(TestCase):
    def run_example(self, name: str) -> str:
        command = [sys.executable, "-W", "ignore", str(EXAMPLES / name), str(self.folder / "out")]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def assert_picture(self, name: str) -> None:
        self.assertTrue((self.folder / "out" / name).read_bytes().startswith(PNG))

    def test_compare_policies(self) -> None:
        lines = self.run_example("compare_policies.py").splitlines()
        self.assertEqual(lines[0].split(), ["load-balancing", "bin-packing", "consolidate"])
        self.assertEqual(lines[1].split()[0], "jct_s.avg")
        self.assert_picture("jct_cdf.png")

    def test_own_policy(self) -> None:
        lines = self.run_example("own_policy.py").splitlines()
        self.assertEqual(lines[0].split(), ["fifo", "fifo-skip", "smallest-first"])
        self.assertEqual(lines[1].split()[0], "jct_s.avg")
        written = (self.folder / "out" / "scenario.resolved.yaml").read_text()
        self.assertIn("python:smallest-first", written)

    def test_nic_sweep(self) -> None:
        self.run_example("nic_sweep.py")
        rows = (self.folder / "out" / "nic_sweep.csv").read_text().splitlines()
        self.assertEqual(rows[0], "placement,nic_gbps,avg_jct_h")
        self.assertEqual(len(rows), 1 + 2 * 7)
        # More bandwidth, shorter jobs.
        hours = [float(row.split(",")[2]) for row in rows[1:8]]
        self.assertEqual(hours, sorted(hours, reverse=True))
        self.assert_picture("nic_sweep.png")


if __name__ == "__main__":
    unittest.main()
