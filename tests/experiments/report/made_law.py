"""The law of the signed-rank test as the tool hands it over, counted anew."""

import functools
import itertools


@functools.lru_cache(maxsize=None)
def law(most=64):
    """By number of pairs: P(V < k) for k = 0, 1 ... up to the middle of V."""
    ways, laws = [1], []
    for count in range(most + 1):
        if count:
            ways = [a + b for a, b in itertools.zip_longest(ways, [0] * count + ways, fillvalue=0)]
        below = itertools.accumulate(ways[:(len(ways) + 1) // 2], initial=0)
        laws.append(tuple(number / 2 ** count for number in below))
    return tuple(laws)
