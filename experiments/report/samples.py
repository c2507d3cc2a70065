"""Statistics of few samples: the median and an interval of the true median."""

from dataclasses import dataclass

import numpy
from scipy import stats

MOST_ERROR = 0.05  # the largest probability of a wrong statement
FEWEST_FOR_AN_INTERVAL = 6  # the smallest and the largest of five samples contain the median in only 94 % of cases


def median_interval_rank(count, error=MOST_ERROR):
    """Returns k: the k-th smallest and k-th largest of `count` samples contain the median with at least 1 - `error`.

    The number of samples below the median has a binomial distribution. None for too few samples: below six at 5 %.
    """
    if count < FEWEST_FOR_AN_INTERVAL:
        return None
    # ppf is the least k with P(X <= k) >= error / 2, so that P(X <= k - 1) is below.
    return int(stats.binom.ppf(error / 2, count, 0.5)) or None


def median_interval(values, error=MOST_ERROR):
    """Returns (low, high) in the unit of `values`, or None if there are too few."""
    rank = median_interval_rank(len(values), error)
    if rank is None:
        return None
    ordered = sorted(values)
    return ordered[rank - 1], ordered[-rank]


@dataclass(frozen=True)
class Summary:
    count: int
    median: float
    interval: tuple | None
    least: float
    most: float


def summary(values, error=MOST_ERROR):
    """Returns the Summary of `values`, or None if there are none. `error`: how often the interval may miss the median."""
    if not values:
        return None
    return Summary(len(values), float(numpy.median(values)), median_interval(values, error), min(values), max(values))
