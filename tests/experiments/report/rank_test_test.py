"""The rank test and what goes with it, against published numbers and numbers worked out by hand."""

import math
import unittest

from report import rank_test


class PValue(unittest.TestCase):
    def test_exact(self):
        # 3 and 3 that do not overlap: 2 of the 20 orders are that extreme. 5 and 4 with U = 17: 14 of 126.
        self.assertAlmostEqual(rank_test.p_value([1, 2, 3], [4, 5, 6]), 2 / 20)
        self.assertAlmostEqual(rank_test.p_value([19, 22, 16, 29, 24], [20, 11, 17, 12]), 14 / 126)

    def test_ties_by_the_normal_distribution(self):
        # U = 2.5, mean 8, variance 16/12 (9 - 36/56), continuity 1/2: z = 5 / 3.33809.
        self.assertAlmostEqual(rank_test.p_value([1, 2, 2, 3], [2, 3, 4, 4]), math.erfc(1.497862 / math.sqrt(2)), 5)

    def test_equal_samples_tell_nothing(self):
        self.assertEqual(rank_test.p_value([2.0, 2.0], [2.0, 2.0, 2.0]), 1.0)
        self.assertEqual(rank_test.p_value([1, 2, 3, 4], [1, 2, 3, 4]), 1.0)


class Effect(unittest.TestCase):
    def test_ratio_is_the_median_of_all_pairs(self):
        middle, low, high = rank_test.ratio([2, 4, 8], [1, 1, 1])
        self.assertAlmostEqual(middle, 4)
        self.assertEqual((low, high), (None, None))

    def test_interval_of_four_and_four_is_all_pairs(self):
        _, low, high = rank_test.ratio([10, 11, 12, 13], [5, 6, 7, 8])
        self.assertAlmostEqual(low, 10 / 8)
        self.assertAlmostEqual(high, 13 / 5)

    def test_ranks_are_one_above_the_published_critical_values(self):
        # Mann and Whitney's U, 5 % two-sided: 2, 5, 23, 6, 127.
        self.assertEqual([rank_test._tail_rank(*counts) for counts in ((5, 5), (6, 6), (10, 10), (8, 5), (20, 20))],
                         [3, 6, 24, 7, 128])

    def test_ranks_of_many_by_the_normal_distribution(self):
        self.assertEqual(rank_test._tail_rank(60, 60), 1426)

    def test_interval_leaves_out_1_when_the_test_is_significant_and_only_then(self):
        baseline = [1.00, 1.01, 1.02, 1.03, 1.04, 1.05]
        for shift in range(60):
            times = [time * 1.0007 ** (shift + 0.5) for time in baseline]
            _, low, _ = rank_test.ratio(times, baseline)
            self.assertEqual(low > 1, rank_test.p_value(times, baseline) < 0.05, shift)


if __name__ == "__main__":
    unittest.main()
