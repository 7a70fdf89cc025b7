"""Broadcasting, indexing, reductions and windows of random shapes.

The results are compared with NumPy and TensorFlow.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf
from hypothesis import assume, given, strategies as st
from hypothesis.extra import numpy as hnp

import tfpy

SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)


def counting(shape: tuple[int, ...]) -> Any:
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


@given(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=5, max_side=4))
def test_broadcasting(shapes: Any) -> None:
    x, y = (counting(s) for s in shapes.input_shapes)
    result = tfpy.constant(x) * tfpy.constant(y)
    assert tuple(result.shape) == shapes.result_shape
    np.testing.assert_array_equal(result.numpy(), x * y)


@given(hnp.mutually_broadcastable_shapes(num_shapes=3, max_dims=4, max_side=3))
def test_select_broadcasts(shapes: Any) -> None:
    c, x, y = (counting(s) for s in shapes.input_shapes)
    result = tfpy.where(c % 2 == 0, x, -y)
    np.testing.assert_array_equal(result.numpy(), np.where(c % 2 == 0, x, -y))


@given(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=4, max_side=3))
def test_gradients_of_broadcast_inputs(shapes: Any) -> None:
    arrays = [counting(s) + 1 for s in shapes.input_shapes]
    results = []
    for lib in (tfpy, tf):
        x, y = (lib.constant(a) for a in arrays)
        with lib.GradientTape() as tape:
            tape.watch([x, y])
            z = lib.sin(x) * y
        results.append([g.numpy() for g in tape.gradient(z, [x, y])])
    for mine, wanted in zip(*results, strict=True):
        np.testing.assert_allclose(mine, wanted, rtol=1e-4, atol=1e-4)


@st.composite
def shape_and_key(draw: st.DrawFn) -> tuple[tuple[int, ...], Any]:
    """Draw a shape and a basic index of it, with None and Ellipsis."""
    shape = draw(hnp.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=5))
    key = draw(hnp.basic_indices(shape, min_dims=0, max_dims=6, allow_newaxis=True))
    return shape, key


@given(shape_and_key())
def test_indexing(case: tuple[tuple[int, ...], Any]) -> None:
    shape, key = case
    x = counting(shape)
    result = tfpy.constant(x)[key]
    assert tuple(result.shape) == x[key].shape
    np.testing.assert_array_equal(result.numpy(), x[key])


@given(shape_and_key())
def test_gradient_of_indexing(case: tuple[tuple[int, ...], Any]) -> None:
    shape, key = case
    x = tfpy.constant(counting(shape))
    with tfpy.GradientTape() as tape:
        tape.watch(x)
        y = x[key] * 2.0
    wanted = np.zeros(shape, np.float32)
    wanted[key] = 2
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), wanted)


REDUCTIONS = ("reduce_sum", "reduce_prod", "reduce_max", "reduce_min", "reduce_mean")


@given(st.data(), SHAPES, st.sampled_from(REDUCTIONS), st.booleans())
def test_reductions(data: Any, shape: tuple[int, ...], name: str, keepdims: bool) -> None:
    axes = data.draw(
        st.none()
        | st.lists(st.integers(-len(shape), len(shape) - 1), unique_by=lambda a: a % len(shape))
        if shape
        else st.none()
    )
    x = counting(shape) / 8 + 0.5
    mine = getattr(tfpy, name)(x, axis=axes, keepdims=keepdims)
    wanted = getattr(tf, name)(x, axis=axes, keepdims=keepdims)
    assert tuple(mine.shape) == tuple(wanted.shape)
    np.testing.assert_allclose(mine.numpy(), wanted.numpy(), rtol=1e-4)


@given(st.data(), hnp.array_shapes(min_dims=1, max_dims=5, min_side=1, max_side=4))
def test_transposes(data: Any, shape: tuple[int, ...]) -> None:
    perm = data.draw(st.permutations(range(len(shape))))
    x = counting(shape)
    np.testing.assert_array_equal(tfpy.transpose(x, perm).numpy(), np.transpose(x, perm))


@given(st.data(), hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=4))
def test_pads(data: Any, shape: tuple[int, ...]) -> None:
    mode = data.draw(st.sampled_from(["CONSTANT", "REFLECT", "SYMMETRIC"]))
    most = {"CONSTANT": 3, "REFLECT": min(shape) - 1, "SYMMETRIC": min(shape)}[mode]
    amount = st.integers(0, most)
    paddings = [[data.draw(amount), data.draw(amount)] for _ in shape]
    x = counting(shape)
    mine, wanted = (lib.pad(x, paddings, mode).numpy() for lib in (tfpy, tf))
    np.testing.assert_array_equal(mine, wanted)


@given(st.data(), hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=4))
def test_gathers(data: Any, shape: tuple[int, ...]) -> None:
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    picks = hnp.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=3)
    indices = data.draw(hnp.arrays(np.int32, picks, elements=st.integers(0, shape[axis] - 1)))
    x = counting(shape)
    result = tfpy.gather(x, indices, axis=axis)
    np.testing.assert_array_equal(result.numpy(), np.take(x, indices, axis))


SMALL = st.integers(1, 3)
WINDOWS = {
    "images": st.tuples(st.integers(1, 2), st.integers(1, 8), st.integers(1, 8), SMALL),
    "filter": st.tuples(SMALL, SMALL, SMALL),
    "strides": st.tuples(SMALL, SMALL),
    "padding": st.sampled_from(["SAME", "VALID"]),
}


def fits(shape: Any, ksize: Any, padding: str, dilations: Any = (1, 1)) -> bool:
    """Return True if VALID has at least one output."""
    reach = [(k - 1) * d + 1 for k, d in zip(ksize, dilations, strict=True)]
    return padding == "SAME" or (shape[1] >= reach[0] and shape[2] >= reach[1])


@given(**WINDOWS, dilations=st.tuples(SMALL, SMALL))
def test_conv2d(images: Any, filter: Any, strides: Any, padding: str, dilations: Any) -> None:
    assume(fits(images, filter[:2], padding, dilations))
    dilations = dilations if strides == (1, 1) else (1, 1)
    x = np.sin(counting(images))
    f = np.cos(counting((*filter[:2], images[3], filter[2])))
    mine, wanted = (
        lib.nn.conv2d(x, f, strides, padding, dilations=dilations).numpy() for lib in (tfpy, tf)
    )
    assert mine.shape == wanted.shape
    np.testing.assert_allclose(mine, wanted, rtol=1e-4, atol=1e-4)


@given(**WINDOWS)
def test_conv2d_transpose(images: Any, filter: Any, strides: Any, padding: str) -> None:
    assume(fits(images, filter[:2], padding))
    f = np.cos(counting((*filter[:2], images[3], filter[2])))
    small = tf.nn.conv2d(np.zeros(images, np.float32), f, strides, padding).shape
    y = np.sin(counting(tuple(small)))
    mine, wanted = (
        lib.nn.conv2d_transpose(y, f, images, strides, padding).numpy() for lib in (tfpy, tf)
    )
    np.testing.assert_allclose(mine, wanted, rtol=1e-4, atol=1e-4)


@given(**WINDOWS, kind=st.sampled_from(["max_pool2d", "avg_pool2d"]))
def test_pools(images: Any, filter: Any, strides: Any, padding: str, kind: str) -> None:
    assume(fits(images, filter[:2], padding))
    x = np.sin(counting(images))
    results = []
    for lib in (tfpy, tf):
        v = lib.constant(x)
        with lib.GradientTape() as tape:
            tape.watch(v)
            y = getattr(lib.nn, kind)(v, filter[:2], strides, padding)
        results.append((y.numpy(), tape.gradient(y, v).numpy()))
    for mine, wanted in zip(*results, strict=True):
        np.testing.assert_allclose(mine, wanted, rtol=1e-4, atol=1e-4)


@given(
    st.lists(st.integers(1, 3), max_size=2),
    st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 4)),
    st.booleans(),
    st.booleans(),
)
def test_matmul(batch: list[int], sizes: tuple[int, int, int], ta: bool, tb: bool) -> None:
    m, k, n = sizes
    a = np.sin(counting((*batch, *((k, m) if ta else (m, k)))))
    b = np.cos(counting((n, k) if tb else (k, n)))
    mine, wanted = (lib.matmul(a, b, transpose_a=ta, transpose_b=tb).numpy() for lib in (tfpy, tf))
    assert mine.shape == wanted.shape
    np.testing.assert_allclose(mine, wanted, rtol=1e-4, atol=1e-4)
