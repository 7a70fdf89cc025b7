"""Random functions on tensors, refused calls and lost devices for a soak."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Function = Callable[..., Any]
"""A function of the module and the operands."""
Rng = np.random.Generator
SIZES = (1, 2, 3, 4, 7, 16, 33)
MOST = 4096
"""Approximate limit of the elements in the result of a function."""


def random_shape(rng: Rng) -> tuple[int, ...]:
    """Return a shape of rank 0 to 4; sometimes one with some hundreds of KiB."""
    if rng.random() < 0.04:
        return (256, 257)
    shape: list[int] = []
    for _ in range(rng.integers(0, 5)):
        size = int(rng.choice(SIZES))
        shape.append(size if np.prod(shape, dtype=int) * size <= MOST else 1)
    return tuple(shape)


def random_array(rng: Rng, shape: tuple[int, ...], dtype: str) -> Any:
    """Return values for which no function of this module overflows."""
    if dtype == "bool":
        return rng.random(shape) < 0.5
    if dtype == "int32":
        return rng.integers(-99, 100, shape).astype(np.int32)
    return rng.uniform(-2, 2, shape).astype(np.float32)


def _elementwise(rng: Rng, x: Any) -> Function:
    return [
        lambda tf, x: tf.tanh(x) * 1.5,
        lambda tf, x: tf.nn.relu(x) - 0.25,
        lambda tf, x: tf.exp(-tf.abs(x)),
        lambda tf, x: tf.sqrt(tf.abs(x) + 0.1),
        lambda tf, x: tf.sin(x) + tf.sigmoid(x),
        lambda tf, x: tf.clip_by_value(x * x, -2.0, 2.0),
        lambda tf, x: tf.where(x > 0.0, x, x * 0.1),
        lambda tf, x: tf.maximum(x, 0.5) / (1.0 + tf.square(x)),
    ][rng.integers(8)]


def _with_another(rng: Rng, x: Any) -> Function:
    """Return a function that computes with a constant, whose shape broadcasts."""
    shape = tuple(size if rng.random() < 0.6 else 1 for size in x.shape)
    y = random_array(rng, shape[rng.integers(0, x.ndim + 1) :], x.dtype.name)
    if x.dtype == bool:
        return lambda tf, x: tf.math.logical_xor(x, tf.constant(y))
    if x.dtype == np.int32:
        return [
            lambda tf, x: tf.minimum(x, tf.constant(y)) - 3,
            lambda tf, x: tf.math.floormod(x + tf.constant(y), 97),
        ][rng.integers(2)]
    return [
        lambda tf, x: (x + tf.constant(y)) * 0.5,
        lambda tf, x: x * tf.constant(y),
        lambda tf, x: tf.constant(y) - x,
        lambda tf, x: x / (tf.abs(tf.constant(y)) + 0.5),
    ][rng.integers(4)]


def _compared(rng: Rng, x: Any) -> Function:
    if x.dtype == bool:
        return lambda tf, x: tf.cast(x, tf.float32) - 0.5
    if x.dtype == np.int32:
        return lambda tf, x: tf.cast(x, tf.float32) * 0.01
    return lambda tf, x: x > 0.25


def _moved(rng: Rng, x: Any) -> Function:
    """Return a function that moves, drops or repeats elements."""
    order = rng.permutation(x.ndim).tolist()
    starts = [int(rng.integers(size)) for size in x.shape]
    ends = [int(rng.integers(start, size)) + 1 for start, size in zip(starts, x.shape, strict=True)]
    axis = int(rng.integers(x.ndim))
    rows = rng.integers(0, x.shape[axis], rng.integers(1, 9)).astype(np.int32)
    pads = rng.integers(0, 3, (x.ndim, 2)).tolist()
    functions: list[Function] = [
        lambda tf, x: tf.transpose(x, order),
        lambda tf, x: tf.reshape(x, [-1]),
        lambda tf, x: x[tuple(map(slice, starts, ends))],
        lambda tf, x: tf.gather(x, tf.constant(rows), axis=axis),
        lambda tf, x: tf.reverse(x, [axis]),
        lambda tf, x: tf.expand_dims(x, axis),
        lambda tf, x: tf.roll(x, 1, axis),
    ]
    if x.size < MOST:
        functions += [
            lambda tf, x: tf.pad(x, pads),
            lambda tf, x: tf.concat([x, x], axis),
            lambda tf, x: tf.stack([x, tf.zeros_like(x)]),
        ]
    return functions[rng.integers(len(functions))]


def _reduced(rng: Rng, x: Any) -> Function:
    axis, keep = int(rng.integers(x.ndim)), bool(rng.integers(2))
    if x.dtype == bool:
        return lambda tf, x: tf.reduce_any(x, axis, keepdims=keep)
    if x.dtype == np.int32:
        return lambda tf, x: tf.reduce_max(x, axis, keepdims=keep)
    return [
        lambda tf, x: tf.reduce_mean(x, axis, keepdims=keep),
        lambda tf, x: tf.reduce_max(x, axis, keepdims=keep),
        lambda tf, x: tf.reduce_sum(x, axis, keepdims=keep) / float(x.shape[axis]),
        lambda tf, x: tf.nn.softmax(x, axis) * 2.0,
        lambda tf, x: tf.cumsum(x, axis) / float(x.shape[axis]),
        lambda tf, x: tf.argmax(tf.round(x * 4.0), axis, output_type=tf.int32),
        lambda tf, x: tf.sort(x, axis=-1),
    ][rng.integers(7)]


def _multiplied(rng: Rng, x: Any) -> Function:
    """Return a product with a matrix, in some cases with a bias and an activation."""
    w = random_array(rng, (x.shape[-1], int(rng.choice(SIZES))), "float32") / np.sqrt(x.shape[-1])
    if rng.random() < 0.5:
        return lambda tf, x: tf.tensordot(x, tf.constant(w), 1)
    return lambda tf, x: tf.nn.relu(tf.tensordot(x, tf.constant(w), 1) + 0.1)


def _convolved(rng: Rng, x: Any) -> Function:
    """Return a convolution or a pooling of an image that consists of the elements."""
    channels = int(rng.integers(1, 4))
    side = max(2, min(12, int(np.sqrt(x.size / channels))))
    count = side * side * channels
    filters = random_array(rng, (3, 3, channels, int(rng.integers(1, 9))), "float32") / 4
    stride, padding = (
        int(rng.integers(1, 3)),
        str(rng.choice(["SAME", "VALID" if side > 2 else "SAME"])),
    )

    def picture(tf: Any, x: Any) -> Any:
        repeats = -(-count // x.shape.num_elements())
        return tf.reshape(
            tf.tile(tf.reshape(x, [-1]), [repeats])[:count], [1, side, side, channels]
        )

    return [
        lambda tf, x: tf.nn.conv2d(picture(tf, x), tf.constant(filters), stride, padding),
        lambda tf, x: tf.nn.max_pool2d(picture(tf, x), 2, stride, padding),
        lambda tf, x: tf.nn.avg_pool2d(picture(tf, x), 2, stride, padding),
    ][rng.integers(3)]


def random_function(rng: Rng, x: Any) -> Function:
    """Return a function that accepts tensors of this array's shape and dtype."""
    kinds: list[Callable[[Rng, Any], Function]] = [_with_another, _compared]
    if x.ndim:
        kinds += [_moved, _reduced]
    if x.dtype == np.float32:
        kinds += [_elementwise, _elementwise, _convolved]
        kinds += [_multiplied] if x.ndim else []
    return kinds[rng.integers(len(kinds))](rng, x)


