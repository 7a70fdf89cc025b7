"""TensorFlow functions in TensorFlow.js files compute the same as in TensorFlow."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import tfpy
from tests.models.converted import frozen

RNG = np.random.default_rng(7)
KINDS = {"functions": {}, "lowered": {"lowered": True}, "fused": {"lowered": True, "fused": True}}
"""Treatment of loops and branches by the converter, and fusion of nodes."""


def normal(*shape: int) -> Any:
    return RNG.standard_normal(shape).astype(np.float32)


def same(
    function: Callable[..., Any],
    *arrays: Any,
    shapes: Any = None,
    kinds: Any = tuple(KINDS),
    ops: str = "",
) -> None:
    """Check that the model returns the same as TensorFlow.

    Args:
        function: Function of tensors.
        arrays: Arguments of the function.
        shapes: Shape with open sizes for each argument.
        kinds: Kinds of files, keys of `KINDS`.
        ops: Operations that the last file must contain.
    """
    values = [np.asarray(a) for a in arrays]
    given = shapes or [v.shape for v in values]
    specs = [
        tf.TensorSpec(shape, tf.string if v.dtype.kind in "SUO" else v.dtype, f"x{i}")
        for i, (v, shape) in enumerate(zip(values, given, strict=True))
    ]
    for kind in kinds:
        made = frozen(function, *specs, **KINDS[kind])
        model = asyncio.run(tfpy.load_graph_model_async(made.files()))
        found = model.predict({x.name: v for x, v in zip(made.inputs, values, strict=True)})
        found = found if isinstance(found, list) else [found]
        for mine, wanted in zip(found, made.run(*values), strict=True):
            near(mine.numpy(), np.asarray(wanted), kind)
        nodes = [*made.graph.node, *(n for f in made.graph.library.function for n in f.node_def)]
        present = {node.op for node in nodes}
    assert set(ops.split()) <= present


def near(found: Any, wanted: Any, kind: str) -> None:
    if wanted.dtype == object:
        assert found.tolist() == wanted.tolist(), kind
        return
    assert found.dtype.kind == wanted.dtype.kind, kind
    largest = np.abs(wanted).max(initial=0) if wanted.dtype.kind in "fc" else 0
    np.testing.assert_allclose(found, wanted, 1e-4 if largest else 0, 1e-4 * largest, err_msg=kind)


W, X = normal(3, 3), normal(2, 3)
PICTURE = normal(2, 8, 9, 3)
OPEN = (None, None, None, 3)
BOXES = np.float32([[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, -0.1, 1, 0.9], [0, 10, 1, 11]])
SCORES = np.float32([0.9, 0.75, 0.6, 0.95])


def rounds(x: Any, n: Any) -> Any:
    """Compute nested loops with a branch."""
    w = tf.constant(W)
    i = tf.constant(0)
    while i < n:
        j = tf.constant(0)
        while j < i:
            x = x @ w * 0.3
            j += 1
            if tf.reduce_sum(x) > 3.0:
                x = x - w[0]
        x += 1.0
        i += 1
    return x, i


def recurrent(x: Any) -> Any:
    """Write rows to a list, one by one."""
    n = tf.shape(x)[0]
    rows, state = tf.TensorArray(tf.float32, size=n), tf.zeros([1, 3])
    for i in tf.range(n):
        state = tf.tanh(state @ tf.constant(W) + x[i])
        rows = rows.write(i, state[0])
    return rows.stack(), rows.size()


def uneven(x: Any) -> Any:
    """Concatenate a list of rows of different lengths."""
    rows = tf.TensorArray(tf.float32, size=3, infer_shape=False, element_shape=[None, 3])
    for i in tf.range(3):
        rows = rows.write(i, x[: i + 1])
    return rows.concat()


def left_early(x: Any) -> Any:
    total = 0.0
    for i in tf.range(6):
        if x[i] > 1.0:
            break
        if x[i] < 0.0:
            continue
        total += x[i]
    return total


def constants(x: Any) -> Any:
    """Return branches of constants, which depend on the condition by a control input only."""
    some = tf.cond(x[0, 0] > 0, lambda: tf.constant(1.0), lambda: tf.constant(2.0))
    both = tf.logical_and(x[0, 0] > 0, x[0, 1] > 0)
    within = tf.cond(
        x[0, 0] > 0,
        lambda: tf.cond(x[0, 1] > 0, lambda: tf.constant(5), lambda: tf.constant(6)),
        lambda: tf.constant(7),
    )
    return some, within, tf.cond(both, lambda: x, lambda: tf.zeros_like(x))


def growing(x: Any) -> Any:
    return tf.while_loop(
        lambda x: tf.reduce_sum(x) < 100.0,
        lambda x: (tf.concat([x, x], 0),),
        [x],
        shape_invariants=[tf.TensorShape([None])],
    )[0]


def test_loops() -> None:
    same(rounds, X, np.int32(4), shapes=[(None, 3), ()], ops="Enter Merge")
    same(recurrent, normal(5, 3), shapes=[(None, 3)], ops="TensorListSetItem")
    same(uneven, normal(5, 3), shapes=[(None, 3)], ops="TensorListConcatV2")
    same(left_early, np.float32([0.5, -1, 0.25, 2, 3, 0.5]))
    same(growing, np.abs(normal(6)), shapes=[(None,)], kinds=("functions", "lowered"))
    same(lambda x: tf.scan(lambda a, e: a * 0.5 + e, x), normal(5, 3), shapes=[(None, 3)])


def test_branches() -> None:
    for sign in (1, -1):
        x = np.abs(X) * np.float32(sign)
        same(constants, x, shapes=[(None, None)])
        same(
            lambda x: tf.cond(tf.reduce_mean(x) > 0, lambda: x @ W, lambda: x - W[0]),
            x,
            shapes=[(None, 3)],
            ops="Switch Merge",
        )
    for which in (0, 1, 2, 7):
        same(
            lambda x, i: tf.switch_case(i, [lambda: x, lambda: tf.ones([2, 3]), lambda: x @ W]),
            X,
            np.int32(which),
            ops="_SwitchN" if which else "",
        )


ACTIVATIONS = (
    tf.nn.relu, tf.nn.relu6, tf.nn.elu, tf.nn.sigmoid, tf.nn.tanh, tf.nn.gelu, lambda x: x,
    lambda x: tf.nn.leaky_relu(x, 0.05),
)  # fmt: skip


KERNEL, BIAS, DEEP = normal(3, 3, 3, 4), normal(4), normal(3, 3, 3, 2)


def test_convolutions() -> None:
    for act in ACTIVATIONS:
        same(
            lambda x, act=act: (
                act(tf.nn.bias_add(tf.nn.conv2d(x, KERNEL, 2, "SAME"), BIAS)),
                act(tf.nn.bias_add(tf.reshape(x, [-1, 3]) @ KERNEL[0, 0], BIAS)),
            ),
            PICTURE,
            shapes=[OPEN],
            kinds=("fused",),
        )
    same(
        lambda x: (
            tf.nn.conv2d(x, KERNEL, 1, [[0, 0], [1, 2], [2, 1], [0, 0]]),
            tf.nn.depthwise_conv2d(x, DEEP, [1, 1, 1, 1], "SAME", dilations=[2, 2]),
            tf.nn.separable_conv2d(x, DEEP, normal(1, 1, 6, 5), [1, 1, 1, 1], "VALID"),
        ),
        PICTURE,
        shapes=[OPEN],
        kinds=("fused",),
    )
    same(
        lambda x: tf.nn.conv2d_transpose(
            x, DEEP, tf.concat([tf.shape(x)[:1], tf.shape(x)[1:3] * 2, [3]], 0), 2
        ),
        PICTURE[..., :2],
        shapes=[(None, None, None, 2)],
        kinds=("fused",),
    )


def test_channels_first() -> None:
    """Compare channels-first with channels-last kernels.

    TensorFlow's channels-first kernels need a GPU.
    """

    def network(x: Any, data: str = "NHWC") -> Any:
        first = data == "NCHW"
        plain = tf.nn.bias_add(tf.nn.conv2d(x, KERNEL, 2, "SAME", data), BIAS, data)
        pooled = tf.nn.max_pool2d(
            tf.nn.avg_pool2d(plain, [3, 2], 1, "SAME", data), 2, 2, "SAME", data
        )
        margins = [[0, 0], [0, 0], [1, 2], [0, 1]] if first else [[0, 0], [1, 2], [0, 1], [0, 0]]
        return tf.nn.relu(pooled), tf.nn.conv2d(x, KERNEL, 1, margins, data)

    spec = tf.TensorSpec((None, 3, None, None), tf.float32)
    made = frozen(lambda x: network(x, "NCHW"), spec, lowered=True)
    found = asyncio.run(tfpy.load_graph_model_async(made.files()))(PICTURE.transpose(0, 3, 1, 2))
    for mine, wanted in zip(found, network(PICTURE), strict=True):
        near(mine.numpy(), wanted.numpy().transpose(0, 3, 1, 2), "lowered")


def normalized(x: Any, **how: Any) -> Any:
    scale, offset, mean = (tf.constant(v) for v in (W[0] + 2, W[1], W[2]))
    return tf.raw_ops.FusedBatchNormV3(
        x=x, scale=scale, offset=offset, mean=mean, variance=mean * mean + 1, **how
    )


def test_normalization() -> None:
    same(
        lambda x: (
            tf.nn.relu(normalized(x, is_training=False)[0]),
            normalized(x, is_training=True, exponential_avg_factor=0.3)[:3],
        ),
        PICTURE,
        shapes=[OPEN],
    )


@pytest.mark.parametrize(
    "equation", ["bij,bjk->bik", "bhqd,bhkd->bhqk", "abc,cde->abde", "ij,ij->", "i,j->ji"]
)
def test_einsum(equation: str) -> None:
    sizes = dict(zip("abcdehijkq", (2, 3, 4, 5, 6, 2, 3, 4, 5, 3), strict=True))
    shapes = [tuple(sizes[c] for c in part) for part in equation.partition("->")[0].split(",")]
    same(
        lambda x, y: tf.raw_ops.Einsum(inputs=[x, y], equation=equation),
        *(normal(*shape) for shape in shapes),
        shapes=[(None,) * len(shape) for shape in shapes],
        kinds=("lowered",),
        ops="Einsum",
    )


def by_shape(x: Any) -> Any:
    """Return values that depend on sizes that are open in the file."""
    sizes = tf.shape(x)
    n, h = sizes[0], sizes[1]
    return (
        tf.reshape(x, [n, -1]), tf.tile(x[:, :1], [1, h, 1, 1]), tf.range(h), tf.fill([h], 1.5),
        tf.broadcast_to(x[:, :, :1], sizes), tf.size(x), tf.linspace(0.0, 1.0, h), tf.eye(n),
        tf.transpose(x, tf.concat([[3], tf.range(3)], 0)), tf.shape_n([x, tf.ones([n, h])]),
        tf.one_hot(tf.range(h), h), tf.image.resize(x, sizes[1:3] * 2),
        x[::-1, -2:, ..., tf.newaxis],
    )  # fmt: skip


def test_shapes() -> None:
    same(by_shape, PICTURE, shapes=[OPEN], kinds=("lowered", "fused"))
    same(
        lambda x: (tf.reshape(x, [-1]), tf.shape(x), tf.reduce_sum(x, -1)),
        PICTURE,
        shapes=[None],
        kinds=("lowered",),
    )
    same(lambda x, n: (x[n], tf.slice(x, [0, n], [1, n])), normal(5, 6), np.int32(2))


def of_data(b: Any, s: Any) -> Any:
    """Return values with shapes that depend on elements, and ops that follow them."""
    kept = tf.image.non_max_suppression(b, s, tf.shape(b)[0], 0.5, 0.7)
    numbers = tf.cast(s * 4, tf.int32)
    return (
        tf.gather(b, kept) * 2, tf.where(s > 0.7), tf.boolean_mask(b, s > 0.7),
        tf.image.non_max_suppression_with_scores(b, s, 4, 0.5, 0.2, 0.5),
        tf.image.non_max_suppression_padded(b, s, 5, 0.5, 0.4, pad_to_max_output_size=True),
        *tf.unique_with_counts(numbers), tf.reduce_sum(tf.unique(numbers)[0]), tf.math.top_k(s, 2),
    )  # fmt: skip


def test_shapes_of_data() -> None:
    same(of_data, BOXES, SCORES, shapes=[(None, 4), (None,)], kinds=("functions", "lowered"))


def test_numbers() -> None:
    """Test int64, float64, halves and complex numbers, which are narrower in tfpy."""
    same(
        lambda x: (
            x * 2 + 1,
            tf.reduce_sum(x),
            x[x > 3],
            tf.gather(tf.range(9.0), x),
            tf.cast(x, "half"),
        ),
        np.int64([1, 5, 3]),
        shapes=[(None,)],
        kinds=("lowered",),
    )
    same(
        lambda x: (
            tf.cast(tf.cast(x, tf.float64) * 2, tf.float32), tf.abs(tf.signal.stft(x[0], 4, 2, 4)),
            tf.signal.irfft(tf.signal.rfft(x)),
            tf.complex(x, x) * tf.constant([1 + 2j], tf.complex64),
            tf.signal.fft2d(tf.complex(x, -x)), tf.math.angle(tf.complex(x, x + 1)),
        ),
        normal(4, 8),
        shapes=[(None, 8)],
        kinds=("lowered",),
    )  # fmt: skip
    same(
        lambda x: (
            tf.quantization.fake_quant_with_min_max_args(x, -2, 3),
            tf.quantization.fake_quant_with_min_max_vars(x, -1.5, 2.0, 4, True),
            tf.quantization.fake_quant_with_min_max_vars_per_channel(x, -abs(x[0]) - 1, abs(x[0])),
            tf.quantization.quantize_and_dequantize_v2(x, -1.0, 1.0, range_given=True),
        ),
        X,
        kinds=("lowered",),
    )


def spoken(x: Any) -> Any:
    words = tf.strings.split(x)
    return (
        words.values, words.row_splits, words.to_tensor(b"-"), tf.strings.lower(x),
        tf.strings.regex_replace(x, "[aeiou]", "_"), tf.strings.join([x, x], "+"),
        tf.strings.length(x), tf.strings.substr(x, 1, 2), tf.strings.to_hash_bucket_fast(x, 100),
        tf.as_string(tf.strings.length(x)), tf.equal(x, "good day"),
    )  # fmt: skip


def test_texts() -> None:
    same(spoken, np.array([b"Hello big World", b"good day"], object), shapes=[(None,)],
         kinds=("lowered",))  # fmt: skip


def test_what_is_refused() -> None:
    def quantized_relu(x: Any) -> Any:
        q, low, high = tf.quantization.quantize(x, -1.0, 1.0, tf.quint8)
        found = tf.raw_ops.QuantizedRelu(
            features=q, min_features=low, max_features=high, out_type=tf.quint8
        )
        return tf.quantization.dequantize(*found)

    made = frozen(quantized_relu, tf.TensorSpec([3], tf.float32), lowered=True)
    model = asyncio.run(tfpy.load_graph_model_async(made.files()))
    with pytest.raises(
        tfpy.errors.UnimplementedError, match=r"QuantizedRelu.*quantized.*register_op"
    ):
        model(normal(3))
