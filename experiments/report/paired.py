"""Comparisons of a sweep's points, round by round: the times of one repetition of each are a pair.

The rule is that of the tool (base/paired_test.hpp): Wilcoxon's signed-rank test of the logarithms, and the estimate and
interval of the same test. The test's distribution comes from the tool, so that both judge alike.
"""

import math
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from statistics import fmean, median


@dataclass(frozen=True)
class Rule:
    """How the points of an experiment are judged."""

    law: tuple  # by number of pairs: P(V < k) for k = 0, 1 ... up to the middle of V
    error: float  # the largest probability of a wrong finding

    def fewest_rounds(self):
        """Returns the fewest rounds that can show anything."""
        return next(count for count, below in enumerate(self.law) if 2 * below[1] <= self.error)


class Contrast:
    """The product of points' times, each to the power of its weight, in the rounds that all points have.

    With the weights 1 and -1 it is the ratio of two points. At least one such round must exist.
    """

    def __init__(self, terms, rule):
        rounds = sorted(set.intersection(*(set(picked.times_s) for picked, _ in terms)))
        self.rounds = len(rounds)
        logs = _grouped([sum(weight * math.log(picked.times_s[one]) for picked, weight in terms) for one in rounds],
                        len(rule.law) - 1)
        self._averages = sorted((a + b) / 2 for place, a in enumerate(logs) for b in logs[:place + 1])
        self._below = rule.law[len(logs)]

    @property
    def value(self):
        return math.exp(median(self._averages))

    def interval(self, error):
        """Returns (low, high), or None if there are too few rounds."""
        rank = bisect_right(self._below, error / 2) - 1
        return (math.exp(self._averages[rank - 1]), math.exp(self._averages[-rank])) if rank else None

    def p_value(self, threshold):
        """Returns the p-value of the two-sided test that the contrast is `threshold`."""
        at = math.log(threshold)
        fewer = min(bisect_right(self._averages, at), len(self._averages) - bisect_left(self._averages, at))
        return min(1.0, 2 * self._below[fewer + 1]) if fewer + 1 < len(self._below) else 1.0


def _grouped(values, most):
    """Returns the means of at most `most` groups of consecutive values."""
    groups = min(len(values), most)
    return [fmean(values[place * len(values) // groups:(place + 1) * len(values) // groups]) for place in range(groups)]


def shown_in(p_values, count):
    """Returns the p-value of "at least `count` of these null hypotheses are wrong" (Benjamini and Heller 2008).

    For all of them it is the largest p-value, for at least one it is Bonferroni's.
    """
    return min(1.0, (len(p_values) - count + 1) * sorted(p_values)[count - 1])
