"""Fused operations, compared with TensorFlow's kernels, or with their parts if there are none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from tensorflow.python.eager import context, execute

import tfpy
from tfpy._src.formats.raw_ops import record

RNG = np.random.default_rng(2)
IMAGE, FILTER, DEEP, BIAS, LEFT, RIGHT = (
    RNG.uniform(-1, 1, shape).astype(np.float32)
    for shape in ((1, 5, 5, 2), (3, 3, 2, 4), (3, 3, 2, 2), (4,), (3, 5), (5, 4))
)
STATISTICS = [RNG.uniform(0.5, 1, 4).astype(np.float32) for _ in range(4)]
CHAINS = (
    (["BiasAdd"], [BIAS]),
    (["BiasAdd", "Relu"], [BIAS]),
    (["BiasAdd", "Relu6"], [BIAS]),
    (["BiasAdd", "Elu"], [BIAS]),
    (["BiasAdd", "LeakyRelu"], [BIAS]),
)
CONVOLUTION = {"strides": [1, 2, 2, 1], "padding": "SAME", "dilations": [1, 1, 1, 1]}


def kernel(name: str, inputs: Any, attrs: dict[str, Any]) -> Any:
    """Return the result of TensorFlow's kernel."""
    flat = [part for pair in attrs.items() for part in pair]
    tensors = [tf.constant(x) for x in inputs]
    return execute.execute(name.encode(), 1, tensors, tuple(flat), context.context())[0].numpy()


def mine(name: str, inputs: Any, attrs: dict[str, Any]) -> Any:
    (found,) = record(name).run([tfpy.constant(x) for x in inputs], attrs).values()
    return found.numpy()


@pytest.mark.parametrize(("chain", "args"), CHAINS, ids=lambda c: "-".join(map(str, c))[:30])
def test_products(chain: list[str], args: Any) -> None:
    attrs = {"transpose_a": False, "transpose_b": False, "num_args": 1, "fused_ops": chain,
             "epsilon": 1e-4, "leakyrelu_alpha": 0.3}  # fmt: skip
    wanted = kernel(
        "_FusedMatMul", [LEFT, RIGHT, *args], {**attrs, "T": tf.float32.as_datatype_enum}
    )
    np.testing.assert_allclose(mine("_FusedMatMul", [LEFT, RIGHT, *args], attrs), wanted, atol=1e-5)


@pytest.mark.parametrize(
    ("chain", "args"),
    [*CHAINS, (["FusedBatchNorm"], STATISTICS), (["FusedBatchNorm", "Relu"], STATISTICS)],
    ids=lambda c: "-".join(map(str, c))[:30],
)
def test_convolutions(chain: list[str], args: Any) -> None:
    attrs = {**CONVOLUTION, "num_args": len(args), "fused_ops": chain, "epsilon": 1e-3,
             "leakyrelu_alpha": 0.3}  # fmt: skip
    kinds = {"T": tf.float32.as_datatype_enum, "num_host_args": 0,
             "TArgs": [tf.float32.as_datatype_enum] * len(args)}  # fmt: skip
    wanted = kernel("_FusedConv2D", [IMAGE, FILTER, *args], {**attrs, **kinds})
    np.testing.assert_allclose(
        mine("_FusedConv2D", [IMAGE, FILTER, *args], attrs), wanted, atol=1e-5
    )


AFTER = {
    "Relu": tf.nn.relu,
    "Relu6": tf.nn.relu6,
    "Elu": tf.nn.elu,
    "Sigmoid": tf.nn.sigmoid,
    "Tanh": tf.nn.tanh,
    "LeakyRelu": lambda x: tf.nn.leaky_relu(x, 0.3),
    "Prelu": lambda x: tf.where(x < 0, x * STATISTICS[0], x),
    "Add": lambda x: x + STATISTICS[0],
}


@pytest.mark.parametrize("name", ["_FusedDepthwiseConv2dNative", "FusedDepthwiseConv2dNative"])
@pytest.mark.parametrize("after", AFTER)
def test_depthwise(name: str, after: str) -> None:
    more = [STATISTICS[0]] if after in ("Prelu", "Add") else []
    attrs = {**CONVOLUTION, "num_args": 1 + len(more), "fused_ops": ["BiasAdd", after],
             "leakyrelu_alpha": 0.3}  # fmt: skip
    plain = tf.nn.depthwise_conv2d(IMAGE, DEEP, [1, 2, 2, 1], "SAME")
    wanted = AFTER[after](tf.nn.bias_add(plain, BIAS)).numpy()
    found = mine(name, [IMAGE, DEEP, BIAS, *more], attrs)
    np.testing.assert_allclose(found, wanted, atol=1e-5)


def test_channels_first() -> None:
    """Compare channels-first with channels-last kernels.

    TensorFlow's channels-first kernels need a GPU.
    """
    attrs = {**CONVOLUTION, "strides": [1, 1, 2, 2], "data_format": "NCHW", "num_args": 5,
             "fused_ops": ["FusedBatchNorm", "Prelu"], "epsilon": 1e-3}  # fmt: skip
    args = [*STATISTICS, BIAS]
    found = mine("_FusedConv2D", [IMAGE.transpose(0, 3, 1, 2), FILTER, *args], attrs)
    last = {**attrs, "strides": [1, 2, 2, 1], "data_format": "NHWC"}
    wanted = mine("_FusedConv2D", [IMAGE, FILTER, *args], last)
    np.testing.assert_allclose(found, wanted.transpose(0, 3, 1, 2), atol=1e-5)


@pytest.mark.parametrize("mode", ["Identity", "Relu"])
def test_normalization(mode: str) -> None:
    x, (scale, offset, mean, variance) = RNG.uniform(-1, 1, (2, 3, 3, 4)), STATISTICS
    inputs = [x.astype(np.float32), *STATISTICS, BIAS]
    attrs = {"num_side_inputs": 1, "activation_mode": mode, "is_training": False, "epsilon": 1e-3}
    plain = (x - mean) / np.sqrt(variance + 1e-3) * scale + offset + BIAS
    y, *_ = record("_FusedBatchNormEx").run([tfpy.constant(v) for v in inputs], attrs).values()
    wanted = np.maximum(plain, 0) if mode == "Relu" else plain
    np.testing.assert_allclose(y.numpy(), wanted, atol=1e-5)


def test_an_operation_that_is_not_known() -> None:
    with pytest.raises(tfpy.errors.UnimplementedError, match="Nonsense"):
        mine("_FusedMatMul", [LEFT, RIGHT], {"num_args": 0, "fused_ops": ["Nonsense"]})
