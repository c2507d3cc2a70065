"""Two sets of times against each other, by ranks alone: no assumption on how times are distributed."""

import functools
import math

import numpy
from scipy import stats

from report.samples import CONFIDENCE

MOST_PAIRS_EXACT = 2500


def _is_exact(a, b):
    return len(a) * len(b) <= MOST_PAIRS_EXACT and len(set(a) | set(b)) == len(a) + len(b)


def p_value(a, b):
    """Two-sided p of the Mann-Whitney test: exact without ties and up to 50 samples each, else by the normal
    distribution with its corrections for ties and continuity. Needs a sample of each."""
    if len(set(a) | set(b)) == 1:
        return 1.0
    method = "exact" if _is_exact(a, b) else "asymptotic"
    return float(stats.mannwhitneyu(a, b, alternative="two-sided", method=method).pvalue)


@functools.lru_cache(maxsize=None)
def _exact_tail_rank(count_a, count_b):
    """The largest k with P(U < k) <= 2.5 % under the null distribution of Mann and Whitney's U."""
    ways = numpy.zeros(count_a * count_b + 1)
    ways[0] = 1.0
    # The Gaussian binomial coefficient: multiply by 1 - q^(b+i), divide by 1 - q^i.
    for i in range(1, count_a + 1):
        ways[count_b + i:] -= ways[:-(count_b + i)].copy() if count_b + i < len(ways) else 0.0
        for u in range(i, len(ways)):
            ways[u] += ways[u - i]
    below = numpy.cumsum(ways) / math.comb(count_a + count_b, count_a)
    return int(numpy.searchsorted(below, (1 - CONFIDENCE) / 2, side="right"))


def _tail_rank(count_a, count_b):
    pairs = count_a * count_b
    if pairs <= MOST_PAIRS_EXACT:
        return _exact_tail_rank(count_a, count_b)
    deviation = math.sqrt(pairs * (count_a + count_b + 1) / 12)
    return int(pairs / 2 - stats.norm.ppf((1 + CONFIDENCE) / 2) * deviation)


def ratio(a, b):
    """(ratio, low, high): how many times as long `a` takes as `b`, with its 95 % interval.

    Hodges and Lehmann's estimate on logarithms: the median over all pairs of a time of `a` and one of `b`; the
    interval turns the Mann-Whitney test round. low and high are nothing where too few samples give none.
    """
    ratios = numpy.sort(numpy.divide.outer(numpy.asarray(a, float), numpy.asarray(b, float)), axis=None)
    middle = math.exp(float(numpy.median(numpy.log(ratios))))
    rank = _tail_rank(len(a), len(b))
    if rank < 1:
        return middle, None, None
    return middle, float(ratios[rank - 1]), float(ratios[-rank])
