"""Large values with independent rows, computed in parts of a few rows.

The logits of a language model are the largest values of a training step: one row of the size of the
vocabulary for each token. Everything that is computed from them, such as the loss of a token and
its gradient, depends on one row only.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from tfpy._src.compiler.ir.aval import Shape
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.ir.op import Op
from tfpy._src.compiler.ops.blocks import multiply_blocks
from tfpy._src.compiler.ops.concatenation import concat
from tfpy._src.compiler.ops.contraction import matmul
from tfpy._src.compiler.ops.indexing import gather
from tfpy._src.compiler.ops.movement import reshape, strided_slice
from tfpy._src.compiler.passes.rewrite import is_plain

LARGE = 1 << 24
"""Number of elements from which a value is computed in parts."""
PART = 1 << 22
"""Largest number of elements of a part."""


def divide_rows(graph: Graph) -> Graph:
    """Compute large values, and what depends on their rows, in parts of a few rows. ::

        %2:float32[64,9] = matmul(%0, %1) …      %2:float32[32,4] = strided_slice(%0) …
        %3:float32[64,9] = exp(%2)               %3:float32[32,9] = matmul(%2, %1) …
        %4:float32[64] = reduce_sum(%3) …   ->   %4:float32[32,9] = exp(%3)
                                                 %5:float32[32] = reduce_sum(%4) …
                                                 … the same for the other rows …
                                                 %10:float32[64] = concat(%5, %9) axis=0

    The Graph is unchanged if a large value is an output, or if its rows are not independent.
    """
    members = _members(graph)
    rows = _rows(graph, members) if members else 0
    region = _Region(graph, members, rows)
    if not rows or not region.is_divisible():
        return graph
    return _Division(region).result()


def _members(graph: Graph) -> list[int]:
    """Return the numbers of the equations that are computed in parts, in order.

    They write or read a large value, or are on a path between two such equations.
    """
    large = {value for value, aval in enumerate(graph.avals) if aval.size >= LARGE}
    large -= {*graph.inputs, *graph.constants}
    if not large or not large.isdisjoint(graph.outputs):
        return []
    found = {n for n, e in enumerate(graph.eqns) if not large.isdisjoint((*e.inputs, *e.outputs))}
    before, after = _ancestors(graph, found), _descendants(graph, found)
    return sorted(found | (before & after))


def _descendants(graph: Graph, members: set[int]) -> set[int]:
    made: set[int] = set()
    found = set()
    for number, eqn in enumerate(graph.eqns):
        if number in members or not made.isdisjoint(eqn.inputs):
            made.update(eqn.outputs)
            found.add(number)
    return found


def _ancestors(graph: Graph, members: set[int]) -> set[int]:
    read: set[int] = set()
    found = set()
    for number in reversed(range(len(graph.eqns))):
        eqn = graph.eqns[number]
        if number in members or not read.isdisjoint(eqn.outputs):
            read.update(eqn.inputs)
            found.add(number)
    return found


def _rows(graph: Graph, members: list[int]) -> int:
    """Return the number of rows of the first product with a large result, or 0."""
    for number in members:
        eqn = graph.eqns[number]
        aval = graph.avals[eqn.outputs[0]]
        if eqn.op in (multiply_blocks, matmul) and aval.rank == 2:
            return aval.shape[0]
    return 0


@dataclass
class _Region:
    """The equations that are computed in parts, and the operands that are divided."""

    graph: Graph
    members: list[int]
    rows: int
    divided: dict[int, set[int]] = field(default_factory=dict)
    """For each member, the positions of the operands that have a row for each row of the result."""

    @property
    def eqns(self) -> Iterator[tuple[int, Eqn]]:
        return ((number, self.graph.eqns[number]) for number in self.members)

    def axes(self, value: int) -> int:
        """Return the number of axes that together are the rows, or 0."""
        shape = self.graph.avals[value].shape
        sizes = (math.prod(shape[:k]) for k in range(1, len(shape) + 1))
        return next((k for k, size in enumerate(sizes, 1) if size == self.rows), 0)

    def is_divisible(self) -> bool:
        """Return True if each member computes rows from rows. Find the operands to divide."""
        made: set[int] = set()
        for number, eqn in self.eqns:
            if not is_plain(eqn) or not self.axes(eqn.outputs[0]):
                return False
            found = self._operands(eqn)
            inside = {i for i, value in enumerate(eqn.inputs) if value in made}
            if found is None or not inside <= found:
                return False
            self.divided[number] = found
            made.update(eqn.outputs)
        return True

    def _operands(self, eqn: Eqn) -> set[int] | None:
        """Return the positions of operands with rows, or None if the rows are not independent."""
        attrs = dict(eqn.attrs)
        first, *_ = eqn.inputs
        axes = self.axes(eqn.outputs[0])
        if eqn.op.expr is not None:
            return self._of_elements(eqn, axes)
        if eqn.op is reshape:
            return {0} if self.axes(first) else None
        if self.axes(first) != axes:
            return None
        if eqn.op is multiply_blocks:
            return {0}
        if eqn.op is matmul:
            is_plain_product = self.graph.avals[first].rank == 2 and not attrs["transpose_a"]
            return {0} if is_plain_product else None
        if eqn.op is gather:
            return {0, 1} if attrs["batch_dims"] == attrs["axis"] == axes else None
        if eqn.op.name.startswith("reduce_"):
            return {0} if attrs["axes"][0] >= axes else None
        if eqn.op.name in ("argmax", "argmin"):
            return {0} if attrs["axis"] >= axes else None
        return None

    def _of_elements(self, eqn: Eqn, axes: int) -> set[int] | None:
        """Return the positions for an elementwise equation, which broadcasts its operands."""
        out = self.graph.avals[eqn.outputs[0]].shape
        found = set()
        for i, value in enumerate(eqn.inputs):
            shape = self.graph.avals[value].shape
            above = shape[: max(axes - (len(out) - len(shape)), 0)]
            if shape[:axes] == out[:axes] and len(shape) == len(out):
                found.add(i)
            elif math.prod(above) != 1:
                return None
        return found


class _Division:
    """The Graph with the members of a region in parts."""

    def __init__(self, region: _Region) -> None:
        self.region = region
        old = region.graph
        self.graph = Graph(old.avals[:], old.inputs, dict(old.constants), [], old.outputs)
        largest = max(old.avals[eqn.outputs[0]].size for _, eqn in region.eqns)
        most = max(region.rows * PART // largest, 1)
        size = 1 << (most.bit_length() - 1)  # products of a power of two are the fastest
        self.parts = [
            (begin, min(size, region.rows - begin)) for begin in range(0, region.rows, size)
        ]

    def result(self) -> Graph:
        """Add the equations in order. The region follows the last one that it depends on."""
        old, members = self.region.graph, {*self.region.members}
        before = _ancestors(old, members) - members
        late = [n for n in sorted(before) if n > self.region.members[0]]
        for number, eqn in enumerate(old.eqns):
            if number == self.region.members[0]:
                self.graph.eqns += [old.eqns[n] for n in late]
                self._add_region()
            if number not in members and number not in late:
                self.graph.eqns.append(eqn)
        return self.graph

    def _add_region(self) -> None:
        members = {*self.region.members}
        eqns = self.region.graph.eqns
        read = {v for n, eqn in enumerate(eqns) if n not in members for v in eqn.inputs}
        read |= {*self.region.graph.outputs}
        made = [eqn.outputs[0] for _, eqn in self.region.eqns]
        whole: dict[int, list[int]] = {value: [] for value in made if value in read}
        as_rows: dict[int, int] = {}
        for begin, size in self.parts:
            values = self._part(begin, size, as_rows)
            for value, parts in whole.items():
                rest = self._row_shape(value)
                parts.append(self._apply(reshape, values[value], shape=(size, *rest)))
        for value, parts in whole.items():
            self._join(value, parts)

    def _part(self, begin: int, size: int, as_rows: dict[int, int]) -> dict[int, int]:
        """Add the equations of some rows. Return the new values by the old ones."""
        made: dict[int, int] = {}
        for number, eqn in self.region.eqns:
            operands = list(eqn.inputs)
            for i in self.region.divided[number]:
                value = operands[i]
                if value not in made:
                    made[value] = self._slice(value, begin, size, as_rows)
                operands[i] = made[value]
            attrs = eqn.attrs
            if eqn.op is reshape:
                attrs = (("shape", self._shape(eqn.outputs[0], size)),)
            made[eqn.outputs[0]] = self.graph.add_eqn(eqn.op, operands, attrs, eqn.line)
        return made

    def _slice(self, value: int, begin: int, size: int, as_rows: dict[int, int]) -> int:
        """Add the rows of an operand. `as_rows` has the operands with one axis of rows."""
        rest = self._row_shape(value)
        if value not in as_rows:
            as_rows[value] = self._apply(reshape, value, shape=(self.region.rows, *rest))
        found = self._apply(
            strided_slice,
            as_rows[value],
            begin=(begin, *[0] * len(rest)),
            size=(size, *rest),
            strides=(1,) * (1 + len(rest)),
        )
        return self._apply(reshape, found, shape=self._shape(value, size))

    def _join(self, value: int, parts: list[int]) -> None:
        """Add the value that readers outside of the region need."""
        joined = self._apply(concat, *parts, axis=0)
        attrs = (("shape", self.graph.avals[value].shape),)
        self.graph.eqns.append(Eqn(reshape, (joined,), (value,), attrs))

    def _row_shape(self, value: int) -> Shape:
        return self.graph.avals[value].shape[self.region.axes(value) :]

    def _shape(self, value: int, size: int) -> Shape:
        """Return the shape of some rows of a value, with as many axes as the value has."""
        return (*[1] * (self.region.axes(value) - 1), size, *self._row_shape(value))

    def _apply(self, op: Op, *values: int, **attrs: object) -> int:
        shape = self.graph.avals[values[0]].shape
        if op is reshape and attrs["shape"] == shape:
            return values[0]
        return self.graph.add_eqn(op, values, tuple(attrs.items()))
