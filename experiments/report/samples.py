"""What a handful of samples says by itself: the median, and between what the true median lies."""

from dataclasses import dataclass

import numpy
from scipy import stats

MOST_ERROR = 0.05  # how often what is said may be wrong
FEWEST_FOR_AN_INTERVAL = 6  # of five samples even the smallest and the largest hold the median in 94 % of cases


def median_interval_rank(count, error=MOST_ERROR):
    """k: the k-th smallest and the k-th largest of `count` samples hold the median in 1 - `error` of cases at least.

    By the binomial distribution of how many samples lie below the median; nothing of too few, at 5 % below six.
    """
    if count < FEWEST_FOR_AN_INTERVAL:
        return None
    # ppf is the least k with P(X <= k) >= error / 2, so that P(X <= k - 1) is below.
    return int(stats.binom.ppf(error / 2, count, 0.5)) or None


def median_interval(values, error=MOST_ERROR):
    """(low, high) in the unit of `values`, or nothing where there are too few."""
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
    """The Summary of `values`, or nothing where there are none; `error`: how often its interval may miss the median."""
    if not values:
        return None
    return Summary(len(values), float(numpy.median(values)), median_interval(values, error), min(values), max(values))
