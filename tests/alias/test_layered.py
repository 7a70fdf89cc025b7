"""The layout of graphs: boxes do not overlap, and edges point in one direction."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from tfpy._src.display.layered_layout import ACROSS, GraphLayout, Point, laid_out


def check(sizes: dict[str, Point], edges: list[tuple[str, str]]) -> GraphLayout:
    """Compute a layout, and check that its boxes are inside it and do not overlap."""
    found = laid_out(sizes, edges)
    assert found.middles.keys() == sizes.keys()
    for key, (x, y) in found.middles.items():
        across, along = sizes[key]
        assert x - across / 2 >= -1e-6
        assert x + across / 2 <= found.size.across + 1e-6
        assert y - along / 2 >= -1e-6
        assert y + along / 2 <= found.size.along + 1e-6
    for a, b in combinations(sizes, 2):
        distance = np.abs(np.subtract(found.middles[a], found.middles[b]))
        apart = distance - (np.add(sizes[a], sizes[b]) / 2)
        assert apart[0] > ACROSS - 1e-6 or apart[1] > 1e-6, (a, b)
    return found


@pytest.mark.parametrize("seed", range(20))
def test_random_graphs(seed: int) -> None:
    random = np.random.default_rng(seed)
    names = [f"n{i}" for i in range(int(random.integers(1, 25)))]
    sizes = {name: Point(*random.uniform(10, 200, 2).tolist()) for name in names}
    pairs = [(a, b) for a, b in combinations(names, 2) if random.random() < 0.15]
    found = check(sizes, pairs)
    for a, b in pairs:
        path = [found.middles[a], *found.routes[a, b], found.middles[b]]
        along = [point.along for point in path]
        assert along == sorted(along)
        for point in found.routes[a, b]:
            for name in set(names) - {a, b}:
                offset = np.abs(np.subtract(point, found.middles[name]))
                assert not np.all(offset < np.divide(sizes[name], 2) - 1e-6)


def test_a_chain_is_straight() -> None:
    sizes = {name: Point(10 * i, 5) for i, name in enumerate("abcd", 1)}
    found = check(sizes, [("a", "b"), ("b", "c"), ("c", "d")])
    assert {round(point.across, 6) for point in found.middles.values()} == {20}


def test_circles_and_nothing() -> None:
    sizes = dict.fromkeys("abc", Point(10, 5))
    found = check(sizes, [("a", "b"), ("b", "c"), ("c", "a"), ("b", "b")])
    assert found.middles["a"].along < found.middles["b"].along < found.middles["c"].along
    assert laid_out({}, []).size == (0, 0)
