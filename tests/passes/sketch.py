"""Making Graphs for tests of passes, and checking what passes make of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tfpy import dtypes
from tfpy.ir.evaluate import evaluate
from tfpy.ir.graph import Aval, Graph, Shape
from tfpy.ir.verify import verify
from tfpy.ops import OPS
from tfpy.passes.rewrite import Builder

Array = np.ndarray[Any, Any]
Pass = Callable[[Graph], Graph]


class Sketch:
    """A Graph under construction; values are numbers."""

    def __init__(self, *inputs: Shape | tuple[Shape, dtypes.DType]) -> None:
        self.builder = Builder()
        self.graph = self.builder.graph
        for one in inputs:
            shaped = len(one) == 2 and isinstance(one[1], dtypes.DType)
            shape, dtype = one if shaped else (one, dtypes.float32)
            self.graph.add_input(Aval(shape, dtype))  # type: ignore[arg-type]

    def __call__(self, op: str, *values: Any, **attrs: Any) -> int:
        """An equation; operands are values, or arrays and Python floats that become constants."""
        operands = [v if isinstance(v, int) else self.constant(v) for v in values]
        return self.builder.apply(OPS[op], *operands, **attrs)

    def constant(self, array: Any) -> int:
        array = np.asarray(array, np.float32 if isinstance(array, float) else None)
        return self.builder.add_constant(array, dtypes.as_dtype(array.dtype))

    def returns(self, *values: int) -> Graph:
        self.graph.outputs = list(values)
        return self.graph


def lines(graph: Graph) -> list[str]:
    """The printed Graph without its first line and without constants."""
    text = [line.strip() for line in str(graph).splitlines()[1:]]
    return [line for line in text if not line.endswith("= constant")]


def draw_inputs(graph: Graph, rng: np.random.Generator) -> list[Array]:
    """Arrays for the Graph's inputs, with some special values among the floats."""
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
    return np.where(rng.random(aval.shape) < 0.25, special, array)


def check(graph: Graph, *passes: Pass, inputs: Sequence[Array] | None = None) -> Graph:
    """Applies the passes; each gives a valid Graph with the same inputs and the same bits."""
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
    """Equal shapes, dtypes and values, -0.0 and 0.0 told apart, all NaN alike."""
    assert before.dtype == after.dtype
    np.testing.assert_array_equal(after, before)
    if before.dtype.kind == "f":
        known = ~np.isnan(before)
        np.testing.assert_array_equal(np.signbit(after)[known], np.signbit(before)[known])


def becomes(graph: Graph, function: Pass, *expected: str) -> None:
    """The pass makes these lines of the Graph, and they mean the same."""
    assert lines(check(graph, function)) == list(expected)


_NUMBERS = (0.0, -0.0, 1.0, -1.0, 2.0, 0.25, 3.0, float("inf"), float("-inf"))
_UNARY = ("negative", "abs", "square", "relu", "relu6", "floor", "round", "sign", "exp")
_BINARY = ("add", "subtract", "multiply", "real_div", "maximum", "minimum", "pow")
_SHAPE = (2, 1, 3)


@st.composite
def graphs(draw: Any) -> Graph:
    """A Graph of some equations over two inputs: elementwise, movement, reductions, choices."""
    sketch = Sketch(_SHAPE, _SHAPE)
    values = [0, 1]

    def shape_of(value: int) -> Shape:
        return sketch.builder.aval(value).shape

    def pick() -> int:
        return draw(st.sampled_from(values))

    def elementwise() -> int:
        if draw(st.booleans()):
            return sketch(draw(st.sampled_from(_UNARY)), pick())
        x = pick()
        same = [v for v in values if shape_of(v) == shape_of(x)]
        y: Any = draw(st.sampled_from([*same, *_NUMBERS]))
        if isinstance(y, float) and draw(st.booleans()):
            y = np.full(shape_of(x), y, np.float32)
        pair = (y, x) if draw(st.booleans()) else (x, y)
        return sketch(draw(st.sampled_from(_BINARY)), *pair)

    def movement() -> int:
        x = pick()
        shape = shape_of(x)
        kind = draw(
            st.sampled_from(("transpose", "reshape", "slice", "pad", "concat", "broadcast"))
        )
        if kind == "transpose":
            return sketch("transpose", x, perm=tuple(draw(st.permutations(range(len(shape))))))
        if kind == "reshape":
            return sketch("reshape", x, shape=tuple(draw(st.permutations(shape))))
        if kind == "slice":
            begin = tuple(draw(st.integers(0, n - 1)) for n in shape)
            size = tuple(draw(st.integers(1, n - b)) for n, b in zip(shape, begin, strict=True))
            return sketch("strided_slice", x, begin=begin, size=size, strides=(1,) * len(shape))
        if kind == "pad":
            padding = tuple((draw(st.integers(0, 1)), draw(st.integers(0, 1))) for _ in shape)
            value = draw(st.sampled_from((0, 1)))
            return sketch("pad", x, padding=padding, interior=(0,) * len(shape), value=value)
        if kind == "concat":
            axis = draw(st.integers(0, len(shape) - 1))
            return sketch("concat", *[x] * draw(st.integers(1, 2)), axis=axis)
        grown = tuple(3 if n == 1 and draw(st.booleans()) else n for n in shape)
        return sketch("broadcast_to", x, shape=grown)

    def choice() -> int:
        x = pick()
        condition = sketch("greater", x, draw(st.sampled_from(_NUMBERS)))
        if draw(st.booleans()):
            condition = sketch("logical_not", condition)
        return sketch("select", condition, x, draw(st.sampled_from(_NUMBERS)))

    def reduction() -> int:
        x = pick()
        begin = draw(st.integers(0, len(shape_of(x)) - 1))
        end = draw(st.integers(begin + 1, len(shape_of(x))))
        result = sketch(draw(st.sampled_from(("reduce_max", "reduce_min"))), x, axes=(begin, end))
        kept = tuple(1 if begin <= i < end else n for i, n in enumerate(shape_of(x)))
        return sketch("reshape", result, shape=kept)

    kinds = st.sampled_from((elementwise, elementwise, movement, movement, choice, reduction))
    for _ in range(draw(st.integers(1, 10))):
        made = draw(kinds)()
        if sketch.builder.aval(made).size <= 4096:
            values.append(made)
    return sketch.returns(
        *draw(st.lists(st.sampled_from(values[2:] or [0]), min_size=1, max_size=2))
    )
