"""The installed package works without the source tree."""

from __future__ import annotations

import os
import subprocess
import sys
import unittest

from support import TestCase

CODE = """
import sys
sys.path.insert(0, sys.argv[1])
import mosim
assert mosim.__file__.startswith(sys.argv[1]), mosim.__file__
print(mosim.run().summary["jobs"]["finished"])
"""


class Install(TestCase):
    def test_component_python(self) -> None:
        build = os.environ["MOSIM_PYTHON_BUILD"]
        install = ["cmake", "--install", build, "--component", "python", "--prefix", self.folder]
        subprocess.run(install, check=True, capture_output=True)
        self.assertTrue((self.folder / "mosim" / "py.typed").exists())
        run = subprocess.run(
            [sys.executable, "-I", "-W", "ignore", "-c", CODE, self.folder],
            check=True,
            capture_output=True,
            text=True,
        )
        self.assertEqual(run.stdout, "120\n")


if __name__ == "__main__":
    unittest.main()
