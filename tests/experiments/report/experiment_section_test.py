"""What one experiment's part of the page says."""

import re
import tempfile
import unittest

from made_sweep import MadeSweep, axis
from report.comparison import BETTER, NO_DATA, TIE, Comparison
from report.experiment_section import experiment_section, tally
from report.reading import read_sweep

SPECS = axis("scheduler", "send:3", "gss:14")


def section(axes, median_s=lambda parameters: 2.0, options=None, **how):
    """The text of the section of a made experiment."""
    made = MadeSweep().experiment("one", axes, median_s, **how)
    made.manifest["experiments"][0]["options"] = options or {}
    with tempfile.TemporaryDirectory() as folder:
        experiment = read_sweep(made.write(folder)).experiments[0]
    html = experiment_section(experiment, "s0-0")
    without_figures = re.sub(r"<svg.*?</svg>", "", html, flags=re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", without_figures))


class Conditions(unittest.TestCase):
    def test_an_option_that_an_axis_sets_is_not_named(self):
        text = section([axis("iterations", 10, 20)], options={"iterations": 40, "size": 720})
        self.assertIn("Options size 720 Launch", text)


class Counts(unittest.TestCase):
    def test_of_one(self):
        text = section([], repeat=2)
        self.assertIn("Runs 2 at 1 point, 2 or more asked for", text)
        self.assertIn("The one point", text)

    def test_of_several(self):
        text = section([SPECS], repeat=2)
        self.assertIn("Runs 4 at 2 points, 2 or more asked for", text)
        self.assertIn("All 2 points", text)

    def test_comparisons_by_verdict(self):
        made = [Comparison({}, "", "", None, None, verdict=verdict) for verdict in (BETTER, TIE, TIE, NO_DATA)]
        self.assertEqual(tally(made), "1 better, 2 ties, 1 without data.")
        self.assertEqual(tally(made[1:2] + made[3:] * 3), "1 tie, 3 without data.")


class Caption(unittest.TestCase):
    def test_where_the_axis_does_not_begin_at_0(self):
        self.assertIn("The y axis does not begin at 0.", section([SPECS]))
        self.assertIn("The y axis is common to all panels and does not begin at 0.",
                      section([SPECS, axis("master", "works", "coordinates")], compare="scheduler"))

    def test_where_it_does(self):
        def wide(parameters):
            return 2.0 if parameters["scheduler"] == "send:3" else 0.02
        self.assertNotIn("y axis", section([SPECS], wide))
        self.assertIn("The y axis is common to all panels. ",
                      section([SPECS, axis("master", "works", "coordinates")], wide, compare="scheduler"))


class Verdicts(unittest.TestCase):
    def test_a_tie_leaves_the_range_to_the_column_of_the_ratio(self):
        self.assertRegex(section([SPECS], compare="scheduler"), r"gss:14 tie [\d.]+ s ")

    def test_by_how_much(self):
        text = section([SPECS], lambda p: 2.0 if p["scheduler"] == "send:3" else 1.0, compare="scheduler")
        self.assertRegex(text, r"gss:14 better \d+\.\d % less time ")


if __name__ == "__main__":
    unittest.main()
