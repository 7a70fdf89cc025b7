"""TFLite's operations, in files made by TensorFlow's converter, compared with its interpreter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as reference

from tests.models.tflite import Interpreter, by_tensor, converted
from tfpy._src.formats.tflite.model import read_tflite

T = reference
_RNG = np.random.default_rng(5)


def floats(*shape: int, low: float = -2.0, high: float = 2.0) -> Any:
    return _RNG.uniform(low, high, shape).astype(np.float32)


def elementwise(x: Any, y: Any) -> dict[str, Any]:
    positive = T.abs(y) + 0.1
    return {
        "abs": T.abs(x),
        "add": T.nn.relu6(x + y),
        "atan2": T.atan2(x, y),
        "ceil": T.math.ceil(x),
        "cos": T.cos(x),
        "div": x / positive,
        "elu": T.nn.elu(x),
        "exp": T.exp(x),
        "floor": T.floor(x),
        "floordiv": x // positive,
        "floormod": T.math.floormod(x, positive),
        "gelu": T.nn.gelu(x),
        "hard_swish": x * T.nn.relu6(x + 3.0) / 6.0,
        "leaky": T.nn.leaky_relu(x, 0.3),
        "log": T.math.log(positive),
        "logistic": T.sigmoid(x),
        "max": T.maximum(x, y),
        "min": T.minimum(x, y),
        "neg": -x,
        "pow": T.pow(positive, x),
        "relu": T.nn.relu(x),
        "round": T.round(x),
        "rsqrt": T.math.rsqrt(positive),
        "sign": T.sign(x),
        "sin": T.sin(x),
        "sqrt": T.sqrt(positive),
        "square": T.square(x),
        "squared_difference": T.math.squared_difference(x, y),
        "sub": T.clip_by_value(x - y, -1.0, 1.0),
        "tanh": T.tanh(x),
    }


def choices(x: Any, y: Any) -> dict[str, Any]:
    more, less = x > y, x <= y
    return {
        "and": T.logical_and(more, x > 0.0),
        "cast": T.cast(x * 10.0, T.int32),
        "equal": T.equal(T.round(x), T.round(y)),
        "greater_equal": x >= y,
        "less": x < y,
        "not": T.logical_not(more),
        "not_equal": T.not_equal(T.round(x), T.round(y)),
        "or": T.logical_or(less, x > 1.0),
        "select": T.where(more, x, y),
        "broadcast": T.where(more[:, :1], x, 0.0),
        "any": T.reduce_any(more, 1),
        "all": T.reduce_all(less, 0, keepdims=True),
    }


def reductions(x: Any) -> dict[str, Any]:
    return {
        "argmax": T.argmax(x, 1, T.int32),
        "argmin": T.argmin(x, -1, T.int32),
        "cumsum": T.cumsum(x, 1, exclusive=True, reverse=True),
        "log_softmax": T.nn.log_softmax(x),
        "max": T.reduce_max(x, [0, 2]),
        "mean": T.reduce_mean(x, [1], keepdims=True),
        "min": T.reduce_min(x, 1),
        "prod": T.reduce_prod(x, 2),
        "softmax": T.nn.softmax(x),
        "sum": T.reduce_sum(x, [1, 2]),
        "l2": T.nn.l2_normalize(x, -1),
        "top_k": T.math.top_k(x, 2).values,
        "places": T.math.top_k(x, 2).indices,
    }


def movement(x: Any) -> dict[str, Any]:
    parts = T.split(x, 2, 1)
    uneven = T.split(x, [1, 2, 1], 1)
    return {
        "batch_to_space": T.batch_to_space(x, [2], [[0, 1]]),
        "broadcast_to": T.broadcast_to(x[:, :, :1], [2, 4, 5]),
        "concat": T.concat([x, x * 2.0], -1),
        "expand": T.expand_dims(x, 1),
        "fill": T.fill([2, 3], x[0, 0, 0]),
        "gather": T.gather(x, [2, 0], axis=2),
        "gather_batch": T.gather(x, [[1], [0]], axis=1, batch_dims=1),
        "gather_nd": T.gather_nd(x, [[0, 1], [1, 3]]),
        "mirror": T.pad(x, [[0, 0], [1, 1], [2, 0]], "REFLECT"),
        "pack": T.stack([x, -x], 1),
        "pad": T.pad(x, [[0, 0], [1, 2], [0, 3]]),
        "pad_value": T.pad(x, [[0, 1], [1, 2], [0, 3]], constant_values=2.5),
        "reshape": T.reshape(x, [-1, 4]),
        "reverse": T.reverse(x, [1]),
        "reverse_sequence": T.reverse_sequence(x, [2, 3], seq_axis=1, batch_axis=0),
        "scatter": T.scatter_nd([[1], [3]], x[0, :2], [5, 3]),
        "slice": T.slice(x, [0, 1, 0], [2, 2, -1]),
        "space_to_batch": T.space_to_batch(x, [2], [[0, 2]]),
        "split": parts[1],
        "split_v": uneven[1],
        "squeeze": T.squeeze(x[:, :1], [1]),
        "strided": x[:, ::2, T.newaxis, -1],
        "tile": T.tile(x, [1, 2, 3]),
        "transpose": T.transpose(x, [2, 0, 1]),
        "unpack": T.unstack(x, axis=2)[1],
        "one_hot": T.one_hot(T.cast(x[0, :, 0], T.int32), 3, 2.0, -1.0),
        "range": T.range(0.0, 5.0, 1.5) + x[0, 0, 0],
        "zeros": T.zeros_like(x),
        "segments": T.math.segment_sum(x[0], [0, 0, 1, 2]),
        "unsorted": T.math.unsorted_segment_max(x[0], [2, 0, 0, 1], 3),
        "diag": T.linalg.diag(x),
    }


def whole_numbers(a: Any, b: Any) -> dict[str, Any]:
    return {
        "add": a + b,
        "div": T.math.floordiv(a, b),
        "mod": T.math.floormod(a, b),
        "mul": a * b,
        "max": T.maximum(a, b),
        "sum": T.reduce_sum(a, 0),
        "xor": T.bitwise.bitwise_xor(a, b),
        "shift": T.bitwise.right_shift(a, T.constant(2)),
        "unique": T.unique(T.reshape(a // 4, [-1])).y,
        "where": T.where(a > 3),
        "float": T.cast(a, T.float32),
        "bool": T.cast(a, T.bool),
        "shape": T.shape(a) + a[0, 0],
    }


def networks(x: Any) -> dict[str, Any]:
    kernel = T.constant(floats(3, 2, 4, 6))
    bias = T.constant(floats(6))
    separate = T.constant(floats(3, 3, 4, 2))
    back = T.constant(floats(3, 3, 5, 4))
    return {
        "conv": T.nn.relu(T.nn.conv2d(x, kernel, [1, 2], "SAME") + bias),
        "valid": T.nn.conv2d(x, kernel, 1, "VALID", dilations=[2, 1]),
        "depthwise": T.nn.depthwise_conv2d(x, separate, [1, 2, 2, 1], "SAME"),
        "dilated": T.nn.depthwise_conv2d(x, separate, [1, 1, 1, 1], "VALID", dilations=[2, 2]),
        "transposed": T.nn.conv2d_transpose(x, back, [1, 16, 14, 5], 2, "SAME"),
        "average": T.nn.avg_pool2d(x, 3, 2, "SAME"),
        "max": T.nn.max_pool2d(x, [2, 3], 1, "VALID"),
        "dense": T.matmul(T.reshape(x, [8, 28]), T.constant(floats(28, 3))) + T.constant(floats(3)),
        "product": T.matmul(x, x, transpose_b=True),
        "bilinear": T.image.resize(x, [5, 11]),
        "corners": T.compat.v1.image.resize_bilinear(x, [5, 11], align_corners=True),
        "nearest": T.image.resize(x, [5, 11], "nearest"),
        "depth_to_space": T.nn.depth_to_space(x, 2),
        "space_to_depth": T.nn.space_to_depth(x[:, :, :6], 2),
        "lrn": T.nn.local_response_normalization(x, 2, 1.5, 0.2, 0.7),
        "prelu": T.nn.relu(x) - T.constant(floats(4)) * T.nn.relu(-x),
    }


def volumes(x: Any) -> dict[str, Any]:
    kernel, back = T.constant(floats(2, 3, 2, 2, 3)), T.constant(floats(2, 2, 2, 4, 2))
    return {
        "conv": T.nn.conv3d(x, kernel, [1, 1, 2, 1, 1], "SAME"),
        "back": T.nn.conv3d_transpose(x, back, [1, 4, 5, 6, 4], [1, 1, 1, 1, 1], "SAME"),
    }


def branches(x: Any, n: Any) -> dict[str, Any]:
    def body(i: Any, y: Any) -> Any:
        return i + 1, y * 1.5 + T.cast(i, T.float32)

    return {
        "if": T.cond(T.reduce_sum(x) > 0.0, lambda: x * 2.0, lambda: x - 1.0),
        "while": T.while_loop(lambda i, y: i < n[0], body, [T.constant(0), x])[1],
        "nms": T.image.non_max_suppression_padded(
            T.abs(x), T.abs(x[:, 0]), 4, 0.3, 0.1, pad_to_max_output_size=True
        )[0],
    }


GROUPS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "elementwise": (elementwise, (floats(3, 7), floats(3, 7))),
    "choices": (choices, (floats(4, 5), floats(4, 5))),
    "reductions": (reductions, (floats(2, 4, 5),)),
    "movement": (movement, (floats(2, 4, 3, low=0.0, high=2.9),)),
    "whole_numbers": (
        whole_numbers,
        (_RNG.integers(0, 40, (3, 4), np.int32), _RNG.integers(1, 9, (3, 4), np.int32)),
    ),
    "networks": (networks, (floats(1, 8, 7, 4),)),
    "volumes": (volumes, (floats(1, 4, 5, 6, 2),)),
    "branches": (branches, (floats(6, 4), np.array([5], np.int32))),
}


def compared(data: bytes, *inputs: Any) -> dict[str, tuple[Any, Any]]:
    """Return each output by name, in tfpy and in TensorFlow."""
    model = read_tflite(data)
    names = list(model._signature.inputs)
    assert names == [f"x{i}" for i in range(len(inputs))]
    given = dict(zip(names, inputs, strict=True))
    wanted = Interpreter(data)(by_tensor(model, given))
    found = model.execute(given, list(wanted))
    return {
        key: (mine.numpy(), theirs)
        for (key, theirs), mine in zip(wanted.items(), found, strict=True)
    }


@pytest.mark.parametrize("name", GROUPS)
def test_floats(name: str) -> None:
    function, inputs = GROUPS[name]
    pairs = compared(converted(function, *inputs), *inputs)
    assert len(pairs) > 1
    for key, (mine, theirs) in pairs.items():
        assert mine.dtype == theirs.dtype.newbyteorder("=") or theirs.dtype == np.int64, key
        np.testing.assert_allclose(mine, theirs, rtol=2e-5, atol=2e-5, err_msg=key)


def quantized(x: Any, y: Any) -> dict[str, Any]:
    kernel, separate = T.constant(floats(3, 3, 4, 8)), T.constant(floats(3, 3, 4, 1))
    deep = T.nn.relu6(T.nn.conv2d(x, kernel, 2, "SAME") + T.constant(floats(8)))
    dense = T.matmul(T.reshape(deep, [-1, 128]), T.constant(floats(128, 5)))
    return {
        "conv": deep,
        "depthwise": T.nn.relu(T.nn.depthwise_conv2d(x, separate, [1, 1, 1, 1], "VALID")),
        "dense": dense,
        "softmax": T.nn.softmax(dense),
        "logistic": T.sigmoid(x),
        "tanh": T.tanh(x),
        "add": x + y,
        "sub": x - y,
        "mul": T.nn.relu(x * y),
        "average": T.nn.avg_pool2d(x, 2, 2, "VALID"),
        "max": T.nn.max_pool2d(x, 3, 2, "SAME"),
        "mean": T.reduce_mean(x, [1, 2]),
        "sum": T.reduce_sum(x, [1]),
        "concat": T.concat([x, y * 0.5], -1),
        "pad": T.pad(x, [[0, 0], [1, 1], [2, 0], [0, 0]]),
        "transpose": T.transpose(x, [0, 3, 1, 2]),
        "leaky": T.nn.leaky_relu(x, 0.2),
        "bilinear": T.image.resize(x, [5, 11]),
        "hard_swish": x * T.nn.relu6(x + 3.0) / 6.0,
        "maximum": T.maximum(x, y),
        "strided": x[:, ::2, 1:, :3],
        "product": T.matmul(x, y, transpose_b=True),
    }


ROUNDED_TWICE = ("leaky", "bilinear")
"""Functions with products that the interpreter rounds to few digits before rounding to steps."""


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_whole_number_models(dtype: Any) -> None:
    """Compare models in 8-bit integers, of which few results differ by one step."""
    inputs = floats(1, 8, 8, 4), floats(1, 8, 8, 4)
    data = converted(quantized, *inputs, whole=getattr(T, np.dtype(dtype).name))
    limits = np.iinfo(dtype)
    given = [_RNG.integers(limits.min, limits.max + 1, x.shape).astype(dtype) for x in inputs]
    pairs = compared(data, *given)
    assert len(pairs) == len(quantized(*map(T.constant, inputs)))
    names = sorted(quantized(*map(T.constant, inputs)))
    for key, (mine, theirs) in pairs.items():
        assert mine.dtype == theirs.dtype == dtype, key
        apart = np.abs(mine.astype(int) - theirs.astype(int))
        assert apart.max() <= 1, (key, apart.max())
        name = names[int(key.partition(":")[2] or 0)]
        assert (apart > 0).mean() <= (0.2 if name in ROUNDED_TWICE else 0.03), (name, apart.mean())


def test_whole_weights_in_models_of_floats() -> None:
    """Compare products of float inputs with integer weights.

    The interpreter also rounds the inputs of these products, so the results are only close.
    """
    weights = T.constant(floats(256, 64))

    def function(x: Any) -> dict[str, Any]:
        return {"y": T.matmul(x, weights), "z": T.nn.relu(T.matmul(x, weights * 2.0))}

    x = floats(4, 256)
    data = converted(function, x, optimized=True)
    assert len(data) < 256 * 64 * 3
    for key, (mine, theirs) in compared(data, x).items():
        np.testing.assert_allclose(mine, theirs, atol=0.02 * np.abs(theirs).max(), err_msg=key)


def test_lstm() -> None:
    layer = T.keras.layers.LSTM(6, return_sequences=True)
    x = floats(1, 5, 4)
    layer(x)
    data = converted(lambda x: {"y": layer(x)}, x)
    model = read_tflite(data)
    run = Interpreter(data)
    for _ in range(2):
        wanted = next(iter(run(by_tensor(model, {"x0": x})).values()))
        np.testing.assert_allclose(model(x).numpy(), wanted, atol=2e-5)


def test_tables() -> None:
    """Check that a table is filled once, before the first call."""
    keys = T.constant(["a", "b", "c"])
    values = T.constant([5, 7, 9], T.int64)
    table = T.lookup.StaticHashTable(T.lookup.KeyValueTensorInitializer(keys, values), -3)

    class Holder(T.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            self.table = table

        @T.function(input_signature=[T.TensorSpec([4], T.string, name="x0")])
        def found(self, x: Any) -> Any:
            return {"y": self.table.lookup(x)}

    holder = Holder()
    converter = T.lite.TFLiteConverter.from_concrete_functions(
        [holder.found.get_concrete_function()], holder
    )
    data = converter.convert()
    model = read_tflite(data)
    for _ in range(2):
        found = model(np.array([b"c", b"a", b"none", b"b"], object))
        np.testing.assert_array_equal(found, [9, 5, -3, 7])
        model.reset()


def test_operations_of_tensorflow() -> None:
    """Check that functions without a TFLite operation remain TensorFlow operations."""

    def function(x: Any) -> dict[str, Any]:
        return {"y": T.math.erf(x), "z": T.math.cumprod(x, 1, exclusive=True)}

    x = floats(4, 4)
    model = read_tflite(converted(function, x, flex=True))
    assert {node.op for node in model._graph.nodes} >= {"FlexErf", "FlexCumprod"}
    found = model.execute({"x0": x}, model.outputs)
    for mine, theirs in zip(found, function(T.constant(x)).values(), strict=True):
        np.testing.assert_allclose(mine, theirs, atol=1e-5)
