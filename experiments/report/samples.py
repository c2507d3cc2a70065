"""What a handful of samples says by itself: the median, and between what the true median lies."""

from dataclasses import dataclass

import numpy
from scipy import stats

CONFIDENCE = 0.95
FEWEST_FOR_AN_INTERVAL = 6  # of five samples even the smallest and the largest hold the median in 94 % of cases


def median_interval_rank(count):
    """k: the k-th smallest and the k-th largest of `count` samples hold the median in at least 95 % of cases.

    By the binomial distribution of how many samples lie below the median; nothing below six samples.
    """
    if count < FEWEST_FOR_AN_INTERVAL:
        return None
    # ppf is the least k with P(X <= k) >= 2.5 %, so that P(X <= k - 1) is below.
    return int(stats.binom.ppf((1 - CONFIDENCE) / 2, count, 0.5))


def median_interval(values):
    """(low, high) in the unit of `values`, or nothing where there are fewer than six."""
    rank = median_interval_rank(len(values))
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


def summary(values):
    """The Summary of `values`, or nothing where there are none."""
    if not values:
        return None
    return Summary(len(values), float(numpy.median(values)), median_interval(values), min(values), max(values))
