"""Layered layout of a directed graph, with edges in one direction and few crossings.

The steps are Sugiyama's: layers by longest paths, lanes for edges that pass through layers, an
order in each layer by the averages of the neighbors, and coordinates near these averages.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

Key = Hashable
Edge = tuple[Key, Key]

_SWEEPS = 6

ACROSS, ALONG = 24.0, 36.0
"""Smallest distances between the boxes of a layer, and between layers."""

_LANE = 6.0
"""Width of an edge that passes through a layer."""


class Point(NamedTuple):
    """A position or size: across the edges, and along them."""

    across: float
    along: float


@dataclass
class GraphLayout:
    """The centers of boxes, the points of edges, and the total size."""

    middles: dict[Key, Point]
    routes: dict[Edge, list[Point]]
    size: Point


class _Lane(NamedTuple):
    """The position of an edge in a layer that it passes through."""

    edge: Edge
    layer: int


def laid_out(sizes: Mapping[Any, Point], edges: Sequence[Edge]) -> GraphLayout:
    """Return the layout of boxes.

    Args:
        sizes: Size of each box.
        edges: Pairs of boxes. Edges that close a cycle do not affect the layout.
    """
    forward = _forward(sizes, edges)
    layer_of = _layers(sizes, forward)
    layers: list[list[Key]] = [[] for _ in range(max(layer_of.values(), default=-1) + 1)]
    for key in sizes:
        layers[layer_of[key]].append(key)
    ups: dict[Key, list[Key]] = {key: [] for key in sizes}
    downs: dict[Key, list[Key]] = {key: [] for key in sizes}
    for edge in forward:
        passed: list[Key] = [edge[0]]
        for layer in range(layer_of[edge[0]] + 1, layer_of[edge[1]]):
            lane = _Lane(edge, layer)
            layers[layer].append(lane)
            passed.append(lane)
        for before, after in zip(passed, [*passed[1:], edge[1]], strict=True):
            downs.setdefault(before, []).append(after)
            ups.setdefault(after, []).append(before)
    _order(layers, ups, downs)
    breadths = {
        key: sizes[key].across if key in sizes else _LANE for line in layers for key in line
    }
    across = _places(layers, breadths, ups, downs)
    return _measured(layers, across, breadths, sizes, forward)


def _forward(sizes: Mapping[Any, Point], edges: Sequence[Edge]) -> list[Edge]:
    """Return the edges without those that close a cycle."""
    after: dict[Key, list[Key]] = {key: [] for key in sizes}
    for a, b in edges:
        after[a].append(b)
    back: set[Edge] = set()
    done: set[Key] = set()
    for first in sizes:
        above: dict[Key, list[Key]] = {}
        pending = [(first, iter(after[first]))]
        above[first] = []
        while pending:
            key, left = pending[-1]
            below = next((b for b in left if b not in done), None)
            if below is None:
                pending.pop()
                above.pop(key, None)
                done.add(key)
            elif below in above:
                back.add((key, below))
            else:
                above[below] = []
                pending.append((below, iter(after[below])))
    return [edge for edge in dict.fromkeys(edges) if edge not in back]


def _layers(sizes: Mapping[Any, Point], edges: Sequence[Edge]) -> dict[Key, int]:
    """Return the layer of each box: below its dependencies. Boxes without any are near users."""
    layer = dict.fromkeys(sizes, 0)
    for _ in sizes:
        lower = [(b, layer[a] + 1) for a, b in edges if layer[b] <= layer[a]]
        if not lower:
            break
        for key, at in lower:
            layer[key] = max(layer[key], at)
    depends = {b for _, b in edges}
    for key in sizes:
        needs = [layer[b] for a, b in edges if a == key]
        if key not in depends and needs:
            layer[key] = min(needs) - 1
    return layer


def _order(
    layers: list[list[Key]], ups: Mapping[Key, Sequence[Key]], downs: Mapping[Key, Sequence[Key]]
) -> None:
    """Order each layer by the average positions of the connected boxes."""
    for sweep in range(_SWEEPS):
        up = sweep % 2 == 0
        numbers = range(1, len(layers)) if up else range(len(layers) - 2, -1, -1)
        for number in numbers:
            beside = layers[number - 1 if up else number + 1]
            place = {key: i / max(len(beside) - 1, 1) for i, key in enumerate(beside)}
            line = layers[number]
            own = {key: i / max(len(line) - 1, 1) for i, key in enumerate(line)}
            mean = {}
            for key in line:
                found = [place[k] for k in (ups if up else downs).get(key, ()) if k in place]
                mean[key] = sum(found) / len(found) if found else own[key]
            line.sort(key=mean.__getitem__)


def _places(
    layers: list[list[Key]],
    breadths: Mapping[Key, float],
    ups: Mapping[Key, Sequence[Key]],
    downs: Mapping[Key, Sequence[Key]],
) -> dict[Key, float]:
    """Return the center of each box across the edges."""
    place: dict[Key, float] = {}
    for line in layers:
        _put(line, breadths, [0.0] * len(line), place)
    for sweep in range(2 * _SWEEPS):
        up = sweep % 2 == 0
        for line in layers if up else reversed(layers):
            wanted = []
            for key in line:
                near = (ups if up else downs).get(key) or (downs if up else ups).get(key) or [key]
                wanted.append(sum(place[k] for k in near) / len(near))
            _put(line, breadths, wanted, place)
    return place


def _put(
    line: Sequence[Key],
    breadths: Mapping[Key, float],
    wanted: Sequence[float],
    place: dict[Key, float],
) -> None:
    """Place the boxes of a layer in order and without overlap, close to the wanted positions.

    Boxes that would overlap form a block, which is placed at the average of their wanted positions.
    """
    offsets = [0.0]
    for a, b in pairwise(line):
        offsets.append(offsets[-1] + (breadths[a] + breadths[b]) / 2 + ACROSS)
    blocks: list[tuple[float, int]] = []
    for want, offset in zip(wanted, offsets, strict=False):
        mean, count = want - offset, 1
        while blocks and blocks[-1][0] > mean:
            other, size = blocks.pop()
            mean = (mean * count + other * size) / (count + size)
            count += size
        blocks.append((mean, count))
    starts = [mean for mean, count in blocks for _ in range(count)]
    place.update({k: s + o for k, s, o in zip(line, starts, offsets, strict=False)})


def _measured(
    layers: list[list[Key]],
    across: Mapping[Key, float],
    breadths: Mapping[Key, float],
    sizes: Mapping[Any, Point],
    edges: Sequence[Edge],
) -> GraphLayout:
    """Return the layout with its corner at 0 and its layers one below the other."""
    left = min((across[k] - breadths[k] / 2 for k in across), default=0.0)
    right = max((across[k] + breadths[k] / 2 for k in across), default=0.0)
    middles: dict[Key, Point] = {}
    lanes: dict[Key, list[Point]] = {}
    at = 0.0
    for line in layers:
        depth = max((sizes[k].along for k in line if k in sizes), default=0.0)
        for key in line:
            x = across[key] - left
            if key in sizes:
                middles[key] = Point(x, at + depth / 2)
            else:
                lanes[key] = [Point(x, at), Point(x, at + depth)]
        at += depth + ALONG
    routes: dict[Edge, list[Point]] = {edge: [] for edge in edges}
    for lane in sorted((k for k in lanes if isinstance(k, _Lane)), key=lambda k: k.layer):
        routes[lane.edge] += lanes[lane]
    return GraphLayout(middles, routes, Point(right - left, max(at - ALONG, 0.0)))


def curve(points: Sequence[tuple[float, float]], is_vertical: bool = True) -> str:
    """Return the SVG path of an edge: smooth between layers and straight through them.

    Args:
        points: Start, entry and exit of each layer that the edge passes through, and end.
        is_vertical: True if edges run down or up, not to a side.
    """
    parts = [f"M{points[0][0]:.1f} {points[0][1]:.1f}"]
    for i, ((x0, y0), (x1, y1)) in enumerate(pairwise(points)):
        if i % 2:
            parts.append(f"L{x1:.1f} {y1:.1f}")
        elif is_vertical:
            middle = (y0 + y1) / 2
            parts.append(f"C{x0:.1f} {middle:.1f} {x1:.1f} {middle:.1f} {x1:.1f} {y1:.1f}")
        else:
            middle = (x0 + x1) / 2
            parts.append(f"C{middle:.1f} {y0:.1f} {middle:.1f} {y1:.1f} {x1:.1f} {y1:.1f}")
    return "".join(parts)
