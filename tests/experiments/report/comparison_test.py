"""Verdicts on made samples."""

import tempfile
import unittest

from made_sweep import MadeSweep, axis
from report.comparison import compare
from report.reading import read_sweep

SPECS = axis("scheduler", "send:3", "gss:14", "tss:40,2")
MASTERS = axis("master", "works", "coordinates")


def compared(median_s, axes=(SPECS,), **options):
    with tempfile.TemporaryDirectory() as folder:
        made = MadeSweep().experiment("one", list(axes), median_s, compare="scheduler", baseline="send:3", **options)
        return compare(read_sweep(made.write(folder)).experiments[0])


def by_factors(factors):
    return lambda parameters: 3.0 * factors.get(parameters["scheduler"], 1.0)


class Verdict(unittest.TestCase):
    def test_better_and_worse(self):
        faster, slower = compared(by_factors({"gss:14": 0.9, "tss:40,2": 1.1}))
        self.assertEqual((faster.value, faster.verdict, faster.wins, faster.remark), ("gss:14", "better", 1.0, ""))
        self.assertEqual((slower.value, slower.verdict, slower.wins, slower.remark), ("tss:40,2", "worse", 0.0, ""))
        self.assertAlmostEqual(faster.ratio[0], 0.9, delta=0.02)
        self.assertLess(faster.ratio[2], 1.0)
        self.assertGreater(slower.ratio[1], 1.0)

    def test_tie(self):
        for one in compared(by_factors({}), repeat=30):
            self.assertEqual(one.verdict, "tie")
            self.assertLess(one.ratio[1], 1.0)
            self.assertGreater(one.ratio[2], 1.0)

    def test_few_samples_are_said_and_can_still_decide(self):
        one, _ = compared(by_factors({"gss:14": 0.9}), repeat=9)
        self.assertEqual((one.verdict, one.remark), ("better", "fewer than 10 samples"))

    def test_too_few_to_show_anything(self):
        one, _ = compared(by_factors({"gss:14": 0.5}), repeat=3)
        self.assertEqual((one.verdict, one.remark),
                         ("tie", "fewer than 10 samples: too few for any difference to show"))

    def test_a_p_that_the_correction_takes_away_is_said(self):
        made = [1.00, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06, 1.07, 1.08, 1.09]
        one = self.of_times({"send:3": made, "gss:14": [time - 0.0301 for time in made], "tss:40,2": made})[0]
        self.assertEqual((one.verdict, one.remark), ("tie", "p 0.0288 before the correction for 2 comparisons"))

    def test_no_data(self):
        one, other = self.of_times({"send:3": [1.0, 1.1], "gss:14": [], "tss:40,2": [1.0, 1.1]})
        self.assertEqual((one.verdict, one.ratio, one.p), ("no data", None, None))
        self.assertEqual(one.remark, "no run of the value with a time")
        self.assertEqual(other.verdict, "tie")

    def of_times(self, times):
        made = MadeSweep().experiment("one", [SPECS], by_factors({}), compare="scheduler", baseline="send:3", runs=0)
        for scheduler, of_point in times.items():
            for repetition, time in enumerate(of_point):
                made.run("one", f"one/scheduler={scheduler}", {"scheduler": scheduler}, repetition, time)
        with tempfile.TemporaryDirectory() as folder:
            return compare(read_sweep(made.write(folder)).experiments[0])


class Settings(unittest.TestCase):
    def test_other_axes_are_held_equal(self):
        comparisons = compared(lambda p: 1.0 if p["master"] == "works" else 9.0, axes=(SPECS, MASTERS))
        self.assertEqual([(one.setting["master"], one.value) for one in comparisons],
                         [("works", "gss:14"), ("works", "tss:40,2"),
                          ("coordinates", "gss:14"), ("coordinates", "tss:40,2")])
        self.assertEqual({one.verdict for one in comparisons}, {"tie"})
        self.assertEqual([round(one.baseline_times.median) for one in comparisons], [1, 1, 9, 9])

    def test_p_is_corrected_over_the_whole_experiment(self):
        comparisons = compared(by_factors({"gss:14": 0.9, "tss:40,2": 0.9}), axes=(SPECS, MASTERS))
        self.assertAlmostEqual(comparisons[0].p_holm, 4 * comparisons[0].p)

    def test_an_axis_that_goes_hand_in_hand_is_no_setting(self):
        axes = [SPECS | {"walk": 0}, axis("prefetch", 0, 1, 2) | {"walk": 0}, MASTERS | {"walk": 1}]
        with tempfile.TemporaryDirectory() as folder:
            made = MadeSweep().experiment("one", axes, by_factors({}), compare="scheduler", baseline="send:3")
            for points in (made.manifest["experiments"][0]["points"], made.runs):  # what a zip leaves of a matrix
                points[:] = [point for point in points if self.is_zipped(point["parameters"])]
            comparisons = compare(read_sweep(made.write(folder)).experiments[0])
        self.assertEqual([(one.setting, one.value, one.verdict) for one in comparisons],
                         [({"master": "works"}, "gss:14", "tie"), ({"master": "works"}, "tss:40,2", "tie"),
                          ({"master": "coordinates"}, "gss:14", "tie"), ({"master": "coordinates"}, "tss:40,2", "tie")])

    def is_zipped(self, parameters):
        return SPECS["values"].index(parameters["scheduler"]) == parameters["prefetch"]

    def test_nothing_to_compare(self):
        with tempfile.TemporaryDirectory() as folder:
            made = MadeSweep().experiment("one", [SPECS], by_factors({}))
            self.assertEqual(compare(read_sweep(made.write(folder)).experiments[0]), [])


if __name__ == "__main__":
    unittest.main()
