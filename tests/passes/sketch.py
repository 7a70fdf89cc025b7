"""Construction of Graphs for tests of passes, and checks of the results of passes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfpy import dtypes
from tfpy._src.compiler.ir.aval import Aval, Shape
from tfpy._src.compiler.ir.evaluate import evaluate
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.ir.verify import verify
from tfpy._src.compiler.ops import OPS
from tfpy._src.compiler.passes.rewrite import Builder

Array = np.ndarray[Any, Any]
Pass = Callable[[Graph], Graph]


class Sketch:
    """A Graph under construction. Values are numbers."""

    def __init__(self, *inputs: Shape | tuple[Shape, dtypes.DType]) -> None:
        self.builder = Builder(Graph())
        self.graph = self.builder.graph
        for one in inputs:
            shaped = len(one) == 2 and isinstance(one[1], dtypes.DType)
            shape, dtype = one if shaped else (one, dtypes.float32)
            self.graph.add_input(Aval(shape, dtype))  # type: ignore[arg-type]

    def __call__(self, op: str, *values: Any, **attrs: Any) -> int:
        """Add an equation.

        Operands are values, or arrays and Python floats that become constants.
        """
        operands = [v if isinstance(v, int) else self.constant(v) for v in values]
        return self.builder.apply(OPS[op], *operands, **attrs)

    def constant(self, array: Any) -> int:
        array = np.asarray(array, np.float32 if isinstance(array, float) else None)
        return self.builder.add_constant(array, dtypes.as_dtype(array.dtype))

    def returns(self, *values: int) -> Graph:
        self.graph.outputs = list(values)
        return self.graph


def lines(graph: Graph) -> list[str]:
    """Return the printed equations and outputs of a Graph."""
    text = str(graph).split(")\n", 1)[1].splitlines()
    return [line.strip() for line in text if " = constant" not in line]


def draw_inputs(graph: Graph, rng: np.random.Generator) -> list[Array]:
    """Return arrays for the Graph's inputs, with some special values among the floats."""
    return [_draw(graph.avals[i], rng) for i in graph.inputs]


def _draw(aval: Aval, rng: np.random.Generator) -> Array:
    if aval.dtype.is_bool:
        return rng.integers(0, 2, aval.shape).astype(bool)
    if aval.dtype.is_integer:
        return rng.integers(-9, 9, aval.shape).astype(np.int32)
    array = rng.normal(size=aval.shape).astype(np.float32)
    special = rng.choice(
        np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0], np.float32), aval.shape
    )
    return np.where(rng.random(aval.shape) < 0.5, special, array)


def check(graph: Graph, *passes: Pass, inputs: Sequence[Array] | None = None) -> Graph:
    """Apply passes. Each must return a valid Graph with the same inputs and the same bits."""
    text = str(graph)
    given = draw_inputs(graph, np.random.default_rng(5)) if inputs is None else inputs
    expected = evaluate(graph, given)
    result = graph
    for one in passes:
        result = one(result)
        verify(result)
    assert str(graph) == text, "a pass changed its argument"
    assert [result.avals[i] for i in result.inputs] == [graph.avals[i] for i in graph.inputs]
    for before, after in zip(expected, evaluate(result, given), strict=True):
        assert_same_bits(before, after)
    return result


def assert_same_bits(before: Array, after: Array) -> None:
    """Check shapes, dtypes and values, where -0.0 differs from 0.0 and all NaNs are equal."""
    assert before.dtype == after.dtype
    np.testing.assert_array_equal(after, before)
    if before.dtype.kind == "f":
        known = ~np.isnan(before)
        np.testing.assert_array_equal(np.signbit(after)[known], np.signbit(before)[known])


def becomes(graph: Graph, function: Pass, *expected: str) -> None:
    """Check that the pass turns the Graph into these equivalent lines."""
    assert lines(check(graph, function)) == list(expected)


_NUMBERS = (0.0, -0.0, 1.0, -1.0, 2.0, 0.25, 3.0, float("inf"), float("-inf"))
# NumPy rounds exp and pow differently for other strides of the operands, so they are excluded.
_UNARY = ("negative", "abs", "square", "relu", "relu6", "floor", "round", "sign")
_BINARY = ("add", "subtract", "multiply", "real_div", "maximum", "minimum")