def compiled(tf: Any, f: Function) -> Function:
    """Return the compiled function."""
    made = tf.function(lambda x: f(tf, x))
    return lambda tf, x: made(x)


def text(array: Any) -> str:
    """Return a description of an array: its dtype and shape."""
    return f"{array.dtype}{array.shape}"


def refusals(tf: Any, x: Any, size: int) -> list[tuple[Callable[[], Any], type[Exception]]]:
    """Return failing calls with their errors. The last one does not fail on the cpu backend."""
    errors = tf.errors
    return [
        (lambda: tf.matmul(tf.zeros([2, 3]), tf.zeros([4, 5])), errors.InvalidArgumentError),
        (lambda: tf.reshape(x, [size + 1]), errors.InvalidArgumentError),
        (lambda: compiled(tf, lambda tf, x: tf.concat([x, x], 9))(tf, x), errors.OpError),
        (lambda: tf.fill([2**16, 2**15], 1.0) + 1.0, errors.ResourceExhaustedError),
    ]


def lose(tf: Any, backend: str) -> None:
    """Lose the GPU, as browsers do."""
    if backend == "webgpu":
        tf.browser.gpu_device().destroy()
        return
    from pyodide.code import run_js

    catch = run_js(
        """(() => { const P = WebGL2RenderingContext.prototype, { drawArrays } = P;
        let found;
        P.drawArrays = function (...given) { found = this; drawArrays.apply(this, given); };
        return () => { P.drawArrays = drawArrays; return found; }; })()"""
    )
    _ = tf.zeros([601, 7]) + 1.0  # more than NumPy can compute
    catch().getExtension("WEBGL_lose_context").loseContext()
