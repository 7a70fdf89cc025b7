"""Orders of integers of a known range, against NumPy's stable sort."""

from __future__ import annotations

import numpy as np
import pytest

from tfpy._src.compiler.ops.reference.ordering import stable_order
from tfpy._src.compiler.ops.reference.random import swapped


@pytest.mark.parametrize("bound", [1, 9, 1 << 16, 1 << 17, (1 << 32) + 1])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_order_is_that_of_a_stable_sort(bound: int, dtype: type) -> None:
    highest = min(bound, 1 << 31)
    keys = np.random.default_rng(1).integers(0, highest, 3000).astype(dtype)
    keys[:1000] = keys[1000:2000]
    np.testing.assert_array_equal(stable_order(keys, bound), np.argsort(keys, kind="stable"))


@pytest.mark.parametrize("count", [2, 3, 100, 70000])
def test_swaps_are_those_of_a_loop(count: int) -> None:
    steps = np.arange(count - 1)
    others = steps + np.random.default_rng(2).integers(0, 1 << 31, count - 1) % (count - steps)
    expected = [*range(count)]
    for i, j in enumerate(others.tolist()):
        expected[i], expected[j] = expected[j], expected[i]
    assert swapped(others, count).tolist() == expected
