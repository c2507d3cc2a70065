"""The plan of a figure: curve or columns, panels, the common axis."""

import tempfile
import unittest

from made_sweep import MadeSweep, axis
from report.panels import plan_figure, varying_number
from report.reading import read_sweep


def planned(axes, compare=None, median_s=lambda parameters: 2.0, predicted_s=None, **options):
    with tempfile.TemporaryDirectory() as folder:
        made = MadeSweep().experiment("one", axes, median_s, compare=compare, **options)
        return plan_figure(read_sweep(made.write(folder)).experiments[0], predicted_s)


class VaryingNumber(unittest.TestCase):
    def test_one_number_makes_a_curve(self):
        self.assertEqual(varying_number(("gss:6", "gss:12", "gss:24")), ([6, 12, 24], "gss:x"))
        self.assertEqual(varying_number(("tss:40,1", "tss:40,2", "tss:40,3")), ([1, 2, 3], "tss:40,x"))
        self.assertEqual(varying_number(("1", "2.5", "4")), ([1, 2.5, 4], "x"))

    def test_anything_else_does_not(self):
        self.assertIsNone(varying_number(("gss:6", "gss:12")))
        self.assertIsNone(varying_number(("send:3", "gss:3", "tss:40,3")))
        self.assertIsNone(varying_number(("tss:40,1", "tss:30,2", "tss:20,3")))
        self.assertIsNone(varying_number(("works", "coordinates", "other")))
        self.assertIsNone(varying_number(("send:3",)))


class Plan(unittest.TestCase):
    def test_a_panel_for_each_setting(self):
        plan = planned([axis("scheduler", "send:3", "gss:14"), axis("master", "works", "coordinates")], "scheduler",
                       lambda parameters: 1.0 if parameters["master"] == "works" else 3.0)
        self.assertEqual([panel.setting for panel in plan.panels], [{"master": "works"}, {"master": "coordinates"}])
        self.assertEqual([column.is_baseline for column in plan.panels[0].columns], [True, False])
        self.assertEqual((plan.scale.label, plan.scale.numbers), ("scheduler", ()))
        times = [time for panel in plan.panels for column in panel.columns for time in column.times_s]
        self.assertLess(plan.height.least_s, min(times))
        self.assertGreater(plan.height.most_s, max(times))

    def test_a_curve_is_in_the_order_of_its_numbers(self):
        plan = planned([axis("scheduler", "gss:24", "gss:6", "gss:12")], "scheduler")
        self.assertEqual((plan.scale.values, plan.scale.numbers, plan.scale.label),
                         (("gss:6", "gss:12", "gss:24"), (6, 12, 24), "x in scheduler gss:x"))
        self.assertEqual(plan.scale.place("gss:24"), 24)

    def test_without_axes_there_is_one_column(self):
        plan = planned([])
        self.assertEqual([len(panel.columns) for panel in plan.panels], [1])

    def test_without_times_there_is_no_figure(self):
        made = MadeSweep().experiment("one", [], lambda parameters: 1.0, repeat=1).fail(0)
        with tempfile.TemporaryDirectory() as folder:
            self.assertIsNone(plan_figure(read_sweep(made.write(folder)).experiments[0]))

    def test_the_axis_is_in_the_unit_of_the_largest_median(self):
        for median_s, unit in ((2.0, "s"), (0.5, "ms"), (0.0005, "µs")):
            plan = planned([axis("scheduler", "send:3", "gss:14")], "scheduler",
                           lambda p: median_s if p["scheduler"] == "send:3" else 0.01 * median_s)
            self.assertEqual(plan.height.unit[0], unit)

    def test_predictions_are_within_the_axis(self):
        plan = planned([axis("scheduler", "send:3", "gss:14")], "scheduler", predicted_s={"one/scheduler=gss:14": 3.0})
        self.assertEqual([column.predicted_s for column in plan.panels[0].columns], [None, 3.0])
        self.assertGreater(plan.height.most_s, 3.0)

    def test_the_axis_begins_at_0_where_that_is_near(self):
        near, far = (planned([axis("scheduler", "send:3", "gss:14")], "scheduler",
                             lambda p: 2.0 if p["scheduler"] == "send:3" else least) for least in (0.3, 1.5))
        self.assertEqual(near.height.least_s, 0)
        self.assertGreater(far.height.least_s, 1.3)

    def test_one_slow_run_is_cut_off(self):
        plan, most_s = self.with_a_run_of(9.0)
        self.assertEqual((plan.beyond(), plan.height.holds(9.0)), (1, False))
        self.assertLess(plan.height.most_s, 1.1 * most_s)

    def test_a_run_that_is_little_slower_is_not(self):
        plan, most_s = self.with_a_run_of(2.1)
        self.assertEqual(plan.beyond(), 0)

    def with_a_run_of(self, slow_s):
        made = MadeSweep().experiment("one", [axis("scheduler", "send:3", "gss:14")], lambda parameters: 2.0)
        made.runs[3]["record"]["makespan_s"] = slow_s
        with tempfile.TemporaryDirectory() as folder:
            plan = plan_figure(read_sweep(made.write(folder)).experiments[0])
        return plan, max(run["record"]["makespan_s"] for run in made.runs if run is not made.runs[3])

    def test_medians_far_apart_are_on_logarithms(self):
        plan = planned([axis("scheduler", "send:3", "gss:14")], "scheduler",
                       lambda p: 20.0 if p["scheduler"] == "send:3" else 2.0)
        self.assertTrue(plan.height.is_log)
        self.assertEqual(plan.beyond(), 0)


class Ranks(unittest.TestCase):
    def test_they_are_the_x_axis_and_what_is_compared_are_series(self):
        plan = planned([axis("ranks", 1, 2), axis("scheduler", "send:3", "gss:14"), axis("master", "works", "coordinates")],
                       "scheduler", baseline="send:3")
        self.assertEqual((plan.scale.label, plan.scale.numbers), ("ranks", (1, 2)))
        self.assertEqual((plan.series, plan.series_axis), (("send:3", "gss:14"), "scheduler"))
        self.assertEqual([panel.setting for panel in plan.panels], [{"master": "works"}, {"master": "coordinates"}])
        self.assertEqual([(column.value, column.series, column.is_baseline) for column in plan.panels[0].columns],
                         [("1", "send:3", True), ("1", "gss:14", False), ("2", "send:3", True), ("2", "gss:14", False)])

    def test_alone_they_make_a_curve(self):
        plan = planned([axis("size", 10, 20), axis("ranks", 1, 2)])
        self.assertEqual((plan.scale.label, plan.scale.numbers, plan.series), ("ranks", (1, 2), ()))

    def test_one_number_of_ranks_is_no_axis(self):
        plan = planned([axis("ranks", 2), axis("scheduler", "send:3", "gss:14")], "scheduler")
        self.assertEqual(plan.scale.label, "scheduler")


if __name__ == "__main__":
    unittest.main()
