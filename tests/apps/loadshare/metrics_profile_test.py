"""`loadshare metrics` on profiles."""

import json
import os
import shutil
import subprocess
import time
import unittest
from pathlib import Path

from metrics_case import TOOL, MetricsCase

MPIRUN = os.environ["LOADSHARE_MPIRUN"]
SYNTHETIC = os.environ["LOADSHARE_SYNTHETIC"]
UNEVEN = os.environ["LOADSHARE_UNEVEN"]
SOURCE = Path(os.environ["LOADSHARE_UNEVEN_SOURCE"])


class Profiles(MetricsCase):
    """Of any MPI program; what they hold is tested beside the recorder."""

    def profile(self, name, ranks):
        done = subprocess.run([TOOL, "profile", "-o", name, "--", MPIRUN, "-q", "--oversubscribe", "-np", str(ranks),
                               SYNTHETIC, "--iterations", "2000", "--cost", "constant:200us", "--rounds-per-second",
                               "100000000"], capture_output=True, text=True, timeout=60, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return name

    def test_figures_of_a_run(self):
        told = self.json_of(self.profile("two", 2))
        self.assertEqual((told["processors"], told["options"], told["sources"]),
                         (2, {"measured_by": "profile", "part": "what counts"}, ["two"]))
        self.assertIn("synthetic", told["program"])
        self.assertTrue(0 < told["E"] < 1)
        self.assertAlmostEqual(told["E"], told["parallel_efficiency"], delta=0.01)

    def test_a_network_of_no_cost_is_no_slower(self):
        told = self.json_of(self.profile("two", 2))
        self.assertTrue(0 < told["ideal_run_s"] <= told["run_s"] * 1.01, told["ideal_run_s"])
        self.assertAlmostEqual(told["factor_serialisation"] * told["factor_transfer"], told["factor_communication"],
                               delta=1e-9)
        for rank in told["ranks"]:
            self.assertIsNone(rank["ideal_run_s"])

    def calibration(self, name, sizes, *settings):
        done = subprocess.run([MPIRUN, "-q", "--oversubscribe", *settings, "-np", "2", TOOL, "calibrate", "--out", name, "--modes",
                               "standard", "--sizes", *sizes, "--seconds", "2", "--kernel-size", "none", "--collectives",
                               "none", "--progress", "none"], capture_output=True, text=True, timeout=60, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return name

    def test_a_calibration_tells_which_sends_wait(self):
        name = self.profile("two", 2)
        whole = self.calibration("whole.json", ("8", "64", "16384", "65536"))
        done = subprocess.run([TOOL, "metrics", name, "--calibration", whole], capture_output=True, text=True, timeout=60,
                              cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        short = self.calibration("short.json", ("8", "16"))
        for words, text in ((("--calibration", short), "short.json does not show which sends wait for their receive"),
                            (("--calibration", name), name), (("--calibration", "none.json"), "cannot read none.json")):
            done = subprocess.run([TOOL, "metrics", name, *words], capture_output=True, text=True, timeout=60,
                                  cwd=self.folder)
            self.assertEqual((done.stdout, done.returncode), ("", 2))
            self.assertIn(text, done.stderr)

    def notes_on_calibration(self, name, calibration):
        return [note for note in self.json_of(name, "--calibration", calibration)["notes"] if "calibration" in note]

    def test_a_calibration_of_another_network_is_told(self):
        name = self.profile("two", 2)
        sizes = ("8", "64", "16384", "65536", "131072")
        self.calibration("memory.json", sizes)
        self.assertEqual(self.notes_on_calibration(name, "memory.json"), [])
        self.calibration("tcp.json", sizes, "--mca", "btl", "self,tcp")
        note = ("MPI was configured differently for two than for the calibration: btl is not set, and was "
                "'self,tcp'; sends may begin to wait at another size there")
        self.assertEqual(self.notes_on_calibration(name, "tcp.json"), [note])
        self.assertIn(f"note {note}", " ".join(self.metrics(name, "--calibration", "tcp.json").stdout.split()))
        measured = json.loads((self.folder / "memory.json").read_text())
        (launch,) = measured["launches"]
        host = launch["ranks"][0]["host"]
        launch["ranks"][1]["host"] = "n2"
        (self.folder / "between.json").write_text(json.dumps(measured))
        self.assertEqual(self.notes_on_calibration(name, "between.json"),
                         ["several ranks of two were on one host, but the calibration does not show which sends wait "
                          "within a host: they are judged as without a calibration"])
        launch["ranks"][0]["host"] = "n1"
        (self.folder / "strange.json").write_text(json.dumps(measured))
        self.assertEqual(self.notes_on_calibration(name, "strange.json")[0],
                         f"two ran on {host}, the calibration is of n1, n2: sends may begin to wait at another size there")

    def test_losses_by_call_and_place(self):
        name = self.profile("two", 2)
        told = self.json_of(name)
        losses = told["losses"]
        self.assertEqual(losses, sorted(losses, key=lambda loss: -loss["seconds"]))
        self.assertIn("MPI_Barrier", {loss["call"] for loss in losses})
        moved_s = sum(loss["seconds"] for loss in losses if loss["waiting_for"] is None)
        self.assertAlmostEqual(moved_s, told["communicating_s"], delta=0.001 * told["cost_s"])
        self.assertRegex(self.metrics(name, "--details", "--whole").stdout,
                         r"(?m)^MPI_\w+ +(moving data|waiting: [\w ]+) +\S.* +\d+\.\d$")

    def test_scaling(self):
        (setting,) = self.json_of(self.profile("one", 1), self.profile("two", 2))["settings"]
        self.assertEqual([point["processors"] for point in setting["points"]], [1, 2])
        self.assertEqual(setting["sequential_source"], "the run on 1 rank, one")

    def test_a_truncated_one_is_refused(self):
        whole = (self.folder / self.profile("two", 2)).read_bytes()
        (self.folder / "torn").write_bytes(whole[:300])
        done = self.metrics("torn")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"^loadshare: cannot read the profile torn \(it is truncated")


class Marked(MetricsCase):
    """Of uneven.c, built with -g: rank 0 computes 0.2 and 0.1 s before and after what it marks."""

    def setUp(self):
        super().setUp()
        shutil.copy2(UNEVEN, self.folder / "uneven")
        done = subprocess.run([TOOL, "profile", "-o", "a.profile", "--", MPIRUN, "-q", "--oversubscribe", "-np", "2",
                               "./uneven"], capture_output=True, text=True, timeout=60, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)

    def line_of(self, text):
        return 1 + SOURCE.read_text().split("\n").index(text)

    def test_both_efficiencies_are_told_and_which_is_which(self):
        told = self.json_of("a.profile")
        whole = self.json_of("a.profile", "--whole")
        self.assertEqual((told["options"]["part"], "part" in whole["options"], whole["whole"]), ("what counts", False, None))
        self.assertEqual((told["whole"]["E"], told["whole"]["run_s"]), (whole["E"], whole["run_s"]))
        self.assertAlmostEqual(told["computing_s"], 0.12, delta=0.02)
        self.assertAlmostEqual(whole["computing_s"] - told["computing_s"], 0.3, delta=0.03)
        self.assertGreater(whole["run_s"], told["run_s"])
        self.assertRegex(" ".join(self.metrics("a.profile").stdout.split()),
                         r"part marked by MPI_Pcontrol, \d.*s: efficiency \d.*%; whole run, \d.*s: efficiency \d.*%")

    def test_the_cause_names_the_line(self):
        barrier = self.line_of("    MPI_Barrier(MPI_COMM_WORLD);")
        told = self.json_of("a.profile")
        (loss,) = {str(loss["code"]) for loss in told["losses"] if loss["call"] == "MPI_Barrier"}
        self.assertEqual(loss, str({"function": "work", "file": str(SOURCE), "line": barrier}))
        text = " ".join(self.metrics("a.profile", "--details").stdout.split())
        self.assertRegex(text, fr"MPI_Barrier (moving data|waiting: wait at N x N) work \(uneven.c:{barrier}\)")
        if told["cause"]["factor"] == "load_balance":  # beside other programs stolen time may be more
            self.assertRegex(told["cause"]["text"], r"^rank 0 spends [12]\.\d+ times as long computing as rank 1, mostly "
                                                    fr"between calls of MPI_Barrier in work \(uneven.c:{barrier}\)$")

    def test_a_program_that_was_built_anew_is_not_asked(self):
        later = time.time() + 10
        os.utime(self.folder / "uneven", (later, later))
        told = self.json_of("a.profile")
        self.assertEqual({str(loss["code"]) for loss in told["losses"]}, {"None"})
        self.assertIn("uneven was rebuilt after the profile was taken; its places are shown as addresses", told["notes"])


if __name__ == "__main__":
    unittest.main()
