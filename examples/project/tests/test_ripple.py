"""Tests of ripple in CPython, and on each backend in browsers."""

from __future__ import annotations

from typing import Any

import numpy as np
import ripple

from tfpy.testing import run_in_browser


def test_water_stays() -> None:
    """The total height stays constant."""
    now = before = ripple.drop(16, 24)
    for _ in range(20):
        now, before = ripple.step(now, before)
    np.testing.assert_allclose(now.numpy().sum(), ripple.drop(16, 24).numpy().sum(), rtol=1e-4)


@run_in_browser()
async def test_waves_on_each_backend(tf: Any, backend: str) -> None:
    now = before = ripple.drop(16, 24)
    for _ in range(20):
        now, before = ripple.step(now, before)
    found = await now.data()
    assert found.shape == (16, 24)
    assert found[8, 12] < 0.5, "the drop has gone outwards"
    np.testing.assert_allclose(found[1:8], found[15:8:-1], atol=1e-5)
    assert tf.get_backend() == backend
