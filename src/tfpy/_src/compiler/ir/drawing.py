"""What fixes TensorFlow's random numbers, for all who draw them: the constants of Philox and those
of its distributions. ``ops/reference`` tells what they are for."""

from __future__ import annotations

import math

import numpy as np

MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
WEYL = (0x9E3779B9, 0xBB67AE85)
ROUNDS = 10
RESERVED = 256
"""Counters that belong to one output where outputs take a varying number of words..."""
RESERVED_RARE = 42
"""... and to one that is a geometric sum."""
SMALLEST = 1e-7
"""Keeps a logarithm away from 0."""
HORMANN_FROM = 10
"""The rate from which a Poisson number is drawn by rejection..."""
BTRS_FROM = 10
"""... and the expected count from which a binomial one is."""
STIRLING_TAIL = np.array([
    math.lgamma(k + 1) - ((k + 0.5) * math.log(k + 1) - (k + 1) + 0.5 * math.log(2 * math.pi))
    for k in range(10)
])  # fmt: skip
"""log k! less Stirling's approximation of it."""
