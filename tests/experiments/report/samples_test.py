"""The median and its interval by order statistics, against the published table of ranks."""

import unittest

from report.samples import median_interval, median_interval_rank, summary


class MedianInterval(unittest.TestCase):
    def test_ranks_are_those_of_the_binomial_table(self):
        # P(X < k) <= 2.5 % for X of Binomial(n, 1/2): Conover, Practical Nonparametric Statistics, section 3.2.
        self.assertEqual({n: median_interval_rank(n) for n in (6, 7, 8, 9, 10, 11, 12, 15, 20, 25, 30, 50)},
                         {6: 1, 7: 1, 8: 1, 9: 2, 10: 2, 11: 2, 12: 3, 15: 4, 20: 6, 25: 8, 30: 10, 50: 18})

    def test_fewer_than_six_samples_have_none(self):
        self.assertIsNone(median_interval_rank(5))
        self.assertEqual([median_interval_rank(n, 0.01) for n in (7, 8, 20)], [None, 1, 4])
        self.assertIsNone(median_interval([1.0, 2.0, 3.0, 4.0, 5.0]))

    def test_it_takes_the_samples_in_order_whatever_theirs(self):
        self.assertEqual(median_interval([6, 5, 1, 2, 4, 3]), (1, 6))
        self.assertEqual(median_interval([3, 10, 9, 8, 7, 6, 5, 4, 2, 1]), (2, 9))
        self.assertEqual(median_interval(list(range(30, 0, -1))), (10, 21))


class Summary(unittest.TestCase):
    def test_of_even_and_odd_numbers(self):
        self.assertEqual((summary([4.0, 1.0, 2.0]).median, summary([4.0, 1.0, 2.0, 3.0]).median), (2.0, 2.5))

    def test_of_one_sample(self):
        one = summary([2.0])
        self.assertEqual((one.count, one.median, one.interval, one.least, one.most), (1, 2.0, None, 2.0, 2.0))

    def test_of_none(self):
        self.assertIsNone(summary([]))


if __name__ == "__main__":
    unittest.main()
