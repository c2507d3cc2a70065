"""The page of where one master saturates, up to a few hosts."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[3] / "experiments" / "scale" / "saturation.py"


class Saturation(unittest.TestCase):
    def test_short_chunks_saturate_the_master_and_long_ones_do_not(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, SCRIPT, folder, "--most-hosts", "30", "--program",
                                   os.environ["LOADSHARE_TOOL"]], capture_output=True, text=True, timeout=100)
            self.assertEqual(done.returncode, 0, done.stderr)
            figures = json.loads((Path(folder) / "saturation.json").read_text())
            for name in ("chunks.svg", "techniques.svg"):
                self.assertIn("</svg>", (Path(folder) / name).read_text())
        last = {row["cost_s"]: row["points"][-1] for row in figures["chunks"]}
        self.assertEqual(last[1e-4]["hosts"], 30)
        self.assertLess(last[1e-4]["efficiency"], 0.2)
        self.assertEqual(last[1e-4]["bound"], "master")
        self.assertGreater(last[10.0]["efficiency"], 0.9)
        self.assertEqual([row["technique"] for row in figures["techniques"]], ["send", "gss", "factoring", "tss"])
        self.assertIn("efficiency %", done.stdout)

    def test_without_the_program(self):
        done = subprocess.run([sys.executable, SCRIPT, "nowhere", "--program", "/nowhere"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("(nothing was built); run ./quickstart build", done.stderr)


if __name__ == "__main__":
    unittest.main()
