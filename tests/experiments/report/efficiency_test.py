"""The report's section on the efficiencies that the model computes."""

import unittest

from report.efficiency import EQUAL, NO, UNDECIDED, YES, Study, curves, studies_by_folder
from report.efficiency_drawing import draw_efficiency, draw_speedup
from report.efficiency_section import efficiency_section, left_out_of_efficiencies
from report.errors import ReportError
from report.sweep import Axis, Experiment


def runs_around(median, spread=0.01):
    return [median - spread, median, median + spread]


def judged(value, is_shown=True, is_equal=False):
    """Returns a ratio as the tool passes it, of rounds with little scatter."""
    return {"value": value, "low": value - 0.01, "high": value + 0.01, "is_shown": is_shown, "is_equal": is_equal,
            "text": ""}


def point(ranks, efficiency, classical, *, by_h=0.5, classical_h=0.4, **fields):
    """E and E_H, and what they are held against, are four numbers of their own."""
    by_run = {"E": runs_around(efficiency), "E_H": runs_around(by_h)}
    if classical:
        by_run |= {"E_relative": runs_around(classical), "E_H_relative": runs_around(classical_h)}
    return {"processors": ranks, "runs": 3, "E": efficiency, "E_relative": classical, "E_H": by_h,
            "E_over_relative": classical and efficiency / classical - 1,
            "E_H_over_relative": classical and by_h / classical_h - 1,
            "E_H_relative": classical and classical_h, "speedup": ranks * efficiency, "speedup_H": 1.5,
            "speedup_relative": classical and ranks * classical, "stolen": 0.02, "virtual_processors": 3.0,
            "by_run": by_run, "notes": [],
            "over_classical": classical and judged(efficiency / classical)} | fields


def setting(points, experiment="sort", is_unequal=False, **options):
    return {"is_unequal": is_unequal, "options": {"experiment": experiment, **options}, "sequential_source": "the median of 3 runs on 1 rank",
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
        self.assertEqual(curves(experiment(RANKS), [setting(alone), setting(POINTS[:1])]), [])

    def test_processors_that_the_model_calls_unequal_are_compared_by_e_h(self):
        unequal = [point(1, 1.0, 1.0), point(2, 0.9, 0.8)]
        (curve,) = curves(experiment(RANKS), [setting(unequal, is_unequal=True)])
        self.assertTrue(curve.is_heterogeneous)
        self.assertEqual((curve.points[1].by_granularity, curve.points[1].classical), (0.5, 0.4))
        self.assertEqual((curve.points[1].classical_range, curve.points[1].speedup), ((0.39, 0.41000000000000003), 1.5))
        self.assertAlmostEqual(curve.points[1].difference, 0.25)
        (curve,) = curves(experiment(RANKS), [setting(unequal)])
        self.assertEqual((curve.is_heterogeneous, curve.points[1].by_granularity), (False, 0.9))

    def test_differences_are_the_models(self):
        (curve,) = curves(experiment(RANKS), [setting([point(2, 0.9, 0.8, E_over_relative=0.123)])])
        self.assertEqual(curve.points[0].difference, 0.123)

    def test_a_sequential_time_of_another_experiment_needs_no_run_on_one_rank(self):
        (curve,) = curves(experiment(RANKS), [setting([point(2, 0.9, 0.8)])])
        self.assertEqual([one.ranks for one in curve.points], [2])

    def test_folders_are_found_however_they_are_written(self):
        study = {"settings": [setting(POINTS)], "notes": ["a", "b"]}
        given = {"schema": 1, "folders": [{"folder": "results/a/", "study": study, "notes": ["left out"]},
                                          {"folder": "b", "study": None, "notes": ["why"]}]}
        self.assertEqual(studies_by_folder(given), {"results/a": Study(tuple(study["settings"]), ("left out",)),
                                                    "b": Study((), ("why",))})

    def test_another_schema_is_refused(self):
        with self.assertRaisesRegex(ReportError, "schema is not 1"):
            studies_by_folder({"schema": 2, "folders": []})


class Bound(unittest.TestCase):
    def verdict(self, over_classical):
        (curve,) = curves(experiment(RANKS), [setting([point(2, 0.9, 0.8, over_classical=over_classical)])])
        return curve.points[0].upper_bound

    def test_is_what_the_tool_judged(self):
        self.assertEqual(self.verdict(judged(1.1)), YES)
        self.assertEqual(self.verdict(judged(0.9)), NO)
        self.assertEqual(self.verdict(judged(1.001, is_shown=False, is_equal=True)), EQUAL)
        self.assertEqual(self.verdict(judged(1.01, is_equal=True)), YES, "little, but shown")
        self.assertEqual(self.verdict(judged(1.1, is_shown=False)), UNDECIDED)

    def test_without_a_round_that_has_both_it_is_undecided(self):
        self.assertEqual(self.verdict(None), UNDECIDED)


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
        html = efficiency_section(experiment(RANKS), [setting([*POINTS, point(5, 0.7, 0.695, over_classical=judged(1.007, False))])], "here")
        self.assertIn("At 3 points on several ranks: 1 yes, 1 no, 1 undecided.", html)
        self.assertIn("differ by at most 20.0 %", html)
        for text in ("+12.5 %", "+12.5 % (11.5 to 13.5)", "-20.0 %", "the median of 3 runs on 1 rank", "a note", "<th class=\"number\">E by granularity"):
            self.assertIn(text, html)

    def test_names_e_h_where_that_is_compared(self):
        html = efficiency_section(experiment(RANKS), [setting(POINTS, is_unequal=True)], "here")
        for text in ("E_H by granularity", "E_H classical", "+25.0 %"):
            self.assertIn(text, html)
        self.assertNotIn(">E by granularity", html)

    def test_notes_and_left_out_runs_are_shown(self):
        html = efficiency_section(experiment(RANKS), [setting([POINTS[0], point(2, 0.9, 0.8, notes=["mixed"])])], "here")
        self.assertIn("<li>2 ranks: mixed</li>", html)
        self.assertIn("<li>torn &amp; gone</li>", left_out_of_efficiencies(Study(notes=("torn & gone",))))
        self.assertEqual(left_out_of_efficiencies(Study()), "")

    def test_an_experiment_on_one_rank_has_no_section(self):
        self.assertEqual(efficiency_section(experiment(), [setting(POINTS[:1])], "here"), "")


if __name__ == "__main__":
    unittest.main()
