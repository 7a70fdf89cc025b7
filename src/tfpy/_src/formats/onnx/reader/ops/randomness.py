"""Random numbers of tfpy's generator; other runtimes return different numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.base.dtypes import DType
from tfpy._src.base.errors import invalid
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.node_graphs.node import Node
from tfpy._src.formats.onnx.reader.record import Ints, operation
from tfpy._src.formats.onnx.reader.values import bounded, dtype_of, host, like, shape_of, tensor
from tfpy._src.tensors.array.making import cast, zeros_like
from tfpy._src.tensors.array.slicing import where
from tfpy._src.tensors.random.stateful import categorical, normal, uniform


def _seed(seed: float | None) -> int | None:
    return None if seed is None else int(np.float32(seed).view(np.int32))


def _kind(dtype: int | None, x: Tensor | None = None) -> DType:
    if dtype is None and x is not None:
        return x.dtype
    return dtype_of(dtype or 1, "Random")


@operation("RandomNormal")
def random_normal(
    *, dtype: int = 1, mean: float = 0.0, scale: float = 1.0, seed: float | None = None, shape: Ints
) -> Any:
    sizes = bounded("RandomNormal", shape)
    return cast(normal(sizes, mean, scale, seed=_seed(seed)), _kind(dtype))


@operation("RandomUniform")
def random_uniform(
    *, dtype: int = 1, high: float = 1.0, low: float = 0.0, seed: float | None = None, shape: Ints
) -> Any:
    sizes = bounded("RandomUniform", shape)
    return cast(uniform(sizes, low, high, seed=_seed(seed)), _kind(dtype))


@operation("RandomNormalLike")
def random_normal_like(
    x: Tensor, *, dtype: int | None = None, mean: float = 0.0, scale: float = 1.0,
    seed: float | None = None,
) -> Any:  # fmt: skip
    return cast(normal(shape_of(x), mean, scale, seed=_seed(seed)), _kind(dtype, x))


@operation("RandomUniformLike")
def random_uniform_like(
    x: Tensor, *, dtype: int | None = None, high: float = 1.0, low: float = 0.0,
    seed: float | None = None,
) -> Any:  # fmt: skip
    return cast(uniform(shape_of(x), low, high, seed=_seed(seed)), _kind(dtype, x))


@operation("Bernoulli")
def bernoulli(x: Tensor, *, dtype: int | None = None, seed: float | None = None) -> Any:
    drawn = uniform(shape_of(x), seed=_seed(seed)) < cast(x, "float32")
    return cast(drawn, _kind(dtype, x))


@operation("Multinomial")
def multinomial(
    x: Tensor, *, dtype: int = 6, sample_size: int = 1, seed: float | None = None
) -> Any:
    return cast(categorical(x, sample_size, seed=_seed(seed)), _kind(dtype))


@operation("Dropout", since=12)
def dropout(
    data: Any, ratio: Any = None, training_mode: Any = None, *, seed: int | None = None, node: Node
) -> Any:
    """Drop elements if the model is in training mode; also return the mask of kept elements."""
    rate = 0.5 if ratio is None else float(host(ratio))
    if training_mode is not None and bool(host(training_mode)) and rate:
        x = tensor(data)
        if not 0 <= rate < 1:
            raise invalid("Dropout", f"the ratio must be in [0, 1), got {rate}")
        kept = uniform(shape_of(x), seed=seed) >= rate
        return where(kept, x * like(1 / (1 - rate), x), zeros_like(x)), kept
    if len(node.outputs) == 1:
        return data
    return data, tensor(np.ones(shape_of(data), bool))


@operation("Dropout")
def dropout_1(data: Any, *, is_test: int = 1, ratio: float = 0.5, node: Node) -> Any:
    return dropout(data, node=node)