def random_graph(seed: int) -> Graph:
    """Return a random Graph of 20 equations over two inputs.

    The equations are elementwise ops, movement, reductions and selections.
    """
    return _RandomGraph(np.random.default_rng(seed)).graph


class _RandomGraph:
    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        shape = (2, 1, 3, 2)
        self.sketch = Sketch(shape, shape)
        self.values = [0, 1]
        kinds = (self.unary, self.binary, self.binary, self.moved, self.moved, self.moved)
        for _ in range(20):
            made = self.one_of((*kinds, self.chosen, self.reduced))()
            if self.sketch.builder.aval(made).size <= 4096:
                self.values.append(made)
        read = {value for eqn in self.sketch.graph.eqns for value in eqn.inputs}
        unread = [value for value in self.values if value not in read]
        self.graph = self.sketch.returns(*unread)

    def one_of(self, options: Sequence[Any]) -> Any:
        return options[self.rng.integers(len(options))]

    def coin(self) -> bool:
        return bool(self.rng.integers(2))

    def shape(self, value: int) -> Shape:
        return self.sketch.builder.aval(value).shape

    def value(self) -> int:
        """Return one of the values, more often the last one."""
        return self.values[-1] if self.coin() else int(self.one_of(self.values))

    def unary(self) -> int:
        return self.sketch(self.one_of(_UNARY), self.value())

    def binary(self) -> int:
        x = self.value()
        y: Any = self.one_of(_NUMBERS)
        if self.coin():
            y = self.one_of([v for v in self.values if self.shape(v) == self.shape(x)])
        elif self.coin():
            y = np.full(self.shape(x), y, np.float32)
        return self.sketch(self.one_of(_BINARY), *((y, x) if self.coin() else (x, y)))

    def chosen(self) -> int:
        x = self.value()
        condition = self.sketch("greater", x, self.one_of(_NUMBERS))
        if self.coin():
            condition = self.sketch("logical_not", condition)
        return self.sketch("select", condition, x, self.one_of(_NUMBERS))

    def reduced(self) -> int:
        x = self.value()
        begin, end = np.sort(self.rng.choice(5, 2, replace=False)).tolist()
        y = self.sketch(self.one_of(("reduce_max", "reduce_min")), x, axes=(begin, end))
        kept = (1 if begin <= i < end else n for i, n in enumerate(self.shape(x)))
        return self.sketch("reshape", y, shape=tuple(kept))

    def moved(self) -> int:
        kinds = (self.transposed, self.transposed, self.reshaped, self.sliced, self.padded)
        return int(self.one_of((*kinds, self.joined, self.broadcast))(self.value()))

    def transposed(self, x: int) -> int:
        return self.sketch("transpose", x, perm=tuple(self.rng.permutation(4).tolist()))

    def reshaped(self, x: int) -> int:
        return self.sketch("reshape", x, shape=tuple(self.rng.permutation(self.shape(x)).tolist()))

    def sliced(self, x: int) -> int:
        begin = tuple(int(self.rng.integers(n)) for n in self.shape(x))
        sizes = zip(self.shape(x), begin, strict=True)
        size = tuple(int(self.rng.integers(1, n - b + 1)) for n, b in sizes)
        return self.sketch("strided_slice", x, begin=begin, size=size, strides=(1,) * 4)

    def padded(self, x: int) -> int:
        padding = tuple((int(self.rng.integers(2)), int(self.rng.integers(2))) for _ in range(4))
        value = self.one_of((0, 1))
        return self.sketch("pad", x, padding=padding, interior=(0,) * 4, value=value)

    def joined(self, x: int) -> int:
        same = [v for v in self.values if self.shape(v) == self.shape(x)]
        pieces = [x, self.one_of(same)] if self.coin() else [x]
        return self.sketch("concat", *pieces, axis=int(self.rng.integers(4)))

    def broadcast(self, x: int) -> int:
        grown = tuple(3 if n == 1 and self.coin() else n for n in self.shape(x))
        return self.sketch("broadcast_to", x, shape=grown)
