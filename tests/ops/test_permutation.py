"""Random permutations, computed for all positions at once."""

from __future__ import annotations

import numpy as np
import pytest

from tfpy._src.compiler.ops.reference.random import swapped


@pytest.mark.parametrize("count", [0, 1, 2, 3, 7, 100, 5000, (1 << 16) + 1])
def test_swaps_at_once_are_those_one_after_the_other(count: int) -> None:
    rng = np.random.default_rng(count)
    places = np.arange(max(count - 1, 0))
    for others in (places + rng.integers(0, count - places), places, np.full_like(places, -1)):
        swaps = np.where(others < 0, count - 1, others)
        order = list(range(count))
        for i, j in enumerate(swaps.tolist()):
            order[i], order[j] = order[j], order[i]
        assert swapped(swaps, count).tolist() == order
