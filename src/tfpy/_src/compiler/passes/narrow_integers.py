"""Integers of 8 and 16 bits, computed as int32 on devices that do not store them.

Quantized models use them between operations in floats. Otherwise each of them would cut the Graph
into the part before, a step on the host, and the part after.
"""

from __future__ import annotations

from collections.abc import Set

import numpy as np

from tfpy._src.base.dtypes import DType, float32, int8, int16, int32, uint8, uint16
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.ops.bitwise import bitwise_and
from tfpy._src.compiler.ops.casting import cast
from tfpy._src.compiler.ops.elementwise import add, maximum, minimum, multiply, subtract
from tfpy._src.compiler.ops.indexing import gather
from tfpy._src.compiler.ops.logic import (
    equal,
    greater,
    greater_equal,
    less,
    less_equal,
    not_equal,
    select,
)
from tfpy._src.compiler.passes.rewrite import Builder, is_plain

NARROW = frozenset((int8, uint8, int16, uint16))
_BYTES = frozenset((int8, uint8))

_KEEPS = frozenset(
    (maximum, minimum, select, gather, equal, not_equal, less, less_equal, greater, greater_equal)
)
"""Ops that only return numbers from their operands, or bool."""
_MOVES = "movement"
"""Family of ops that only return numbers from their operands."""
_WRAPS = frozenset((add, subtract, multiply))
"""Ops with low bits that depend only on the low bits of the operands."""


def widen_narrow_integers(graph: Graph, stored: Set[DType]) -> Graph:
    """Compute int8, uint8, int16 and uint16 as int32 on a device.

    The rewrite begins where numbers that a device stores are cast. It continues through ops that
    move and compare elements, add and multiply. It ends where the numbers are cast back, or where
    another op or an output of the Graph needs them in their dtype; the host computes that cast. ::

            %2:int32[4] = cast(%1)          %2:int32[4] = cast(%1)
            %3:int8[4] = cast(%2)      ->   %3:int32[4] = wrapped(%2)   (to -128..127)
            %4:float32[4] = cast(%3)        %4:float32[4] = cast(%3)

    Args:
        stored: Dtypes that the device stores.
    """
    if stored >= NARROW or not any(_begins(graph, eqn, stored) for eqn in graph.eqns):
        return graph
    found = _Widened(graph, stored)
    for eqn in graph.eqns:
        found.add(eqn)
    for value in graph.outputs:
        found.narrow(value)
    return found.graph


def _begins(graph: Graph, eqn: Eqn, stored: Set[DType]) -> bool:
    """Return True if an equation casts a value of a device to a narrow integer dtype.

    Floats beyond int32 wrap around by way of int64. Their low byte is 0 both ways, but the next
    byte may differ, so float32 counts only if it is cast to bytes.
    """
    if eqn.op is not cast:
        return False
    before, after = (graph.avals[v].dtype for v in (*eqn.inputs, *eqn.outputs))
    if after not in NARROW or before not in stored or before.is_complex:
        return False
    return before != float32 or after in _BYTES


class _Widened:
    """The Graph under construction."""

    def __init__(self, graph: Graph, stored: Set[DType]) -> None:
        self._builder = Builder(graph)
        self._builder.graph.outputs = graph.outputs
        self._stored = stored
        self._wide: dict[int, int] = {}
        """Narrow values and the same values in int32. Only the latter exist until `narrow` is
        called."""
        self._there: set[int] = set()
        """Narrow values that also exist in their own dtype."""

    @property
    def graph(self) -> Graph:
        return self._builder.graph

    def add(self, eqn: Eqn) -> None:
        """Add an equation of the old Graph."""
        if _begins(self.graph, eqn, self._stored):
            self._made(eqn, self._builder.apply(cast, *eqn.inputs, dtype=int32), wraps=True)
        elif self._wide.keys().isdisjoint(eqn.inputs):
            self._builder.keep(eqn)
        elif eqn.op is cast:
            self._cast(eqn)
        elif is_plain(eqn) and self._computes(eqn):
            inputs = [self._widened(v) for v in eqn.inputs]
            self._made(eqn, self._builder.add(eqn.op, inputs, eqn.attrs), eqn.op in _WRAPS)
        else:
            for value in eqn.inputs:
                self.narrow(value)
            self._builder.keep(eqn)

    def narrow(self, value: int) -> None:
        """Make a value available in its own dtype."""
        if value in self._wide and value not in self._there:
            self._there.add(value)
            attrs = (("dtype", self.graph.avals[value].dtype),)
            self._builder.keep(Eqn(cast, (self._wide[value],), (value,), attrs))

    def _computes(self, eqn: Eqn) -> bool:
        return eqn.op.family == _MOVES or eqn.op in _KEEPS or eqn.op in _WRAPS

    def _cast(self, eqn: Eqn) -> None:
        (value,), (output,) = eqn.inputs, eqn.outputs
        dtype = self.graph.avals[output].dtype
        if dtype in NARROW:
            self._made(eqn, self._wide[value], wraps=True)
        elif dtype in self._stored:
            self._builder.keep(eqn._replace(op=cast, inputs=(self._wide[value],)))
        else:
            self.narrow(value)
            self._builder.keep(eqn)

    def _widened(self, value: int) -> int:
        """Return a narrow operand in int32, and others unchanged."""
        if self.graph.avals[value].dtype not in NARROW:
            return value
        if value not in self._wide:
            array = self._builder.constant(value)
            self._wide[value] = (
                self._builder.apply(cast, value, dtype=int32)
                if array is None
                else self._builder.add_constant(array.astype(np.int32), int32)
            )
            self._there.add(value)
        return self._wide[value]

    def _made(self, eqn: Eqn, value: int, wraps: bool) -> None:
        """Record which value is an equation's output in int32; other outputs stay."""
        (output,) = eqn.outputs
        dtype = self.graph.avals[output].dtype
        if dtype in NARROW:
            self._wide[output] = self._wrapped(value, dtype) if wraps else value
        else:
            self._builder.graph.eqns[-1] = self._builder.graph.eqns[-1]._replace(outputs=(output,))

    def _wrapped(self, value: int, dtype: DType) -> int:
        """Return the number that the low bits of an int32 represent."""
        apply, bits = self._builder.apply, 8 * dtype.size
        mask = self._number((1 << bits) - 1)
        if not dtype.name.startswith("int"):
            return apply(bitwise_and, value, mask)
        half = self._number(1 << bits - 1)
        return apply(subtract, apply(bitwise_and, apply(add, value, half), mask), half)

    def _number(self, value: int) -> int:
        return self._builder.add_constant(np.array(value, np.int32), int32)
