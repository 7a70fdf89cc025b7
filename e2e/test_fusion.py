"""Fused Graphs on every device backend compute the values of the Graph before the passes.

Graphs are optimized for the backend's own target and compiled by it, so that neither a shortcut nor
a fallback to the host can replace the kernels.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tfpy.testing import run_in_browser

CONV = {"strides": (1, 1), "dilations": (1, 1), "padding": ((1, 1), (1, 1))}
PRODUCT = {"transpose_a": False, "transpose_b": False}


class Builder:
    """A builder of Graphs: ``b("add", x, 1.0)``. Python floats become constants."""

    dtype: Callable[[str], Any]
    """Return the dtype of a name."""

    def __init__(self):
        from tfpy._src.compiler.ir.graph import Graph

        self.graph = Graph()

    def input(self, *shape, dtype="float32"):
        from tfpy._src.base.dtypes import as_dtype
        from tfpy._src.compiler.ir.aval import Aval

        return self.graph.add_input(Aval(shape, as_dtype(dtype)))

    def __call__(self, name, *operands, **attrs):
        from tfpy._src.base.dtypes import float32
        from tfpy._src.compiler.ir.aval import Aval
        from tfpy._src.compiler.ops import OPS

        values = [
            v
            if isinstance(v, int)
            else self.graph.add_constant(np.array(v, np.float32), Aval((), float32))
            for v in operands
        ]
        return self.graph.add_eqn(OPS[name], values, tuple(attrs.items()))


def chain(b):
    x, scale, bias = b.input(37, 64), b.input(64), b.input(37, 1)
    for _ in range(5):
        x = b("relu", b("add", b("multiply", x, scale), bias))
    return [x]


def shared(b):
    x = b.input(33, 257)
    e = b("exp", x)
    negative = b("negative", x)
    return [
        b("multiply", b("add", e, 1.0), b("subtract", e, 1.0)),
        b("sin", negative),
        b("cos", negative),
    ]


def shapes(b):
    x, bias, scale = b.input(6, 5, 7, 8), b.input(8), b.input(6, 1)
    rows = b("reshape", b("add", x, bias), shape=(6, 280))
    wide = b("broadcast_to", scale, shape=(6, 280))
    return [b("relu", b("multiply", rows, wide))]


def table(b):
    x = b.input(131)
    y = b("negative", x)
    return [b("subtract", b("reshape", y, shape=(131, 1)), b("multiply", y, x))]


def booleans(b):
    x, y, c = b.input(1001), b.input(1001), b.input(1001, dtype="bool")
    larger = b("logical_and", b("greater", x, y), c)
    return [b("select", larger, b("square", x), y), b("logical_not", larger)]


def convolution(b):
    y = b("conv2d", b.input(2, 33, 35, 8), b.input(3, 3, 8, 16), **CONV)
    return [b("relu6", b("add", y, b.input(16)))]


def residual(b):
    x = b.input(2, 16, 16, 16)
    y = b(
        "add",
        b("conv2d", x, b.input(1, 1, 16, 16), **CONV | {"padding": ((0, 0), (0, 0))}),
        b.input(16),
    )
    return [b("relu", b("add", y, x))]


def narrow_convolution(b):
    y = b("conv2d", b.input(2, 9, 9, 3), b.input(3, 3, 3, 5), **CONV)
    return [b("maximum", b("add", y, b.input(5)), -0.5)]


def depthwise(b):
    y = b("depthwise_conv2d", b.input(2, 17, 15, 12), b.input(3, 3, 12, 1), **CONV)
    return [b("relu", b("add", b.input(12), y))]


def dense(b):
    y = b("matmul", b.input(130, 64), b.input(64, 96), **PRODUCT)
    return [b("minimum", b("maximum", b("add", y, b.input(96)), -1.0), 1.0)]


def vector(b):
    y = b("matmul", b.input(1, 300), b.input(300, 65), **PRODUCT)
    return [b("relu", b("add", y, b.input(65)))]


def column(b):
    y = b("matmul", b.input(90, 300), b.input(300, 1), **PRODUCT)
    return [b("relu", b("add", y, b.input(1)))]


def batched(b):
    y = b("matmul", b.input(3, 20, 24), b.input(3, 24, 36), **PRODUCT)
    return [b("relu", b("add", y, b.input(36)))]


def gelu(b):
    y = b("add", b("matmul", b.input(70, 64), b.input(64, 128), **PRODUCT), b.input(128))
    half = b("multiply", y, 0.5)
    return [b("multiply", half, b("add", b("erf", b("multiply", y, 0.7071067811865476)), 1.0))]


def positive(b):
    y = b("matmul", b.input(40, 20), b.input(20, 30), **PRODUCT)
    return [b("greater", y, 0.0)]


def largest(b):
    x = b.input(19, 1000)
    place = b("argmax", b("multiply", x, -1.0), axis=1)
    return [b("add", b("cast", place, dtype=b.dtype("float32")), 0.5)]


def squares(b):
    x, mean = b.input(7, 1111), b.input(7, 1)
    total = b("reduce_sum", b("squared_difference", x, mean), axes=(1, 2))
    return [b("sqrt", b("multiply", total, 1 / 1111))]


def columns(b):
    total = b("reduce_sum", b("square", b.input(5, 300, 12)), axes=(1, 2))
    return [b("multiply", total, b.input(5, 12))]


def all_of_them(b):
    return [b("sqrt", b("reduce_max", b("abs", b.input(123457)), axes=(0, 1)))]


def pooled(b):
    y = b(
        "max_pool",
        b.input(2, 16, 16, 8),
        ksize=(2, 2),
        strides=(2, 2),
        dilations=(1, 1),
        padding=((0, 0), (0, 0)),
    )
    return [b("multiply", y, 2.0)]


def moved(b):
    y = b("transpose", b.input(5, 6, 7), perm=(2, 0, 1))
    return [b("exp", b("negative", y))]


def gates(b):
    z, c = b.input(6, 160), b.input(6, 40)
    parts = [
        b("strided_slice", z, begin=(0, 40 * i), size=(6, 40), strides=(1, 1)) for i in range(4)
    ]
    kept = b("multiply", b("sigmoid", parts[0]), c)
    new = b("add", kept, b("multiply", b("sigmoid", parts[1]), b("tanh", parts[2])))
    return [b("multiply", b("tanh", new), b("sigmoid", parts[3])), new]


def odd_slices(b):
    x, y = b.input(9, 11, 13), b.input(4, 1, 5)
    part = b("strided_slice", x, begin=(1, 3, 2), size=(4, 7, 5), strides=(2, 1, 2))
    return [b("exp", b("negative", b("multiply", part, y)))]


def joined(b):
    x = b("strided_slice", b.input(5, 6, 7), begin=(2, 0, 0), size=(1, 6, 7), strides=(1, 1, 1))
    return [b("concat", b("reshape", x, shape=(6, 7)), b.input(6, 3), b.input(6, 2), axis=1)]


def joined_texels(b):
    x = b("multiply", b.input(6, 8), b.input(6, 1))
    return [b("negative", b("concat", x, b.input(6, 4), axis=1))]


def sum_of_a_slice(b):
    x = b("strided_slice", b.input(9, 70), begin=(1, 3), size=(4, 33), strides=(2, 2))
    return [b("reduce_sum", x, axes=(1, 2))]


def slice_of_one(b):
    x, y = b.input(5, 64), b.input(33, 64)
    row = b(
        "reshape", b("strided_slice", x, begin=(3, 0), size=(1, 64), strides=(1, 1)), shape=(64,)
    )
    one = b("strided_slice", x, begin=(2, 7), size=(1, 1), strides=(1, 1))
    return [b("add", b("multiply", y, row), b("square", one))]


GRAPHS = {
    f.__name__: f
    for f in (
        chain,
        shared,
        shapes,
        table,
        booleans,
        convolution,
        residual,
        narrow_convolution,
        depthwise,
        dense,
        vector,
        column,
        batched,
        gelu,
        positive,
        largest,
        squares,
        columns,
        all_of_them,
        pooled,
        moved,
        gates,
        odd_slices,
        slice_of_one,
        joined,
        joined_texels,
        sum_of_a_slice,
    )
}


SEPARATE = {
    "webgl": set(),
    "webgpu": set(),
    "wasm": {
        "pooled",
        "positive",
        "columns",
        "all_of_them",
        "joined",
        "joined_texels",
        "sum_of_a_slice",
    },
}
"""Graphs that a backend runs as separate kernels."""


@pytest.mark.parametrize("name", sorted(GRAPHS))
@run_in_browser(backends=("wasm", "webgl", "webgpu"))
def test_values(tf, backend, name):
    from tfpy._src.backends import registry
    from tfpy._src.compiler.ir.evaluate import evaluate
    from tfpy._src.compiler.ir.fusion import fusion
    from tfpy._src.compiler.passes.pipeline import optimize

    device = registry.active_backend()
    builder = Builder()
    builder.dtype = tf.as_dtype
    builder.graph.outputs = GRAPHS[name](builder)
    graph = builder.graph
    rng = np.random.default_rng(5)
    avals = [graph.avals[v] for v in graph.inputs]
    drawn = [rng.uniform(-1, 1, a.shape) for a in avals]
    inputs = [
        (x > 0 if a.dtype == tf.bool else x.astype(a.dtype.as_numpy_dtype))
        for x, a in zip(drawn, avals, strict=True)
    ]
    expected = evaluate(graph, inputs)
    after = optimize(graph, device.target)
    assert any(eqn.op is fusion for eqn in after.eqns) == (name not in SEPARATE[backend]), after
    program = device.register(device.lower(after))
    slots = [device.upload(np.ascontiguousarray(x)) for x in inputs]
    first = device.run(program, *slots)
    got = [device.read(first + i, after.avals[v]) for i, v in enumerate(after.outputs)]
    device.free([*slots, *range(first, first + len(got))])
    device.release(program)
    for g, e in zip(got, expected, strict=True):
        assert g.dtype == e.dtype
        np.testing.assert_allclose(g, e, rtol=2e-4, atol=2e-4)
