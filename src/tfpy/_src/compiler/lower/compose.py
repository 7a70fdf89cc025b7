"""Composition of several elementwise equations into one expression over one index space.

The space is the output's shape. Its dimensions are split where a reshape between the equations
requires it. An index map states where a value is read: for each dimension of the value, the
dimensions of the space along which it advances.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tfpy._src.base.dtypes import as_dtype
from tfpy._src.compiler.ir import expr as ex
from tfpy._src.compiler.ir.aval import Shape
from tfpy._src.compiler.ir.fusion import is_scalar_constant
from tfpy._src.compiler.ir.graph import Attrs, Eqn, Graph
from tfpy._src.compiler.ir.op import OPS, Op
from tfpy._src.compiler.ir.strides import View, dense_strides, dense_view


class Axis(NamedTuple):
    """The position along one dimension: `first` plus `step` times the position in `dims`."""

    dims: tuple[int, ...]
    """Dimensions of the space in row-major order, or none where the value is broadcast."""
    first: int = 0
    step: int = 1


IndexMap = tuple[Axis, ...]
_SINGLE = Axis(())


class NotComposable(Exception):
    """The equations read their operands at positions that one index space cannot express."""


@dataclass(frozen=True)
class Composition:
    """An expression.

    Its `input_(i)` is the value `reads[i][0]`, read through the view `reads[i][1]`.
    """

    root: ex.Expr
    reads: tuple[tuple[int, View], ...]
    """Values, with their views from `space`."""
    space: Shape
    """Shape with as many elements as the output, in the same order."""


def compose(graph: Graph, output: int, leaves: Collection[int], first: int = -1) -> Composition:
    """Return the value `output` as an expression of `leaves`. Scalar constants become numbers.

    Args:
        first: The leaf that is `input_(0)`. It is as large as the output.

    Raises:
        NotComposable: If a reshape does not align with the output's dimensions, or if an element of
            the output needs elements of `first` at other positions.
    """
    maps = IndexMaps(graph, output)
    members = []
    for eqn in reversed(graph.eqns):
        if eqn.outputs[0] in maps.of and eqn.outputs[0] not in leaves:
            maps.visit(eqn)
            members.append(eqn)
    reads: list[tuple[int, View]] = []
    if first >= 0:
        reads.append((first, dense_view(maps.space)))
    known: dict[tuple[int, IndexMap], ex.Expr] = {}

    def expression(value: int, index_map: IndexMap) -> ex.Expr:
        dtype = graph.avals[value].dtype
        if is_scalar_constant(graph, value):
            return ex.const(graph.constants[value].item(), dtype)
        if (value, index_map) in known:
            return known[value, index_map]
        read = (value, maps.view(value, index_map))
        if read not in reads:
            reads.append(read)
        found = known[value, index_map] = ex.input_(reads.index(read), dtype)
        return found

    for eqn in reversed(members):
        (out,) = eqn.outputs
        for index_map in maps.current(out):
            operands = [expression(v, maps.operand(index_map, v, eqn)) for v in eqn.inputs]
            known[out, index_map] = (
                ex.applied(eqn.op.expr, operands, eqn.attrs, graph.avals[out].dtype)
                if eqn.op.expr
                else operands[0]
            )
    if [value for value, _ in reads].count(first) > 1:
        raise NotComposable("the first operand is broadcast")
    (whole,) = maps.current(output)
    return Composition(expression(output, whole), tuple(reads), maps.space)


class IndexMaps:
    """The index maps of each value. Equations are visited from the output backwards."""

    def __init__(self, graph: Graph, output: int) -> None:
        self._graph = graph
        shape = graph.avals[output].shape
        self._rank = len(shape)
        self._sizes = list(shape)
        self._halves: dict[int, tuple[int, int]] = {}
        self.of: dict[int, list[IndexMap]] = {}
        """Index maps by value, at the time of their creation; see :meth:`current`."""
        self._read(output, tuple(Axis((d,)) if n != 1 else _SINGLE for d, n in enumerate(shape)))

    @property
    def space(self) -> Shape:
        return tuple(self._sizes[d] for d in self._halved(range(self._rank)))

    def view(self, value: int, index_map: IndexMap) -> View:
        """Return the view of a value's array from :attr:`space`."""
        strides, offset = dict.fromkeys(self._halved(range(self._rank)), 0), 0
        dense = dense_strides(self._graph.avals[value].shape)
        for axis, pitch in zip(index_map, dense, strict=True):
            offset += axis.first * pitch
            along = axis.step * pitch
            for d in reversed(self._halved(axis.dims)):
                strides[d] += along
                along *= self._sizes[d]
        return View(tuple(strides.values()), offset)

    def current(self, value: int) -> list[IndexMap]:
        """Return the distinct index maps of a value."""
        if not self._halves:
            return self.of[value]
        split = (
            tuple(axis._replace(dims=tuple(self._halved(axis.dims))) for axis in index_map)
            for index_map in self.of[value]
        )
        return list(dict.fromkeys(split))

    def operand(self, index_map: IndexMap, value: int, eqn: Eqn) -> IndexMap:
        """Return the index map of an input of `eqn` for the index map of its output.

        Raises:
            NotComposable: If a reshape or a slice cannot be expressed.
        """
        shape = self._graph.avals[value].shape
        if eqn.op.expr is not None and shape == self._graph.avals[eqn.outputs[0]].shape:
            return index_map
        if eqn.op.is_alias:
            return self._reshaped(index_map, shape)
        if eqn.op is OPS["strided_slice"]:
            return _sliced(index_map, **dict(eqn.attrs))
        own = index_map[len(index_map) - len(shape) :]
        return tuple(axis if n != 1 else _SINGLE for axis, n in zip(own, shape, strict=True))

    def visit(self, eqn: Eqn) -> None:
        """Add the index maps of the inputs.

        All equations that read the output must have been visited.

        Raises:
            NotComposable: If a reshape, a slice or an index cannot be expressed. Then nothing
                changes.
        """
        (out,) = eqn.outputs
        maps = self.current(out)
        if facts_of(self._graph, eqn).reads_index:
            whole = dense_view(self.space)
            if any(self.view(out, index_map) != whole for index_map in maps):
                raise NotComposable(f"{eqn.op.name} depends on the position in its own output")
        kept = dict(self._halves)
        try:
            found = [(v, self.operand(x, v, eqn)) for v in eqn.inputs for x in maps]
        except NotComposable:
            self._halves = kept
            raise
        for value, index_map in found:
            self._read(value, index_map)

    def _read(self, value: int, index_map: IndexMap) -> None:
        maps = self.of.setdefault(value, [])
        if index_map not in maps:
            maps.append(index_map)

    def _halved(self, dims: Iterable[int]) -> list[int]:
        """Return the dimensions, with split ones replaced by their halves."""
        found: list[int] = []
        for d in dims:
            if d in self._halves:
                found += self._halved(self._halves[d])
            elif self._sizes[d] != 1:
                found.append(d)
        return found

    def _reshaped(self, index_map: IndexMap, shape: Shape) -> IndexMap:
        """Group the same dimensions of the space by another shape."""
        rest = self._halved(d for axis in index_map for d in axis.dims)
        if math.prod(self._sizes[d] for d in rest) != math.prod(shape):
            raise NotComposable("only a part of a reshaped value is read")
        found: list[Axis] = []
        for n in shape:
            dims: list[int] = []
            while n > 1:
                d = rest.pop(0)
                size = self._sizes[d]
                if n % size == 0:
                    n //= size
                elif size % n == 0:
                    d, second = self._halve(d, n)
                    rest.insert(0, second)
                    n = 1
                else:
                    raise NotComposable(f"dimensions of {size} and {n} elements do not align")
                dims.append(d)
            found.append(Axis(tuple(dims)))
        return tuple(found)

    def _halve(self, d: int, n: int) -> tuple[int, int]:
        """Split a dimension into `n` times the rest."""
        first = len(self._sizes)
        self._sizes += [n, self._sizes[d] // n]
        self._halves[d] = first, first + 1
        return self._halves[d]


def _sliced(
    index_map: IndexMap, begin: Sequence[int], size: Sequence[int], strides: Sequence[int]
) -> IndexMap:
    """Return the index map of the operand of a strided slice."""
    found = []
    for axis, b, n, s in zip(index_map, begin, size, strides, strict=True):
        if s < 0 and n > 1:
            raise NotComposable("a slice runs backwards")
        found.append(Axis(axis.dims, b + s * axis.first, s * axis.step))
    return tuple(found)


@dataclass(frozen=True)
class Facts:
    """Facts of an elementwise equation's expression, for passes."""

    cost: int
    """Number of arithmetic operations; functions count as several."""
    reads_index: bool


_MOVEMENT = Facts(0, False)


def facts_of(graph: Graph, eqn: Eqn) -> Facts:
    """Return the facts of an elementwise equation."""
    if eqn.op.expr is None:
        return _MOVEMENT
    return _facts(eqn.op, eqn.attrs, *[graph.avals[v].dtype.name for v in eqn.inputs])


@functools.lru_cache(maxsize=4096)
def _facts(op: Op, attrs: Attrs, *dtypes: str) -> Facts:
    assert op.expr is not None
    operands = [ex.input_(i, as_dtype(dtype)) for i, dtype in enumerate(dtypes)]
    instructions, _ = ex.linearize(ex.applied(op.expr, operands, attrs, ex.F))
    cost = sum(ex.COSTS[instruction.op] for instruction in instructions)
    return Facts(cost, any(instruction.op == "index" for instruction in instructions))
