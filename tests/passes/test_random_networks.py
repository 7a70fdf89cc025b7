"""Random networks: layers with weights, scales, biases, reshapes and transposes between them."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings, strategies as st
from passes.sketch import Sketch

from tfpy._src.compiler.ir.aval import Shape
from tfpy._src.compiler.ir.evaluate import evaluate
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.ir.verify import verify
from tfpy._src.compiler.lower.target import NumpyTarget
from tfpy._src.compiler.passes.pipeline import optimize_with_weights

WINDOW = {"strides": (1, 1), "dilations": (1, 1), "padding": ((1, 1), (1, 1))}


class _Network:
    """A Graph of 14 layers over an image. Inputs after the first one are weights."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.sketch = Sketch((2, 4, 4, 4))
        self.x = 0
        kept = []
        for _ in range(14):
            layers = (self.product, self.scale, self.scale, self.shift, self.shift, self.moved)
            self.x = self.one_of((*layers, self.activation, self.reduced))()
            if self.rng.random() < 0.1:
                kept.append(self.x)
        self.graph = self.sketch.returns(*kept, self.x)

    def one_of(self, options: Any) -> Any:
        return options[self.rng.integers(len(options))]

    @property
    def shape(self) -> Shape:
        return self.sketch.builder.aval(self.x).shape

    def weight(self, *shape: int) -> int:
        graph = self.sketch.graph
        return graph.add_input(type(graph.avals[0])(shape, graph.avals[0].dtype))

    def vector(self) -> int:
        """Return a number, or a vector with an element for each channel, in a random rank."""
        shape = self.one_of(((), (1,), self.shape[-1:], (1, *self.shape[-1:])))
        return self.weight(*shape[-len(self.shape) :] if shape else ())

    def product(self) -> int:
        channels = self.shape[-1]
        if len(self.shape) == 4 and self.rng.random() < 0.5:
            return self.sketch("conv2d", self.x, self.weight(3, 3, channels, 4), **WINDOW)
        if len(self.shape) == 4 and self.rng.random() < 0.5:
            return self.sketch("depthwise_conv2d", self.x, self.weight(3, 3, channels, 1), **WINDOW)
        if len(self.shape) < 2:
            return self.activation()
        flag = bool(self.rng.integers(2))
        matrix = self.weight(4, channels) if flag else self.weight(channels, 4)
        rows = self.sketch("reshape", self.x, shape=(int(np.prod(self.shape[:-1])), channels))
        y = self.sketch("matmul", rows, matrix, transpose_a=False, transpose_b=flag)
        return self.sketch("reshape", y, shape=(*self.shape[:-1], 4))

    def scale(self) -> int:
        return self.sketch(self.one_of(("multiply", "real_div")), self.x, self.vector())

    def shift(self) -> int:
        pair = (self.x, self.vector())
        if self.rng.random() < 0.3:
            return self.sketch("add", *pair[::-1])
        return self.sketch(self.one_of(("add", "subtract")), *pair)

    def activation(self) -> int:
        return self.sketch(self.one_of(("relu", "sigmoid", "abs", "negative")), self.x)

    def moved(self) -> int:
        if self.rng.random() < 0.5:
            perm = self.rng.permutation(len(self.shape)).tolist()
            return self.sketch("transpose", self.x, perm=tuple(perm))
        size = int(np.prod(self.shape))
        last = self.shape[-1]
        shapes = [(size // last, last), (2, size // last // 2, last), (size,), self.shape[::-1]]
        whole = [shape for shape in shapes if np.prod(shape) == size]
        return self.sketch("reshape", self.x, shape=self.one_of(whole))

    def reduced(self) -> int:
        if len(self.shape) < 3:
            return self.shift()
        axis = int(self.rng.integers(len(self.shape)))
        y = self.sketch("reduce_max", self.x, axes=(axis, axis + 1))
        kept = tuple(1 if i == axis else n for i, n in enumerate(self.shape))
        return self.sketch("subtract", self.x, self.sketch("reshape", y, shape=kept))


def _arrays(graph: Graph) -> list[Any]:
    rng = np.random.default_rng(1)
    return [rng.uniform(0.5, 1.5, graph.avals[i].shape).astype(np.float32) for i in graph.inputs]


@settings(max_examples=150)
@given(seed=st.integers(0, 2**32 - 1), has_weights=st.booleans())
def test_same_values_up_to_rounding(seed: int, has_weights: bool) -> None:
    graph = _Network(seed).graph
    weights = range(1, len(graph.inputs)) if has_weights else ()
    prelude, main = optimize_with_weights(graph, NumpyTarget(), weights)
    verify(main)
    inputs = _arrays(graph)
    computed = []
    if prelude.outputs:
        verify(prelude)
        computed = evaluate(prelude, [inputs[i] for i in weights])
    for a, b in zip(evaluate(graph, inputs), evaluate(main, [*inputs, *computed]), strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-3, atol=1e-4 * (1 + np.abs(a).max()))
