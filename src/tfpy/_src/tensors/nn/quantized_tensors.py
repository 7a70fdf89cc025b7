"""`tf.quantization.quantize` and `dequantize`: tensors of quantized dtypes.

The formulas are those of TensorFlow's files `core/kernels/quantize_op.cc`, `dequantize_op.cc` and
`quantization_utils.h`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType, as_dtype
from tfpy._src.base.errors import invalid, invalid_value
from tfpy._src.compiler.ops import elementwise as ew
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, IntLike, TensorLike
from tfpy._src.tensors.array.joining import concat
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.array.slicing import where
from tfpy._src.tensors.array.static import static_int
from tfpy._src.tensors.math.arithmetic import sign

_MODES = ("MIN_COMBINED", "MIN_FIRST", "SCALED")
_ROUNDINGS = ("HALF_AWAY_FROM_ZERO", "HALF_TO_EVEN")
_HUGE = 3.4028234663852886e38


class QuantizeV2(NamedTuple):
    """The result of `tf.quantization.quantize`."""

    output: Tensor
    output_min: Tensor
    output_max: Tensor


class QuantizedConcat(NamedTuple):
    """The result of `tf.quantization.quantized_concat`."""

    output: Tensor
    output_min: Tensor
    output_max: Tensor


def quantize(
    input: TensorLike,
    min_range: TensorLike,
    max_range: TensorLike,
    T: DTypeLike,  # noqa: N803
    mode: str = "MIN_COMBINED",
    round_mode: str = "HALF_AWAY_FROM_ZERO",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
    ensure_minimum_range: float = 0.01,
) -> QuantizeV2:
    """Quantize floats to integers that represent a range.

    Args:
        input: Float32 tensor of any shape.
        min_range: Lower end of the range, a float32 scalar, or a vector with a number for each
            index along `axis`. It is made at most 0.
        max_range: Upper end of the range, as `min_range`.
        T: Quantized dtype of the result, such as `tf.quint8`.
        mode: `"MIN_COMBINED"` (default) maps the lowest integer to the lower end of the range.
            `"MIN_FIRST"` also represents 0 exactly. `"SCALED"` maps 0 to 0.
        round_mode: Rounding of halves, `"HALF_AWAY_FROM_ZERO"` (default), or `"HALF_TO_EVEN"` for
            the mode `"SCALED"`.
        narrow_range: If True, the lowest integer is not used in the mode `"SCALED"`.
        axis: Axis along which each index has its own range. Default: one range for the tensor.
        ensure_minimum_range: Smallest size of the range, relative to its larger end or to 1.

    Returns:
        Named tuple of `output`, a tensor of dtype `T`; and of `output_min` and `output_max`, the
        ends of the range that was used.

    Raises:
        tf.errors.InvalidArgumentError: If `mode`, `round_mode` or `T` is not supported.

    Example:
        >>> import tfpy as tf
        >>> found = tf.quantization.quantize([0.0, 0.5, 1.0], 0.0, 1.0, tf.quint8)
        >>> found.output.numpy().tolist(), found.output.dtype
        ([0, 128, 255], tf.quint8)

    See also: `tf.quantization.dequantize`, `tf.quantization.fake_quant_with_min_max_args`.
    """
    kind = _quantized(T, mode)
    if round_mode not in _ROUNDINGS or (round_mode == "HALF_TO_EVEN" and mode != "SCALED"):
        raise invalid("quantize", f"Round mode {round_mode!r} is not supported in mode {mode!r}")
    x = convert_to_tensor(input, dtypes.float32)
    first, last = (convert_to_tensor(end, dtypes.float32) for end in (min_range, max_range))
    low = ew.minimum(first, 0.0)
    least = ew.maximum(ew.maximum(ew.abs_(first), ew.abs_(last)), 1.0) * ensure_minimum_range
    high = ew.maximum(ew.maximum(last, low + least), 0.0)
    shape = _along(axis, x.aval.rank)
    a, b = reshape(low, shape), reshape(high, shape)
    if mode == "SCALED":
        bottom, top = _ends(kind, narrow_range)
        scale = _scale(a, b, bottom, top)
        clipped = ew.minimum(ew.maximum(x, bottom / scale), top / scale) * scale
        steps = ew.round_(clipped) if round_mode == "HALF_TO_EVEN" else _rounded(clipped)
        low, high = reshape(bottom / scale, low.aval.shape), reshape(top / scale, low.aval.shape)
    elif mode == "MIN_FIRST":
        steps = _stepped(x, a, b, kind)
    else:
        bottom, top = _ends(kind, False)
        inside = (ew.maximum(ew.minimum(x, b), a) - a) * ((top - bottom) / (b - a))
        steps = _rounded(inside - _half(kind)) if bottom else ew.floor(inside + 0.5)
    return QuantizeV2(_integers(steps, kind), low, high)


def dequantize(
    input: TensorLike,
    min_range: TensorLike,
    max_range: TensorLike,
    mode: str = "MIN_COMBINED",
    name: str | None = None,
    axis: int | None = None,
    narrow_range: bool = False,
    dtype: DTypeLike = dtypes.float32,
) -> Tensor:
    """Return the floats that the integers of a quantized tensor represent.

    Args:
        input: Tensor of a quantized dtype.
        min_range: Lower end of the range, a float32 scalar, or a vector with a number for each
            index along `axis`.
        max_range: Upper end of the range, as `min_range`.
        mode: The mode of `tf.quantization.quantize`.
        axis: Axis along which each index has its own range. Default: one range for the tensor.
        narrow_range: If True, the lowest integer is not used in the mode `"SCALED"`.
        dtype: Dtype of the result: float32 or bfloat16.

    Returns:
        Float tensor of the shape of `input`.

    Raises:
        tf.errors.InvalidArgumentError: If `mode` or the dtype of `input` is not supported.

    Example:
        >>> import tfpy as tf
        >>> found = tf.quantization.quantize([0.0, 0.5, 1.0], 0.0, 1.0, tf.quint8)
        >>> tf.quantization.dequantize(found.output, 0.0, 1.0).numpy().round(3)
        array([0.   , 0.502, 1.   ], dtype=float32)

    See also: `tf.quantization.quantize`.
    """
    q = convert_to_tensor(input)
    kind = _quantized(q.dtype, mode)
    shape = _along(axis, q.aval.rank)
    ends = (convert_to_tensor(end, dtypes.float32) for end in (min_range, max_range))
    low, high = (reshape(end, shape) for end in ends)
    x = cast(q, dtypes.float32)
    bottom, top = _ends(kind, narrow_range and mode == "SCALED")
    if mode == "SCALED":
        scale = ew.maximum(low / bottom, high / top) if bottom < 0 else high / top
        found = x * scale
    elif mode == "MIN_FIRST":
        found = _represented(x, low, high, kind)
    else:
        found = (x + (_half(kind) if bottom else 0.0)) * ((high - low) / (top - bottom)) + low
    return cast(found, dtype)


def quantized_concat(
    concat_dim: IntLike,
    values: Sequence[TensorLike],
    input_mins: Sequence[TensorLike],
    input_maxes: Sequence[TensorLike],
    name: str | None = None,
) -> QuantizedConcat:
    """Concatenate quantized tensors with different ranges.

    Args:
        concat_dim: Axis along which to concatenate.
        values: List of at least two tensors of one quantized dtype.
        input_mins: List with the lower end of the range of each tensor.
        input_maxes: List with the upper end of the range of each tensor.

    Returns:
        Named tuple of `output`, the quantized result; and of `output_min` and `output_max`, the
        ends of its range.

    Raises:
        tf.errors.InvalidArgumentError: If the numbers of tensors and ranges differ.

    Example:
        >>> import tfpy as tf
        >>> parts = [tf.quantization.quantize([x], 0.0, 1.0, tf.quint8)[0] for x in (0.0, 1.0)]
        >>> found = tf.quantization.quantized_concat(0, parts, [0.0, 0.0], [1.0, 1.0])
        >>> found.output.numpy().tolist()
        [0, 255]

    See also: `tf.quantization.quantize`, `tf.concat`.
    """
    parts = [convert_to_tensor(value) for value in values]
    lows, highs = (
        [convert_to_tensor(end, dtypes.float32) for end in ends]
        for ends in (input_mins, input_maxes)
    )
    if not len(parts) == len(lows) == len(highs):
        raise invalid_value(
            "quantized_concat",
            f"{len(parts)} tensors need as many ranges, got {len(lows)} and {len(highs)} ends",
        )
    kind = _quantized(parts[0].dtype, "MIN_FIRST")
    low, high = lows[0], highs[0]
    for a, b in zip(lows[1:], highs[1:], strict=True):
        low, high = ew.minimum(low, a), ew.maximum(high, b)
    low = ew.minimum(low, 0.0)
    if _ends(kind, False)[0]:
        high = ew.maximum(ew.abs_(low), ew.abs_(high))
        low = -high
    moved = [
        _integers(_stepped(_floats(q, a, b), low, high, kind), kind)
        for q, a, b in zip(parts, lows, highs, strict=True)
    ]
    return QuantizedConcat(concat(moved, static_int(concat_dim)), low, high)


def _quantized(dtype: DTypeLike, mode: str) -> DType:
    """Return a quantized dtype after a check of it and of the mode."""
    kind = as_dtype(dtype)
    if not kind.is_quantized:
        raise invalid("quantize", f"the dtype must be quantized, such as quint8, got {kind.name}")
    if mode not in _MODES:
        raise invalid("quantize", f"mode must be one of {', '.join(_MODES)}, got {mode!r}")
    return kind


def _ends(kind: DType, narrow: bool) -> tuple[float, float]:
    """Return the lowest and the highest integer of a quantized dtype."""
    plain = dtypes.unquantized(kind)
    return float(plain.min) + narrow, float(plain.max)


def _half(kind: DType) -> float:
    bottom, top = _ends(kind, False)
    return (top - bottom + 1) / 2


def _along(axis: int | None, rank: int) -> list[int]:
    """Return the shape of the ends of ranges along an axis."""
    if axis is None or axis == -1:
        return []
    return [-1 if i == axis % rank else 1 for i in range(rank)]


def _integers(steps: Tensor, kind: DType) -> Tensor:
    """Convert integers from floats; 2 ** 31, which float32 cannot tell from the limit, is cut."""
    plain = dtypes.unquantized(kind)
    found = cast(steps, plain)
    if plain == dtypes.int32:
        found = where(steps >= float(plain.max), plain.max, found)
    return cast(found, kind)


def _rounded(x: Tensor) -> Tensor:
    """Round halves away from 0."""
    return sign(x) * ew.floor(ew.abs_(x) + 0.5)


def _scale(low: Tensor, high: Tensor, bottom: float, top: float) -> Any:
    """Return the largest factor that keeps the range within the integers."""
    of_low = where(bottom * low > 0, bottom / where(low < 0, low, -1.0), _HUGE)
    of_high = where(high > 0, top / where(high > 0, high, 1.0), _HUGE)
    return ew.minimum(of_low, of_high)


def _steps(kind: DType) -> float:
    bottom, top = _ends(kind, False)
    return top - bottom + 1


def _width(low: Tensor, high: Tensor, kind: DType) -> Tensor:
    """Return the width of a range with one more step."""
    steps = _steps(kind)
    return (high - low) * (steps / (steps - 1))


def _stepped(x: Tensor, low: Tensor, high: Tensor, kind: DType) -> Tensor:
    """Return the integers of the mode `MIN_FIRST`."""
    bottom, top = _ends(kind, False)
    scale = _steps(kind) / _width(low, high, kind)
    found = _rounded(x * scale) - (_rounded(low * scale) - bottom)
    return ew.minimum(ew.maximum(found, bottom), top)


def _floats(q: Tensor, low: Tensor, high: Tensor) -> Tensor:
    return _represented(cast(q, dtypes.float32), low, high, q.dtype)


def _represented(x: Tensor, low: Tensor, high: Tensor, kind: DType) -> Tensor:
    """Return the floats of the mode `MIN_FIRST`."""
    size = _width(low, high, kind) / _steps(kind)
    return _rounded(low / size) * size + (x - _ends(kind, False)[0]) * size
