"""`loadshare metrics` on profiles."""

import os
import re
import subprocess
import unittest

from metrics_case import TOOL, MetricsCase

MPIRUN = os.environ["LOADSHARE_MPIRUN"]
SYNTHETIC = os.environ["LOADSHARE_SYNTHETIC"]


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
        self.assertEqual((told["processors"], told["options"], told["sources"]), (2, {"measured_by": "profile"}, ["two"]))
        self.assertIn("synthetic", told["program"])
        self.assertTrue(0 < told["E"] < 1)
        self.assertAlmostEqual(told["E"], told["parallel_efficiency"], delta=0.01)

    def test_losses_by_call_and_place(self):
        name = self.profile("two", 2)
        told = self.json_of(name)
        losses = told["losses"]
        self.assertEqual(losses, sorted(losses, key=lambda loss: -loss["seconds"]))
        self.assertIn("MPI_Barrier", {loss["call"] for loss in losses})
        moved_s = sum(loss["seconds"] for loss in losses if loss["waiting_for"] is None)
        self.assertAlmostEqual(moved_s, told["communicating_s"], delta=0.001 * told["cost_s"])
        self.assertRegex(self.metrics(name).stdout, r"(?m)^MPI_\w+ +(moving data|waiting: [\w ]+) +\S.* +\d+\.\d$")

    def test_a_place_is_read_as_the_note_says(self):
        text = " ".join(self.metrics(self.profile("two", 2)).stdout.split())
        place, program, address = re.search(r"note (\S+) is in that call: addr2line -Cfpe (\S+) (\S+) ",
                                            text).groups()
        self.assertEqual(place, f"{program}+{address}")
        self.assertEqual(program, os.path.basename(SYNTHETIC))
        told = subprocess.run(["addr2line", "-Cfpe", SYNTHETIC, address], capture_output=True, text=True, timeout=30)
        self.assertRegex(told.stdout, r"\A[\w:]*loadshare::.* at ")

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


if __name__ == "__main__":
    unittest.main()
