"""Elementwise operations and reductions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core import primitives as p
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.formats.tflite.reader.record import op, operation
from tfpy._src.formats.tflite.reader.tensors import Info
from tfpy._src.library.io.checked_json import ModelFileError
from tfpy._src.library.tfjs.functions import prelu
from tfpy._src.tensors.array.casting import bitcast
from tfpy._src.tensors.array.complex_numbers import imag, real
from tfpy._src.tensors.array.making import cast, zeros_like
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.array.scans import cumsum
from tfpy._src.tensors.array.slicing import where
from tfpy._src.tensors.math.arithmetic import add_n, clip_by_value, sign
from tfpy._src.tensors.math.ordering import argmax, argmin
from tfpy._src.tensors.math.reductions import (
    reduce_all,
    reduce_any,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
)
from tfpy._src.tensors.nn.activations import gelu, leaky_relu
from tfpy._src.tensors.nn.fake_quantization import fake_quant_with_min_max_args

_ACTIVATIONS: tuple[Callable[[Any], Any], ...] = (
    lambda x: x,
    p.relu,
    lambda x: clip_by_value(x, -1.0, 1.0),
    p.relu6,
    p.tanh,
    lambda x: cast(p.less(x, 0.0), np.float32),
)


def activated(x: Any, number: int) -> Any:
    """Apply the fused activation function of a number.

    Raises:
        ModelFileError: If there is no such function.
    """
    if not 0 <= number < len(_ACTIVATIONS):
        raise ModelFileError(f"There is no activation function number {number}.")
    return _ACTIVATIONS[number](x)


_Binary = Callable[[Any, Any], Any]


def _fused(name: str, function: _Binary) -> None:
    def run(x: Any, y: Any, *, fused_activation_function: int) -> Any:
        return activated(function(x, y), fused_activation_function)

    op(name, run)


def _divided(x: Any, y: Any) -> Any:
    is_real = convert_to_tensor(x).dtype.is_floating
    return p.realdiv(x, y) if is_real else p.truncatediv(x, y)


_FUSED: dict[str, _Binary] = {
    "ADD": p.add,
    "SUB": p.subtract,
    "MUL": p.multiply,
    "DIV": _divided,
}
for _name, _function in _FUSED.items():
    _fused(_name, _function)

_BINARY: dict[str, _Binary] = {
    "ATAN2": p.atan2,
    "BITWISE_XOR": p.bitwise_xor,
    "EQUAL": p.equal,
    "FLOOR_DIV": p.floordiv,
    "FLOOR_MOD": p.floormod,
    "GREATER": p.greater,
    "GREATER_EQUAL": p.greater_equal,
    "LESS": p.less,
    "LESS_EQUAL": p.less_equal,
    "LOGICAL_AND": p.logical_and,
    "LOGICAL_OR": p.logical_or,
    "MAXIMUM": p.maximum,
    "MINIMUM": p.minimum,
    "NOT_EQUAL": p.not_equal,
    "POW": p.pow,
    "PRELU": prelu,
    "RIGHT_SHIFT": p.right_shift,
    "SQUARED_DIFFERENCE": p.squared_difference,
}
for _name, _function in _BINARY.items():
    op(_name, lambda x, y, f=_function: f(x, y))

for _name, _one in {
    "ABS": p.abs,
    "CEIL": p.ceil,
    "COMPLEX_ABS": p.abs,
    "COS": p.cos,
    "ELU": p.elu,
    "EXP": p.exp,
    "FLOOR": p.floor,
    "HARD_SWISH": lambda x: p.multiply(x, p.multiply(p.relu6(p.add(x, 3.0)), 1 / 6)),
    "IMAG": imag,
    "LOG": p.log,
    "LOGICAL_NOT": p.logical_not,
    "LOGISTIC": p.sigmoid,
    "NEG": p.negative,
    "REAL": real,
    "RELU": p.relu,
    "RELU6": p.relu6,
    "RELU_0_TO_1": lambda x: clip_by_value(x, 0.0, 1.0),
    "RELU_N1_TO_1": lambda x: clip_by_value(x, -1.0, 1.0),
    "ROUND": p.round,
    "RSQRT": p.rsqrt,
    "SIGN": sign,
    "SIN": p.sin,
    "SQRT": p.sqrt,
    "SQUARE": p.square,
    "TANH": p.tanh,
    "ZEROS_LIKE": zeros_like,
}.items():
    op(_name, lambda x, f=_one: f(x))

op("ADD_N", lambda *values: add_n(list(values)))
op("DENSIFY", lambda x: convert_to_tensor(x))
op("GELU", lambda x, *, approximate: gelu(x, approximate))
op("LEAKY_RELU", lambda x, *, alpha: leaky_relu(x, alpha))
op("QUANTIZE", lambda x: convert_to_tensor(x))


@operation("DEQUANTIZE")
def _dequantized(x: Any, *, gives: list[Info]) -> Any:
    return cast(x, gives[0].tensor_dtype)


@operation("CAST")
def _cast(x: Any, *, gives: list[Info]) -> Any:
    return cast(x, gives[0].tensor_dtype)


@operation("BITCAST")
def _bitcast(x: Any, *, gives: list[Info]) -> Any:
    return bitcast(x, gives[0].tensor_dtype)


@operation("FAKE_QUANT")
def _fake_quant(x: Any, *, min: float, max: float, num_bits: int, narrow_range: bool) -> Any:
    return fake_quant_with_min_max_args(x, min, max, num_bits, narrow_range)


@operation("SELECT")
def _select(condition: Any, x: Any, y: Any) -> Any:
    """Select elements; a condition with one axis selects rows."""
    rank = len(x.shape)
    if len(condition.shape) == 1 < rank:
        condition = reshape(condition, (-1, *[1] * (rank - 1)))
    return where(condition, x, y)


op("SELECT_V2", lambda condition, x, y: where(condition, x, y))


def _reduction(name: str, function: Callable[..., Any], scales: bool) -> None:
    def run(x: Any, axes: Array, *, keep_dims: bool) -> Any:
        return function(x, [int(axis) for axis in axes.reshape(-1)], keep_dims)

    op(name, run, scales=scales)


for _name, _reduce, _scales in (
    ("MEAN", reduce_mean, True),
    ("REDUCE_ALL", reduce_all, False),
    ("REDUCE_ANY", reduce_any, False),
    ("REDUCE_MAX", reduce_max, True),
    ("REDUCE_MIN", reduce_min, True),
    ("REDUCE_PROD", reduce_prod, False),
    ("SUM", reduce_sum, True),
):
    _reduction(_name, _reduce, _scales)


@operation("ARG_MAX")
def _argmax(x: Any, axis: Array, *, gives: list[Info]) -> Any:
    return argmax(x, int(axis.reshape(())), gives[0].tensor_dtype)


@operation("ARG_MIN")
def _argmin(x: Any, axis: Array, *, gives: list[Info]) -> Any:
    return argmin(x, int(axis.reshape(())), gives[0].tensor_dtype)


@operation("CUMSUM")
def _cumsum(x: Any, axis: Array, *, exclusive: bool, reverse: bool) -> Any:
    return cumsum(x, int(axis.reshape(())), exclusive, reverse)
