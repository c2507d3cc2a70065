"""Every broken sweep of tests/data/sweeps is refused with the text and the position in its .expected file."""

import os
import subprocess
import tempfile
import unittest

TOOL = os.environ["LOADSHARE_TOOL"]
FOLDER = os.path.join(os.environ["LOADSHARE_SOURCE"], "tests", "data", "sweeps")
NAMES = sorted(name.removesuffix(".yaml") for name in os.listdir(FOLDER) if name.endswith(".yaml"))


def sweep(*words):
    return subprocess.run([TOOL, "sweep", *words], capture_output=True, text=True, timeout=60, cwd=FOLDER)


class BrokenSweeps(unittest.TestCase):
    def test_wrong_files_are_refused_with_their_position(self):
        self.assertGreater(len(NAMES), 30)
        for name in NAMES:
            with self.subTest(name):
                with open(os.path.join(FOLDER, f"{name}.expected"), encoding="utf-8") as file:
                    expected = file.read()
                done = sweep(f"{name}.yaml", "--validate")
                self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", f"loadshare: {expected}"))

    def test_wrong_requests_are_refused_before_anything_is_made(self):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out")
            self.assertEqual(sweep("scheduler.yaml", "--out", out).returncode, 2)
            self.assertFalse(os.path.exists(out))


class Requests(unittest.TestCase):
    def assert_refused(self, words, text):
        done = sweep(*words)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", f"loadshare: {text}\n"))

    def test_files(self):
        self.assert_refused(["nowhere.yaml"], "cannot read nowhere.yaml (no such file or directory)")
        self.assert_refused(["."], "cannot read . (it is a directory)")

    def test_options(self):
        quick = os.path.join(FOLDER, "..", "..", "..", "experiments", "quick.yaml")
        self.assert_refused([quick, "--only", "schedulrs", "--validate"],
                            "unknown experiment 'schedulrs' (valid: schedulers); did you mean 'schedulers'?")
        self.assert_refused([quick, "--emit", "pbs"], "unknown --emit 'pbs' (valid: sbatch)")
        self.assert_refused([quick, "--dry-run", "--validate"],
                            "--dry-run, --validate and --emit exclude each other; give one of them")
        self.assert_refused([quick, "--progress", "line"],
                            "unknown --progress 'line' (valid: auto, bar, lines, none); did you mean 'lines'?")
        self.assert_refused([quick, "--out", ""], "--out: it is empty; see loadshare sweep --help")
        self.assert_refused([], "FILE is required; see loadshare sweep --help")


if __name__ == "__main__":
    unittest.main()
