"""The section of one experiment on the page."""

import re
import tempfile
import unittest
from pathlib import Path

from made_comparison import comparison_of, written
from made_sweep import MadeSweep, axis
from report.experiment_section import experiment_section
from report.predictions import Prediction, read_predictions
from report.reading import read_sweep

SPECS = axis("scheduler", "send:3", "gss:14")


def section(axes, median_s=lambda parameters: 2.0, options=None, error=None, later=lambda made: None, **how):
    """The text of the section of a made experiment, predicted with the `error` of each point and run on by `later`."""
    made = MadeSweep().experiment("one", axes, median_s, **how)
    made.manifest["experiments"][0]["options"] = options or {}
    with tempfile.TemporaryDirectory() as folder:
        path = written(comparison_of(made, folder, error), Path(folder) / "c.json") if error else None
        later(made)
        sweep = read_sweep(made.write(folder))
        prediction = read_predictions(path, [sweep]).of(sweep, sweep.experiments[0]) if error else None
    return text_of(sweep.experiments[0], prediction)


def text_of(experiment, prediction=None):
    html = experiment_section(experiment, "s0-0", prediction=prediction)
    without_figures = re.sub(r"<svg.*?</svg>", "", html, flags=re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", without_figures))


class Conditions(unittest.TestCase):
    def test_an_option_that_an_axis_sets_is_not_named(self):
        text = section([axis("iterations", 10, 20)], options={"iterations": 40, "size": 720})
        self.assertIn("Options size 720 Launch", text)


class Counts(unittest.TestCase):
    def test_of_one(self):
        text = section([], repeat=2)
        self.assertIn("Runs 2 at 1 point, at least 2 planned for", text)
        self.assertIn("Times of the one point", text)

    def test_of_several(self):
        text = section([SPECS], repeat=2)
        self.assertIn("Runs 4 at 2 points, at least 2 planned for", text)
        self.assertIn("Times of all 2 points", text)


class Caption(unittest.TestCase):
    def test_the_caption_says_that_the_axis_does_not_start_at_0(self):
        self.assertIn("The y axis does not start at 0.", section([SPECS]))
        self.assertIn("The y axis is the same in all panels and does not start at 0.",
                      section([SPECS, axis("master", "works", "coordinates")], compare="scheduler"))

    def test_the_caption_says_that_the_axis_is_logarithmic(self):
        def wide(parameters):
            return 2.0 if parameters["scheduler"] == "send:3" else 0.02
        self.assertIn("The y axis is logarithmic.", section([SPECS], wide))
        self.assertIn("The y axis is the same in all panels and is logarithmic.",
                      section([SPECS, axis("master", "works", "coordinates")], wide, compare="scheduler"))

    def test_the_caption_says_that_the_axis_is_cut(self):
        def later(made):
            made.runs[3]["record"]["makespan_s"] = 9.0
        self.assertIn("The y axis is cut; arrows mark 1 run above it.", section([SPECS], later=later))
        self.assertNotIn("cut", section([SPECS]))

    def test_of_series(self):
        text = section([axis("ranks", 1, 2), SPECS], compare="scheduler", baseline="send:3")
        self.assertIn("Orange: the baseline send:3.", text)


class Predicted(unittest.TestCase):
    MASTERS = axis("master", "works", "coordinates")

    def test_the_line_and_the_columns(self):
        def error(parameters):
            return -0.05 if parameters == {"scheduler": "gss:14", "master": "works"} else 0.01
        text = section([SPECS, self.MASTERS], error=error, compare="scheduler", deviation=0.0)
        self.assertIn("Hollow diamonds: predicted medians.", text)
        self.assertIn("Predicted and measured times of 4 points: median signed error +1.0 %, worst −5.0 % "
                      "(scheduler = gss:14, master = works).", text)
        self.assertIn("busy predicted error send:3 works 2.000 s", text)
        self.assertIn("85.0 % 1.900 s −5.0 %", text)
        self.assertIn("setting predicted best measured best regret pairs in order master works gss:14 send:3 "
                      "0.0 % 100 % master coordinates", text)

    def test_a_curve_is_joined(self):
        gss = axis("scheduler", "gss:6", "gss:7", "gss:12")
        self.assertIn("Hollow diamonds on a dashed line: predicted medians.",
                      section([gss], error=lambda p: 0.0))

    def test_one_point(self):
        text = section([], error=lambda p: 0.02)
        self.assertIn("times of 1 point: median signed error +2.0 %, worst +2.0 %.", text)
        self.assertNotIn("Choice by prediction", text)

    def test_later_runs_are_reported(self):
        def later(made):
            for repetition in range(10, 30):
                made.run("one", "one/scheduler=send:3", {"scheduler": "send:3"}, repetition, 3.0)
        self.assertIn("The runs of 1 point have changed since the comparison: run loadshare compare again.",
                      section([SPECS], error=lambda p: 0.0, later=later))
        self.assertNotIn("compare again", section([SPECS], error=lambda p: 0.0))

    def test_some_points_only(self):
        with tempfile.TemporaryDirectory() as folder:
            experiment = read_sweep(MadeSweep().experiment("one", [SPECS], lambda p: 2.0).write(folder)).experiments[0]
        text = text_of(experiment, Prediction({"one/scheduler=gss:14": 2.0}, {"one/scheduler=gss:14": 2.0}, ()))
        self.assertIn("times of 1 of 2 points: ", text)
        self.assertRegex(text, r"85\.0 % – – gss:14 ")
        nothing = text_of(experiment, Prediction({}, {}, ()))
        self.assertIn("This experiment has no predictions.", nothing)
        self.assertNotIn("diamonds", nothing)

    def test_without_predictions_the_section_has_none(self):
        self.assertNotIn("redicted", section([SPECS]))


if __name__ == "__main__":
    unittest.main()
