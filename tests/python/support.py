"""What the tests of the Python package share."""

from __future__ import annotations

import os
import sys
import tempfile
import unittest
import warnings
from pathlib import Path
from typing import Any

PACKAGE = Path(os.environ["PYTHONPATH"])
if not list(PACKAGE.glob("mosim/_core.*.so")):
    # As `make test` builds it first, it is missing only while somebody works on another part.
    print(f"skipped: {PACKAGE} has no package; make python builds it")
    sys.exit(77)

import mosim

assert Path(mosim.__file__).is_relative_to(PACKAGE), mosim.__file__

# Two jobs of 10 and 5 iterations of 2 s on one GPU each.
JOBS = [
    {"job_id": "a", "model": "m", "arrival_time": 0, "duration": 20.0, "gpu_workers": 1},
    {"job_id": "b", "model": "m", "arrival_time": 3, "duration": 10.0, "gpu_workers": 1},
]
PROFILES = [{"model": "m", "gpus": 1, "compute_s": 2.0, "network_s": 0, "volume_bytes": 0}]
ONE_GPU = {"cluster": {"servers": [{"count": 1, "gpus": 1}]}}


class TestCase(unittest.TestCase):
    """With a folder for each test, and without the warnings of the demo trace."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        catcher = warnings.catch_warnings()
        catcher.__enter__()
        self.addCleanup(catcher.__exit__, None, None, None)
        warnings.filterwarnings("ignore", message=".*GB on each.*")

    def assert_input_error(self, text: str, function: Any, *args: Any, **kwargs: Any) -> None:
        with self.assertRaises(mosim.InputError) as caught:
            function(*args, **kwargs)
        self.assertIn(text, str(caught.exception))
