"""The beginning of a soak test on each backend. ``build.py soak`` runs for longer."""

from __future__ import annotations

import pytest

from bench.soak import check_growth, soak
from bench.soak_page import ACTIONS
from tfpy.testing import BACKENDS
from tfpy.testing.sessions import Sessions

SEED, STEPS = 264, 80
"""With this seed and number of steps, each action runs and everything is freed twice."""


@pytest.mark.parametrize("backend", BACKENDS)
def test_begins(backend: str, tfpy_sessions: Sessions) -> None:
    *_, last = soak(tfpy_sessions, "chromium", backend, SEED, STEPS, 300.0)
    assert last["step"] == STEPS
    assert last["done"].keys() >= ACTIONS.keys()


def test_growth_is_found() -> None:
    flat = [{"python": 1000 + n % 7, "heapBytes": 2**25} for n in range(30)]
    check_growth(flat)
    grown = [{**sizes, "heapBytes": 2**20 * n} for n, sizes in enumerate(flat)]
    with pytest.raises(AssertionError, match="heapBytes grows: 14680064, then 30408704"):
        check_growth(grown)
    check_growth(grown[:5])
