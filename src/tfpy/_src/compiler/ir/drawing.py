"""Constants of TensorFlow's random numbers: of Philox and of the distributions.

`ops/reference` explains their use.
"""

from __future__ import annotations

import math

import numpy as np

MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
WEYL = (0x9E3779B9, 0xBB67AE85)
ROUNDS = 10
RESERVED = 256
"""Counters per output where outputs consume a varying number of words."""
RESERVED_RARE = 42
"""Counters per output for geometric sums."""
SMALLEST = 1e-7
"""Lower limit of the arguments of logarithms."""
HORMANN_FROM = 10
"""Rate from which a Poisson number is drawn by rejection."""
BTRS_FROM = 10
"""Expected count from which a binomial number is drawn by rejection."""
STIRLING_TAIL = np.array([
    math.lgamma(k + 1) - ((k + 0.5) * math.log(k + 1) - (k + 1) + 0.5 * math.log(2 * math.pi))
    for k in range(10)
])  # fmt: skip
"""log k! minus Stirling's approximation of it."""
