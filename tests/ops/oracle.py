"""TensorFlow's result for each primitive: ``expected(op, arrays, attrs)``.

A primitive that equals a public TensorFlow function needs no entry. `ORACLES` has the others.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from tfpy._src.compiler.ops import Op

Array = np.ndarray[Any, Any]


def expected(op: Op, arrays: Sequence[Any], attrs: dict[str, Any]) -> Any:
    """Return TensorFlow's result, a TensorFlow tensor, for TensorFlow tensors or arrays."""
    return function(op)(*arrays, **attrs)


def function(op: Op) -> Callable[..., Any]:
    """Return the TensorFlow function that is equivalent to the primitive.

    Raises:
        LookupError: If no public name of the primitive is a name of TensorFlow.
    """
    found = ORACLES.get(op.name) or next(filter(None, map(public, op.public)), None)
    if found is None:
        raise LookupError(
            f"no oracle for the primitive {op.name}: TensorFlow has none of its public names"
            f" {list(op.public)}. Add {op.name!r} to ORACLES in tests/ops/oracle.py, with a"
            " function of the operands and attributes that computes the same with TensorFlow."
        )
    return found


def values(tensor: Any) -> Array:
    """Return a tensor's values, with a string as an object because NumPy drops null bytes."""
    return np.array(tensor.numpy(), object if tensor.dtype == tf.string else None)


def public(path: str) -> Any:
    """Return ``tf.<path>``, or None."""
    return functools.reduce(lambda found, name: getattr(found, name, None), path.split("."), tf)


def _reduction(name: str) -> Callable[..., Any]:
    def call(x: Any, axes: tuple[int, int]) -> Any:
        return public(name)(x, axis=list(range(*axes)))

    return call


def _arg(name: str) -> Callable[..., Any]:
    return lambda x, axis: public(name)(x, axis=axis, output_type=tf.int32)


def _slice(x: Any, begin: Any, size: Any, strides: Any) -> Any:
    for axis, (b, n, s) in enumerate(zip(begin, size, strides, strict=True)):
        x = tf.gather(x, b + s * np.arange(n), axis=axis)
    return x


def _pad(x: Any, padding: Any, interior: Any, value: Any) -> Any:
    x = tf.convert_to_tensor(x)
    fill = tf.cast(value, x.dtype)
    for axis, between in enumerate(interior):
        n = x.shape[axis]
        spread = tf.expand_dims(x, axis + 1)
        room = [[0, 0]] * spread.ndim
        room[axis + 1] = [0, between]
        spread = _padded(spread, room, fill)
        shape = x.shape.as_list()
        shape[axis] = n * (between + 1)
        x = tf.gather(
            tf.reshape(spread, shape), np.arange(max(n * (between + 1) - between, 0)), axis=axis
        )
    x = _padded(x, [[max(a, 0), max(b, 0)] for a, b in padding], fill)
    begin = [max(-a, 0) for a, _ in padding]
    size = [n - max(-a, 0) - max(-b, 0) for n, (a, b) in zip(x.shape, padding, strict=True)]
    return tf.slice(x, begin, size)


def _padded(x: Any, room: Any, fill: Any) -> Any:
    if x.dtype == tf.bool:
        return tf.cast(
            tf.pad(tf.cast(x, tf.int32), room, constant_values=tf.cast(fill, tf.int32)), tf.bool
        )
    return tf.pad(x, room, constant_values=fill)


def _segment_sum(data: Any, ids: Any, segments: int) -> Any:
    ids = tf.where((ids >= 0) & (ids < segments), ids, -1)
    return tf.math.unsorted_segment_sum(data, ids, segments)


