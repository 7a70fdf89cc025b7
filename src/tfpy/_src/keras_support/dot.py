"""Drawings of graphs as SVG: a replacement for the parts of pydot and Graphviz that Keras uses.

Keras describes a model as boxes with small tables, and edges. These classes accept that
description.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tfpy._src.base.atomic_files import replace_file
from tfpy._src.base.errors import UnimplementedError
from tfpy._src.display.html import escape
from tfpy._src.display.layered_layout import GraphLayout, Point, curve, laid_out

_ROW = re.compile(r"<tr>(.*?)</tr>", re.S)
_CELL = re.compile(r"<td([^>]*)><font([^>]*)>(.*?)</font></td>", re.S)
_ATTRIBUTE = re.compile(r'([\w-]+)="([^"]*)"')

_PADDING = 8.0
_MARGIN = 10.0
_TITLE = 18.0

_BOLD = 1.12
"""Width of bold letters relative to regular ones."""

_NARROW, _BROAD = set("fijlrtI.,:;'|()[]{}! "), set("mwMW@%")


class Node:
    """A box with a table of strings, in the form that Keras writes for Graphviz."""

    def __init__(self, name: str, label: str) -> None:
        self.name = name
        self.rows = [
            [_Cell.of(*found) for found in _CELL.findall(row)] for row in _ROW.findall(label)
        ]
        self.heights = [max(c.font for c in row) + 2 * _PADDING for row in self.rows]
        self.width = max(sum(c.width for c in row) for row in self.rows)
        self.height = sum(self.heights)

    def set(self, name: str, value: Any) -> None:
        """Do nothing: fonts and margins are fixed."""

    def svg(self, left: float, top: float) -> Iterator[str]:
        """Yield SVG elements of the box at a position."""
        for row, height in zip(self.rows, self.heights, strict=True):
            x, more = left, (self.width - sum(c.width for c in row)) / len(row)
            for cell in row:
                yield from cell.svg(x, top, cell.width + more, height)
                x += cell.width + more
            top += height


@dataclass
class _Cell:
    """A string in a box. Parts of the string may be bold."""

    text: str
    fill: str
    color: str
    font: float

    @staticmethod
    def of(cell: str, font: str, text: str) -> _Cell:
        attributes = dict(_ATTRIBUTE.findall(cell + font))
        color = attributes.get("color", "black")
        size = float(attributes.get("point-size", 14)) * 0.8
        return _Cell(text, attributes.get("bgcolor", "white"), color, size)

    @property
    def width(self) -> float:
        """Approximate width of the string with padding."""
        parts = [sum(map(_breadth, part)) for part in re.split("</?b>", self.text)]
        return 2 * _PADDING + self.font * (sum(parts[::2]) + _BOLD * sum(parts[1::2]))

    def svg(self, x: float, y: float, width: float, height: float) -> Iterator[str]:
        yield (
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
            f'fill="{escape(self.fill)}" stroke="black"/>'
        )
        parts = re.split("</?b>", self.text)
        spans = "".join(
            f'<tspan font-weight="bold">{escape(part)}</tspan>' if i % 2 else escape(part)
            for i, part in enumerate(parts)
        )
        yield (
            f'<text x="{x + width / 2:.1f}" y="{y + height / 2:.1f}" fill="{escape(self.color)}" '
            f'font-size="{self.font:.1f}" text-anchor="middle" dominant-baseline="central">'
            f"{spans}</text>"
        )


def _breadth(letter: str) -> float:
    """Return the width of a letter relative to the font size."""
    if letter in _NARROW:
        return 0.39
    return 0.98 if letter in _BROAD else 0.75 if letter.isupper() else 0.64


class Edge:
    """An arrow from one box to another."""

    def __init__(self, source: str, target: str) -> None:
        self.ends = (source, target)

    def set(self, name: str, value: Any) -> None:
        """Do nothing: the width of the pen is fixed."""


class Dot:
    """A graph that notebooks display (`keras.utils.model_to_dot`)."""

    def __init__(self, **attributes: Any) -> None:
        self._attributes = dict(attributes)
        self._nodes: dict[str, Node] = {}
        self._edges: dict[tuple[str, str], Edge] = {}
        self._clusters: list[Dot] = []

    def set(self, name: str, value: Any) -> None:
        """Set an attribute. Only "rankdir" and "label" have an effect."""
        self._attributes[name] = value

    def set_node_defaults(self, **attributes: Any) -> None:
        """Do nothing: the style of boxes is fixed."""

    def add_node(self, node: Node) -> None:
        """Add a box."""
        self._nodes[node.name] = node

    def add_edge(self, edge: Edge) -> None:
        """Add an arrow."""
        self._edges[edge.ends] = edge

    def get_edge(self, source: str, target: str) -> list[Edge]:
        """Return the arrows from one box to another."""
        found = self._edges.get((source, target))
        return [] if found is None else [found]

    def add_subgraph(self, cluster: Dot) -> None:
        """Add a graph inside this one."""
        self._clusters.append(cluster)

    def write(self, path: str, format: str = "svg") -> None:
        """Write the drawing to a file.

        Raises:
            UnimplementedError: If the format is not "svg".
        """
        if format != "svg":
            raise UnimplementedError(
                None,
                "plot_model",
                f"tfpy draws models as SVG, not as {format.upper()}; pass to_file='model.svg'",
            )
        replace_file(path, self.to_svg().encode())

    def to_svg(self) -> str:
        """Return the drawing as SVG."""
        drawn = _Drawn(self, str(self._attributes.get("rankdir", "TB")))
        width, height = drawn.width + 2 * _MARGIN, drawn.height + 2 * _MARGIN
        boxes: dict[str, _Box] = {}
        parts = [*drawn.frames(_MARGIN, _MARGIN, boxes)]
        parts += [*drawn.arrows(_MARGIN, _MARGIN, boxes)]
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
            f'viewBox="0 0 {width:.1f} {height:.1f}" font-family="Helvetica, Arial, sans-serif">'
            '<defs><marker id="tfpy-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
            'markerHeight="7" orient="auto-start-reverse"><path d="M0 0L8 4L0 8z"/></marker></defs>'
            f'<rect width="100%" height="100%" fill="white"/>{"".join(parts)}</svg>\n'
        )

    _repr_svg_ = to_svg


class Cluster(Dot):
    """A graph inside another graph, drawn in a frame."""


@dataclass
class _Box:
    """The position and size of a box."""

    left: float
    top: float
    width: float
    height: float


class _Drawn:
    """A graph with its layout, including nested graphs."""

    def __init__(self, graph: Dot, direction: str) -> None:
        self._graph, self._direction = graph, direction
        self._title = _TITLE if isinstance(graph, Cluster) else 0.0
        self._edge_space = _MARGIN if isinstance(graph, Cluster) else 0.0
        self._clusters = {
            f"cluster {i}": _Drawn(g, direction) for i, g in enumerate(graph._clusters)
        }
        self._sizes: dict[str, tuple[float, float]] = {
            name: (node.width, node.height) for name, node in graph._nodes.items()
        }
        self._sizes |= {name: (c.width, c.height) for name, c in self._clusters.items()}
        self._part_of = {name: name for name in graph._nodes}
        for name, cluster in self._clusters.items():
            self._part_of |= dict.fromkeys(cluster._part_of, name)
        self._layout: GraphLayout = self._laid_out()
        across, along = self._layout.size
        inner = (across, along) if self._is_vertical else (along, across)
        self.width: float = inner[0] + 2 * self._edge_space
        self.height: float = inner[1] + 2 * self._edge_space + self._title

    @property
    def _is_vertical(self) -> bool:
        return self._direction in ("TB", "BT")

    @property
    def _is_reversed(self) -> bool:
        return self._direction in ("BT", "RL")

    def _laid_out(self) -> GraphLayout:
        sizes = {
            name: Point(*size) if self._is_vertical else Point(*reversed(size))
            for name, size in self._sizes.items()
        }
        edges = []
        for source, target in self._graph._edges:
            ends = self._part_of.get(source), self._part_of.get(target)
            if None not in ends and ends[0] != ends[1]:
                edges.append(ends)
        return laid_out(sizes, edges)

    def _turned(self, point: Point, left: float, top: float) -> tuple[float, float]:
        """Convert a point of the layout to a point of the drawing."""
        across, along = point
        if self._is_reversed:
            along = self._layout.size.along - along
        x, y = (across, along) if self._is_vertical else (along, across)
        return left + self._edge_space + x, top + self._edge_space + self._title + y

    def frames(self, left: float, top: float, boxes: dict[str, _Box]) -> Iterator[str]:
        """Yield the boxes and the frames of clusters. Store the positions in `boxes`."""
        if isinstance(self._graph, Cluster):
            label = escape(str(self._graph._attributes.get("label", "")))
            yield (
                f'<rect x="{left:.1f}" y="{top:.1f}" width="{self.width:.1f}" '
                f'height="{self.height:.1f}" fill="none" stroke="gray" stroke-dasharray="5 3"/>'
                f'<text x="{left + _PADDING:.1f}" y="{top + _TITLE:.1f}" font-size="12">{label}'
                "</text>"
            )
        for name, middle in self._layout.middles.items():
            x, y = self._turned(middle, left, top)
            width, height = self._sizes[str(name)]
            box = _Box(x - width / 2, y - height / 2, width, height)
            if name in self._clusters:
                yield from self._clusters[str(name)].frames(box.left, box.top, boxes)
            else:
                boxes[str(name)] = box
                yield from self._graph._nodes[str(name)].svg(box.left, box.top)

    def arrows(self, left: float, top: float, boxes: Mapping[str, _Box]) -> Iterator[str]:
        """Yield the arrows between boxes that have positions."""
        for source, target in self._graph._edges:
            if source in boxes and target in boxes:
                ends = self._part_of[source], self._part_of[target]
                passed = self._layout.routes.get(ends, [])
                points = [
                    self._end(boxes[source], leaves=True),
                    *(self._turned(point, left, top) for point in passed),
                    self._end(boxes[target], leaves=False),
                ]
                yield (
                    f'<path d="{curve(points, self._is_vertical)}" fill="none" stroke="black" '
                    'stroke-width="1.3" marker-end="url(#tfpy-arrow)"/>'
                )
        for cluster in self._clusters.values():
            yield from cluster.arrows(*self._corner(cluster, left, top), boxes)

    def _corner(self, cluster: _Drawn, left: float, top: float) -> tuple[float, float]:
        (name,) = (n for n, c in self._clusters.items() if c is cluster)
        x, y = self._turned(self._layout.middles[name], left, top)
        return x - cluster.width / 2, y - cluster.height / 2

    def _end(self, box: _Box, leaves: bool) -> tuple[float, float]:
        """Return the point where an arrow leaves or enters a box."""
        far = leaves != self._is_reversed
        if self._is_vertical:
            return box.left + box.width / 2, box.top + box.height * far
        return box.left + box.width * far, box.top + box.height / 2
