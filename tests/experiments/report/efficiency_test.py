"""What the report says of efficiencies that the model has computed."""

import unittest

from report.efficiency import curves, studies_by_folder
from report.efficiency_drawing import draw_efficiency, draw_speedup
from report.efficiency_section import efficiency_section
from report.errors import ReportError
from report.sweep import Axis, Experiment


def point(ranks, efficiency, classical, **fields):
    return {"processors": ranks, "runs": 3, "E": efficiency, "E_relative": classical, "E_H": efficiency - 0.1,
            "E_H_relative": classical and classical - 0.1, "speedup": ranks * efficiency, "speedup_H": ranks * efficiency,
            "speedup_relative": classical and ranks * classical, "stolen": 0.02, "virtual_processors": float(ranks),
            "range": {"E": [efficiency - 0.01, efficiency + 0.01], "E_relative": None}} | fields


def setting(points, experiment="sort", **options):
    return {"options": {"experiment": experiment, **options}, "sequential_source": "the median of 3 runs on 1 rank",
            "notes": ["a note"], "points": points}


def experiment(*axes, name="sort"):
    return Experiment(name=name, title=name, program="bucket_sort", launch={}, options={}, load=None,
                      axes=tuple(Axis(*axis) for axis in axes), compare=None, baseline=None, runs_asked=3, points=())


RANKS = ("ranks", ("1", "2", "4"))
POINTS = [point(1, 1.0, 1.0), point(2, 0.9, 0.8), point(4, 0.6, 0.75)]


class Curves(unittest.TestCase):
    def test_of_one_experiment_named_by_its_axes(self):
        settings = [setting(POINTS, master_rank=0, derived=7), setting(POINTS, master_rank=6, derived=8),
                    setting(POINTS, "another")]
        found = curves(experiment(("master-rank", ("0", "6")), RANKS), settings)
        self.assertEqual([curve.setting for curve in found], [{"master-rank": "0"}, {"master-rank": "6"}])

    def test_a_setting_without_the_option_has_none(self):
        found = curves(experiment(("load", ("none", "on=1s")), RANKS), [setting(POINTS), setting(POINTS, load="on=1s")])
        self.assertEqual([curve.setting for curve in found], [{"load": "none"}, {"load": "on=1s"}])

    def test_without_sequential_runs_there_is_nothing_to_compare(self):
        alone = [point(2, 0.9, None), point(4, 0.6, None)]
        self.assertEqual(curves(experiment(RANKS), [setting(alone), setting(POINTS[1:2])]), [])

    def test_unequal_processors_are_compared_by_e_h(self):
        unequal = [point(1, 1.0, 1.0), point(2, 0.9, 0.8, virtual_processors=4.0)]
        (curve,) = curves(experiment(RANKS), [setting(unequal)])
        self.assertTrue(curve.is_heterogeneous)
        self.assertAlmostEqual(curve.points[1].by_granularity, 0.8)
        self.assertAlmostEqual(curve.points[1].classical, 0.7)

    def test_differences_and_bounds(self):
        (curve,) = curves(experiment(RANKS), [setting(POINTS)])
        self.assertEqual([round(one.difference, 6) for one in curve.points], [0.0, 0.125, -0.2])
        self.assertEqual([one.is_upper_bound for one in curve.points], [True, True, False])

    def test_folders_are_found_however_they_are_written(self):
        study = {"settings": [setting(POINTS)]}
        given = {"schema": 1, "folders": [{"folder": "results/a/", "study": study}, {"folder": "b", "study": None}]}
        self.assertEqual(studies_by_folder(given), {"results/a": study["settings"], "b": []})

    def test_another_schema_is_refused(self):
        with self.assertRaisesRegex(ReportError, "schema is not 1"):
            studies_by_folder({"schema": 2, "folders": []})


class Drawing(unittest.TestCase):
    def test_both_curves_over_the_ranks(self):
        (curve,) = curves(experiment(RANKS), [setting(POINTS)])
        axes = draw_efficiency(curve).axes[0]
        drawn = {line.get_label(): list(line.get_ydata()) for line in axes.lines}
        self.assertEqual((drawn["by granularity"], drawn["classical"]), ([1.0, 0.9, 0.6], [1.0, 0.8, 0.75]))
        drawn = {line.get_label(): list(line.get_ydata()) for line in draw_speedup(curve).axes[0].lines}
        self.assertEqual((drawn["by granularity"], drawn["classical"]), ([1.0, 1.8, 2.4], [1.0, 1.6, 3.0]))


class Section(unittest.TestCase):
    def test_says_the_difference_and_whether_it_is_a_bound(self):
        html = efficiency_section(experiment(RANKS), [setting(POINTS)], "here")
        self.assertIn("upper bound of the classical efficiency at 1 of 2 points on several ranks", html)
        self.assertIn("differ by 20.0 % at most", html)
        for text in ("+12.5 %", "-20.0 %", "the median of 3 runs on 1 rank", "a note", "by granularity"):
            self.assertIn(text, html)

    def test_nothing_of_an_experiment_that_does_not_vary_the_ranks(self):
        self.assertEqual(efficiency_section(experiment(), [setting(POINTS[1:2])], "here"), "")


if __name__ == "__main__":
    unittest.main()
