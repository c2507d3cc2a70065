"""Matrices whose products are exact."""

import numpy as np


def whole_numbers(shape, dtype="float64", order="C", seed=1):
    """Returns small integers, whose products are exact in any order of summation."""
    values = np.random.default_rng([seed, *shape]).integers(-8, 9, shape)
    return np.array(values, dtype=dtype, order=order)