def _scatter(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return a tensor_scatter_nd function that ignores ids outside the rows."""

    def call(x: Any, ids: Any, updates: Any) -> Any:
        inside = tf.where((ids >= 0) & (ids < x.shape[0]))
        return f(x, tf.gather_nd(ids, inside)[:, None], tf.gather_nd(updates, inside))

    return call


def _scatter_prod(x: Any, ids: Any, updates: Any) -> Any:
    ids = tf.where((ids >= 0) & (ids < x.shape[0]), ids, -1)
    return x * tf.math.unsorted_segment_prod(updates, ids, x.shape[0])


def _argsort(x: Any, k: int, descending: bool) -> Any:
    return tf.argsort(x, direction="DESCENDING" if descending else "ASCENDING")[..., :k]


def _dynamic_update_slice(x: Any, update: Any, starts: Any) -> Any:
    sizes = tuple(update.shape)
    first = tf.clip_by_value(starts, 0, np.subtract(x.shape, sizes).astype(np.int32))
    grid = np.stack(np.indices(sizes), -1).reshape(-1, len(sizes)).astype(np.int32)
    return tf.tensor_scatter_nd_update(x, first + grid, tf.reshape(update, [-1]))


def _ravel_index(indices: Any, dims: Any) -> Any:
    places = tf.reshape(tf.range(math.prod(dims)), dims)
    return tf.gather_nd(places, indices)


def _range(start: Any, delta: Any, count: int, dtype: Any) -> Any:
    return tf.range(start, start + delta * (count - 0.5), delta, dtype=tf.float64)


# Windows: TensorFlow on CPU has no gradients of dilated or grouped convolutions. Therefore images
# are padded first, filters are spread, groups are split, and gradients come from its tape.


def _image(x: Any, padding: Any, value: float = 0) -> Any:
    return tf.pad(x, [[0, 0], *padding, [0, 0]], constant_values=value)


def _conv2d(x: Any, f: Any, strides: Any, dilations: Any, padding: Any) -> Any:
    groups = x.shape[3] // f.shape[2]
    f = _pad(f, [(0, 0)] * 4, [dilations[0] - 1, dilations[1] - 1, 0, 0], 0)
    parts = zip(tf.split(_image(x, padding), groups, 3), tf.split(f, groups, 3), strict=True)
    return tf.concat([tf.nn.conv2d(a, b, strides, "VALID") for a, b in parts], 3)


def _depthwise(x: Any, f: Any, strides: Any, dilations: Any, padding: Any) -> Any:
    return tf.nn.depthwise_conv2d(
        _image(x, padding), f, [1, *strides, 1], "VALID", dilations=dilations
    )


def _gradient(f: Callable[[Any], Any], x: Any, dy: Any) -> Any:
    x = tf.convert_to_tensor(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x, dy)


def _backprop_input(forward: Callable[..., Any]) -> Callable[..., Any]:
    def call(dy: Any, f: Any, input_shape: Any, **attrs: Any) -> Any:
        return _gradient(lambda x: forward(x, f, **attrs), tf.zeros(input_shape), dy)

    return call


def _backprop_filter(forward: Callable[..., Any]) -> Callable[..., Any]:
    def call(x: Any, dy: Any, filter_shape: Any, **attrs: Any) -> Any:
        return _gradient(lambda f: forward(x, f, **attrs), tf.zeros(filter_shape), dy)

    return call


def _conv3d(x: Any, f: Any, strides: Any, dilations: Any, padding: Any) -> Any:
    f = _pad(f, [(0, 0)] * 5, [*(d - 1 for d in dilations), 0, 0], 0)
    return tf.nn.conv3d(_image(x, padding), f, [1, *strides, 1], "VALID")


def _max_pool(x: Any, ksize: Any, strides: Any, dilations: Any, padding: Any) -> Any:
    x = tf.convert_to_tensor(x)
    x = _image(x, padding, x.dtype.min if x.dtype.is_integer else -math.inf)
    return tf.nn.pool(x, ksize, "MAX", strides=strides, padding="VALID", dilations=dilations)


def _max_pool_grad(x: Any, dy: Any, **attrs: Any) -> Any:
    return _gradient(lambda v: _max_pool(v, **attrs), x, dy)


def _avg_pool(x: Any, ksize: Any, strides: Any, dilations: Any, padding: Any) -> Any:
    def mean(image: Any) -> Any:
        image = _image(image, padding)
        return tf.nn.pool(
            image, ksize, "AVG", strides=strides, padding="VALID", dilations=dilations
        )

    return mean(x) / mean(tf.ones_like(x))


def _windows(x: Any, ksize: Any, strides: Any, dilations: Any) -> Any:
    x = tf.convert_to_tensor(x)
    patches = tf.image.extract_patches(
        tf.cast(x, tf.float32), [1, *ksize, 1], [1, *strides, 1], [1, *dilations, 1], "VALID"
    )
    return tf.cast(tf.reshape(patches, [*patches.shape[:3], *ksize, x.shape[3]]), x.dtype)


def _overlap_add(x: Any, input_shape: Any, strides: Any, dilations: Any) -> Any:
    ksize = tuple(x.shape[3:5])
    zeros = tf.zeros(input_shape)
    return _gradient(lambda v: _windows(v, ksize, strides, dilations), zeros, x)


def _resample(x: Any, table: Any, axis: int, spec: Any) -> Any:
    n, m = spec.sizes
    table = np.asarray(table)
    matrix = np.zeros((m, n), np.float32)
    for row, (first, *bits) in enumerate(table):
        for tap, weight in enumerate(np.array(bits, np.int32).view(np.float32)):
            if weight:
                matrix[row, first + tap] = weight
    y = tf.tensordot(matrix, x, [[1], [axis]])
    return tf.transpose(y, [*range(1, axis + 1), 0, *range(axis + 1, y.ndim)])


def _halves(state: Any) -> list[int]:
    """Return the key and the two halves of the counter of a state of six words."""
    words = [int(w) & 0xFFFFFFFF for w in state]
    return [low | high << 32 for low, high in zip(words[::2], words[1::2], strict=True)]


def _random(name: str, **more: Any) -> Callable[..., Any]:
    """Return TensorFlow's op on the key and counter given by six words."""

    def call(*inputs: Any, shape: Any) -> Any:
        key, *counter = (tf.constant(n, tf.uint64) for n in _halves(inputs[:6]))
        bounds = dict(zip(("minval", "maxval"), inputs[6:], strict=False))
        return getattr(tf.raw_ops, name)(
            shape=tf.constant(shape, tf.int32), key=[key], counter=counter, alg=1, **more, **bounds
        )

    return call


def _fine_uniform(*state: Any, shape: Any) -> Any:
    doubles = _random("StatelessRandomUniformV2", dtype=tf.float64)(*state, shape=shape)
    return tf.cast(tf.floor(doubles * 2**24) / 2**24, tf.float32)


def _seeded(name: str) -> Callable[..., Any]:
    """Return TensorFlow's stateful op, seeded with the key and the counter's upper half."""

    def call(*inputs: Any, samples: int, **more: Any) -> Any:
        key, low, high = (n - (n >> 63 << 64) for n in _halves(inputs[:6]))
        assert low == 0
        tf.random.set_seed(0)  # resets the kernels that ran
        make: dict[str, Callable[..., Any]] = {
            "gamma": lambda alpha: tf.raw_ops.RandomGamma(
                shape=[samples], alpha=alpha, seed=key, seed2=high
            ),
            "poisson": lambda rate: tf.raw_ops.RandomPoissonV2(
                shape=[samples], rate=rate, seed=key, seed2=high, dtype=tf.float32
            ),
            "binomial": lambda counts, probs: tf.random.Generator.from_key_counter(
                key, [low, high], "philox"
            ).binomial([samples, *counts.shape], counts, probs, tf.float32),
        }
        return make[name](*inputs[6:])

    return call


def _permutation(*state: Any, count: int) -> Any:
    key, *counter = (tf.constant(n, tf.uint64) for n in _halves(state))
    numbers = tf.range(count)
    return tf.raw_ops.StatelessShuffle(value=numbers, key=[key], counter=counter, alg=1)


def _state_of_seed(*seed: Any) -> Any:
    key, counter = tf.raw_ops.StatelessRandomGetKeyCounter(seed=tf.stack(seed))
    return tf.reshape(tf.bitcast(tf.concat([key, counter], 0), tf.int32), [-1])


def _state_advanced(*state: Any, blocks: int) -> Any:
    numbers = tf.bitcast(tf.reshape(tf.stack(state), [3, 2]), tf.int64)
    generator = tf.random.Generator.from_state(numbers, "philox")
    generator.skip(blocks // 256)
    return tf.reshape(tf.bitcast(generator.state.read_value(), tf.int32), [-1])


def _dft(real: Any, *imag: Any, axis: int, inverse: bool) -> Any:
    z = tf.complex(real, imag[0] if imag else tf.zeros_like(real))
    last = [i for i in range(z.ndim) if i != axis] + [axis]
    z = tf.transpose(z, last)
    y = tf.signal.ifft(z) * z.shape[-1] if inverse else tf.signal.fft(z)
    y = tf.transpose(y, np.argsort(last))
    return tf.stack([tf.math.real(y), tf.math.imag(y)])


def _broadcast_raw(name: str) -> Callable[..., Any]:
    def call(g: Any, y: Any, **attrs: Any) -> Any:
        shape = tf.broadcast_dynamic_shape(tf.shape(g), tf.shape(y))
        return getattr(tf.raw_ops, name)(
            gradients=tf.broadcast_to(g, shape), features=tf.broadcast_to(y, shape), **attrs
        )

    return call


def _buckets(name: str) -> Callable[..., Any]:
    """Return hash buckets as int32, which are int64 in TensorFlow."""
    return lambda x, **attrs: tf.cast(public(f"strings.{name}")(x, **attrs), tf.int32)


def _suppression(
    boxes: Any, scores: Any, most: int, threshold: float, least: float, sigma: float
) -> Any:
    """Suppress boxes row by row, and pad with positions of -1 and scores of 0."""
    rows = []
    outer = math.prod(scores.shape[:-1])
    flat = (np.reshape(a, (outer, *a.shape[len(scores.shape) - 1 :])) for a in (boxes, scores))
    for own_boxes, own_scores in zip(*flat, strict=True):
        places, kept = tf.image.non_max_suppression_with_scores(
            own_boxes, own_scores, most, threshold, least, sigma
        )
        room = [[0, most - len(places)]]
        filled = tf.pad(tf.cast(places, tf.float32), room, constant_values=-1)
        rows.append(tf.stack([filled, tf.pad(kept, room)], -1))
    return tf.reshape(tf.stack(rows), (*scores.shape[:-1], most, 2))


ORACLES: dict[str, Callable[..., Any]] = {
    "substr": tf.strings.substr,
    "string_join": lambda *xs, separator: tf.strings.join(xs, separator),
    "reduce_join": lambda x, axes, separator: tf.strings.reduce_join(x, axes, separator=separator),
    "unsorted_segment_join": lambda x, ids, segments, separator: tf.strings.unsorted_segment_join(
        x, ids, segments, separator
    ),
    "regex_full_match": tf.strings.regex_full_match,
    "regex_replace": tf.strings.regex_replace,
    "string_to_hash_bucket": _buckets("to_hash_bucket"),
    "string_to_hash_bucket_fast": _buckets("to_hash_bucket_fast"),
    "string_to_hash_bucket_strong": _buckets("to_hash_bucket_strong"),
    "string_to_number": lambda x, out_type: tf.strings.to_number(x, out_type.name),
    "unicode_transcode": tf.strings.unicode_transcode,
    "non_max_suppression": _suppression,
    "divide_no_nan": tf.math.divide_no_nan,
    "masked_multiply": lambda slope, g: tf.where(
        tf.equal(g, 0), tf.cast(0, g.dtype), tf.multiply(slope, g)
    ),
    "igamma_grad_a": lambda a, x: tf.raw_ops.IgammaGradA(a=a, x=x),
    "random_gamma_grad": lambda a, x: tf.raw_ops.RandomGammaGrad(alpha=a, sample=x),
    "matmul": tf.matmul,
    **{
        f"reduce_{kind}": _reduction(f"reduce_{kind}")
        for kind in ("sum", "prod", "max", "min", "any", "all")
    },
    "argmax": _arg("argmax"),
    "argmin": _arg("argmin"),
    "relu_grad": _broadcast_raw("ReluGrad"),
    "relu6_grad": _broadcast_raw("Relu6Grad"),
    "leaky_relu_grad": _broadcast_raw("LeakyReluGrad"),
    "leaky_relu": tf.nn.leaky_relu,
    "select": tf.where,
    "sign": tf.sign,
    "dft": _dft,
    "complex": tf.complex,
    **{name: public(f"math.{name}") for name in ("real", "imag", "conj", "angle")},
    "cast": lambda x, dtype: tf.cast(x, dtype.name),
    "bitcast": lambda x, dtype: tf.bitcast(x, dtype.name),
    "gather": lambda x, i, axis, batch_dims: tf.gather(x, i, axis=axis, batch_dims=batch_dims),
    "segment_sum": _segment_sum,
    "cumsum": tf.cumsum,
    "cumprod": tf.math.cumprod,
    "cumulative_logsumexp": tf.math.cumulative_logsumexp,
    "scatter_update": _scatter(tf.tensor_scatter_nd_update),
    "scatter_max": _scatter(tf.tensor_scatter_nd_max),
    "scatter_min": _scatter(tf.tensor_scatter_nd_min),
    "scatter_prod": _scatter_prod,
    "dynamic_update_slice": _dynamic_update_slice,
    "ravel_index": _ravel_index,
    "argsort": _argsort,
    "largest": lambda x, k: tf.math.top_k(x, k, sorted=False).indices,
    "permute": lambda x, order: tf.gather(x, order, axis=-1, batch_dims=len(x.shape) - 1),
    "searchsorted": lambda s, v, right: tf.searchsorted(s, v, "right" if right else "left"),
    "range": _range,
    "reshape": tf.reshape,
    "broadcast_to": tf.broadcast_to,
    "transpose": tf.transpose,
    "strided_slice": _slice,
    "pad": _pad,
    "concat": lambda *xs, axis: tf.concat(xs, axis),
    "random_uniform": _random("StatelessRandomUniformV2", dtype=tf.float32),
    "random_fine_uniform": _fine_uniform,
    "random_bits": _random("StatelessRandomUniformFullIntV2", dtype=tf.int32),
    "random_normal": _random("StatelessRandomNormalV2", dtype=tf.float32),
    "random_int": _random("StatelessRandomUniformIntV2"),
    "random_truncated_normal": _random("StatelessTruncatedNormalV2", dtype=tf.float32),
    **{f"random_{n}": _seeded(n) for n in ("gamma", "poisson", "binomial")},
    "random_permutation": _permutation,
    "random_state_of_seed": _state_of_seed,
    "random_state_advanced": _state_advanced,
    "sliding_windows": _windows,
    "overlap_add": _overlap_add,
    "resample": _resample,
    "conv2d": _conv2d,
    "conv2d_backprop_input": _backprop_input(_conv2d),
    "conv2d_backprop_filter": _backprop_filter(_conv2d),
    "conv3d": _conv3d,
    "conv3d_backprop_input": _backprop_input(_conv3d),
    "conv3d_backprop_filter": _backprop_filter(_conv3d),
    "depthwise_conv2d": _depthwise,
    "depthwise_conv2d_backprop_input": _backprop_input(_depthwise),
    "depthwise_conv2d_backprop_filter": _backprop_filter(_depthwise),
    "max_pool": _max_pool,
    "avg_pool": _avg_pool,
    "max_pool_grad": _max_pool_grad,
    "max_pool_grad_grad": lambda x, g, **attrs: _gradient(
        lambda dy: _max_pool_grad(x, dy, **attrs), tf.zeros_like(_max_pool(x, **attrs)), g
    ),
    "avg_pool_grad": lambda dy, input_shape, **attrs: _gradient(
        lambda v: _avg_pool(v, **attrs), tf.zeros(input_shape), dy
    ),
}
