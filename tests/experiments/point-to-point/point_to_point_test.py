"""The calculations of the send-mode paper's experiments, without their runs."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import common
import figure_7
import tables


class Numbers(unittest.TestCase):
    def test_a_quantile_is_a_value_of_the_sample(self):
        values = [3, 1, 2, 10, 4, 5, 6, 7, 8, 9]
        self.assertEqual([common.quantile(values, share) for share in (0.5, 0.9, 1.0)], [5, 9, 10])

    def test_errors_count_by_their_size(self):
        self.assertEqual(common.error_text([0.01, -0.02, 0.03]), "2.0, 3.0, 3.0 %")

    def test_a_table(self):
        self.assertEqual(common.markdown(["a", "b"], [["1", "2"]]), "| a | b |\n| --- | --- |\n| 1 | 2 |")


class FigureSeven(unittest.TestCase):
    row = {"class": "A", "ranks": 8, "measured_s": 2.0, "predicted_s": 2.1, "low_s": 1.9, "high_s": 2.3,
           "t_exec_s": 1.5, "trained": False}

    def test_points(self):
        self.assertEqual(figure_7.points("W2,A16"), [("W", 2), ("A", 16)])

    def test_errors_are_signed(self):
        self.assertAlmostEqual(figure_7.error(self.row), 0.05)
        self.assertIn("| A | 8 | 2.00 s | 2.10 s | 1.90 to 2.30 | +5.0 % | 1.50 s |  |", figure_7.table([self.row]))

    def test_the_picture_names_every_class(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "figure.svg"
            figure_7.draw([self.row, {**self.row, "class": "B"}], path)
            self.assertIn("class B", path.read_text())


class Tables(unittest.TestCase):
    def test_sizes_are_the_papers_in_bytes(self):
        self.assertEqual((tables.TABLE_2[0], tables.TABLE_2[-1], tables.TABLE_4[0]), (400_000, 4_000_000, 160_000))

    def test_close_sizes_count_once(self):
        times = [{"mode": mode, "posted": "before", "side": "sender", "bytes": size}
                 for mode in ("ready", "standard") for size in (64, 65, 90, 91, 100, 128)]
        self.assertEqual([(time["mode"], time["bytes"]) for time in tables.two_an_octave(times)],
                         [(mode, size) for mode in ("ready", "standard") for size in (64, 91, 128)])

    def test_table_4_shows_the_sender_of_posted_receives(self):
        times = [{"mode": "standard", "posted": posted, "side": side, "bytes": 160_000, "measured_s": 2e-3,
                  "predicted_s": 2.2e-3} for posted in ("before", "after") for side in ("sender", "receiver")]
        self.assertEqual(tables.table_4(times).splitlines()[2:], ["| standard | 40 | 2 ms | 2.2 ms | +10.0 % |"])


class Lab(unittest.TestCase):
    def test_the_labs_can_be_made(self):
        for lab in (common.LAB, common.PAIR):
            with self.subTest(lab=lab.name), tempfile.TemporaryDirectory() as folder:
                sweep = Path(folder) / "sweep.yaml"
                sweep.write_text(f"schema: 1\ntitle: t\nprogram: integer_sort\nlaunch: {{with: lab, ranks: 2, lab: "
                                 f"{lab}}}\nexperiments: [{{name: e}}]\n")
                done = subprocess.run([os.environ["LOADSHARE_TOOL"], "sweep", "--dry-run", str(sweep)],
                                      capture_output=True, text=True, timeout=30)
                self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
