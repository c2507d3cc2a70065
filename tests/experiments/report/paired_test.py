"""Pairs of rounds against each other: p-values and intervals by hand, and by published tables."""

import random
import unittest

from made_law import law
from report.claims import Picked
from report.paired import Contrast, Rule, shown_in

RULE = Rule(law(), 0.05)


def ratio(over, under):
    """Returns the contrast of two lists of times by round."""
    return Contrast([(Picked("a", dict(enumerate(over))), 1), (Picked("b", dict(enumerate(under))), -1)], RULE)


class PValues(unittest.TestCase):
    def test_by_hand(self):
        ones = [1.0] * 5
        self.assertAlmostEqual(ratio([1.1, 1.2, 1.3, 1.4, 1.5], ones).p_value(1.0), 2 / 32)
        self.assertAlmostEqual(ratio([0.95, 1.2, 1.3, 1.4, 1.5], ones).p_value(1.0), 4 / 32)
        self.assertAlmostEqual(ratio([1.1, 1.2, 0.75, 1.4, 1.5], ones).p_value(1.0), 10 / 32)
        self.assertEqual(ratio(ones, ones).p_value(1.0), 1.0)

    def test_against_another_threshold(self):
        times = [1.1, 1.2, 1.3, 1.4, 1.5, 1.6]
        self.assertAlmostEqual(ratio(times, [1.0] * 6).p_value(1.05), 2 / 64)
        self.assertAlmostEqual(ratio(times, [1.0] * 6).p_value(1.12), 4 / 64)

    def test_rounds_that_one_alone_has_are_left_out(self):
        one, other = Picked("a", {0: 2.0, 1: 2.2, 4: 9.0}), Picked("b", {0: 1.0, 1: 1.1, 2: 9.0})
        contrast = Contrast([(one, 1), (other, -1)], RULE)
        self.assertEqual((contrast.rounds, contrast.p_value(1.0)), (2, 0.5))
        self.assertAlmostEqual(contrast.value, 2.0)


class Intervals(unittest.TestCase):
    def test_of_six_rounds_they_are_the_range(self):
        low, high = ratio([1.1, 1.2, 1.3, 1.4, 1.5, 1.6], [1.0] * 6).interval(0.05)
        self.assertAlmostEqual(low, 1.1)
        self.assertAlmostEqual(high, 1.6)
        self.assertIsNone(ratio([1.1] * 5, [1.0] * 5).interval(0.05))

    def test_agree_with_the_test(self):
        shaken = random.Random(3)
        for count in (6, 10, 30, 100):  # of 100 rounds groups are judged
            for _ in range(20):
                contrast = ratio([shaken.lognormvariate(0.03, 0.1) for _ in range(count)], [1.0] * count)
                low, high = contrast.interval(0.05)
                self.assertEqual(low > 1 or high < 1, contrast.p_value(1.0) <= 0.05)

    def test_of_a_ratio_of_ratios(self):
        points = [Picked(name, {place: time * (1 + place / 100) for place in range(8)})
                  for name, time in (("a", 1.2), ("b", 1.0), ("c", 1.1), ("d", 1.0))]
        contrast = Contrast(list(zip(points, (1, -1, -1, 1))), RULE)
        self.assertAlmostEqual(contrast.value, 1.2 / 1.1)
        self.assertAlmostEqual(contrast.interval(0.05)[0], 1.2 / 1.1)


class Several(unittest.TestCase):
    def test_the_fewest_rounds(self):
        self.assertEqual([Rule(law(), error).fewest_rounds() for error in (0.05, 1 / 16, 0.0125)], [6, 5, 8])

    def test_all_and_one_and_some(self):
        p_values = [0.04, 0.001, 0.02, 0.3]
        self.assertEqual([shown_in(p_values, count) for count in (1, 2, 3, 4)], [0.004, 0.06, 0.08, 0.3])


if __name__ == "__main__":
    unittest.main()
