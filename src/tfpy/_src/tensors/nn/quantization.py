"""Symmetric quantization of `tf.quantization`: `quantize_and_dequantize` and its version 2."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import elementwise as ew, logic
from tfpy._src.compiler.ops.families import infer
from tfpy._src.core.conversion import as_tensors, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.tensors.array.making import zeros_like
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.array.slicing import where
from tfpy._src.tensors.autodiff.custom import custom_gradient
from tfpy._src.tensors.math.reductions import reduce_max, reduce_min
from tfpy._src.tensors.nn.fake_quantization import Gradients


def quantize_and_dequantize_v2(
    input: TensorLike,
    input_min: TensorLike,
    input_max: TensorLike,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Tensor:
    """Quantize a tensor to integers of `num_bits` bits and convert it back to floats.

    Quantization is symmetric, so 0 is represented exactly. The gradient of the result is passed to
    the elements of `input` between `input_min` and `input_max`, even if `range_given` is False. The
    gradients of all other elements and of the range are 0.

    Args:
        input: Float tensor of any shape.
        input_min: Lower end of the range, a scalar of the dtype of `input`.
        input_max: Upper end of the range, a scalar of the dtype of `input`.
        signed_input: If True (default), the integers are signed.
        num_bits: Number of bits, at least 2 for signed and 1 for unsigned integers, and at most 62.
            Default: 8.
        range_given: If True, the range is from `input_min` to `input_max`. If False (default), it
            is the range of the values of `input`, or of its values at each index along `axis`.
        round_mode: Rounding of halves, `"HALF_TO_EVEN"` (default) or `"HALF_UP"`.
        narrow_range: If True, the lowest signed integer is not used, so that the range of integers
            is symmetric around 0.
        axis: Axis along which each index has its own range. Negative values count from the end.
            Default: one range for the whole tensor.

    Returns:
        Float tensor of the shape and dtype of `input`.

    Raises:
        tf.errors.InvalidArgumentError: If `num_bits` or `round_mode` is not supported, or if
            `range_given` is True and `input_min` or `input_max` is not a scalar.

    Example:
        >>> import tfpy as tf
        >>> quantized = tf.quantization.quantize_and_dequantize_v2
        >>> quantized([-1.0, 0.3, 0.9], -1.0, 1.0, num_bits=3, range_given=True).numpy().round(3)
        array([-1.   ,  0.333,  1.   ], dtype=float32)

    See also: `tf.quantization.quantize_and_dequantize`.
    """
    x, *bounds = as_tensors(ew.maximum, (input, input_min, input_max))
    infer.check_same_dtype("quantize_and_dequantize", [t.aval for t in (x, *bounds)])
    if round_mode not in ("HALF_TO_EVEN", "HALF_UP"):
        raise invalid(
            "quantize_and_dequantize",
            f"round_mode must be 'HALF_TO_EVEN' or 'HALF_UP', got {round_mode!r}",
        )
    if not (2 if signed_input else 1) <= num_bits <= 62:
        raise invalid("quantize_and_dequantize", f"num_bits is out of range: {num_bits}")
    if range_given and any(b.ndim for b in bounds):
        raise invalid("quantize_and_dequantize", "input_min and input_max must be scalars")
    at = None if axis is None else infer.normalize_axis("quantize_and_dequantize", axis, x.ndim)
    how = (bool(range_given), *_integers(signed_input, num_bits, narrow_range), round_mode)
    return _quantized(x, *bounds, axis=at, how=how)


def _integers(signed: bool, bits: int, narrow: bool) -> tuple[float, float]:
    """Return the least and the greatest integer."""
    if not signed:
        return 0.0, float(2**bits - 1)
    return float(-(2 ** (bits - 1)) + narrow), float(2 ** (bits - 1) - 1)


@custom_gradient
def _quantized(x: Tensor, low: Tensor, high: Tensor, axis: int | None, how: Sequence[Any]) -> Any:
    """Quantize and dequantize; the gradient is 0 outside of the given range."""
    given, least, most, mode = how
    others = [i for i in range(x.ndim) if i != axis]
    shape = [1] * x.ndim if axis is None else [-1 if i == axis else 1 for i in range(x.ndim)]
    if given:
        first, last = reshape(low, shape), reshape(high, shape)
    else:
        first, last = (f(x, others, keepdims=True) for f in (reduce_min, reduce_max))
    huge = float(dtypes.float32.max)
    by_low = where(least * first > 0, least / first, huge)
    by_high = where(most * last > 0, most / last, huge)
    is_low = logic.less(by_low, by_high)
    scale = ew.minimum(by_low, by_high)
    inverse = where(is_low, first / least, last / most) if least else last / most
    if given:
        bottom = where(is_low, first, least * inverse)
        x_within = ew.minimum(ew.maximum(x, bottom), where(is_low, most * inverse, last))
    else:
        x_within = x
    steps = x_within * scale
    steps = ew.round_(steps) if mode == "HALF_TO_EVEN" else ew.floor(steps + 0.5)

    def grad(upstream: Tensor) -> Gradients:
        start, end = reshape(low, shape), reshape(high, shape)
        inside = logic.logical_and(logic.greater_equal(x, start), logic.less_equal(x, end))
        return where(inside, upstream, 0.0), zeros_like(low), zeros_like(high)

    return steps * inverse, grad


def quantize_and_dequantize(
    input: TensorLike,
    input_min: TensorLike,
    input_max: TensorLike,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Tensor:
    """Quantize and dequantize like `quantize_and_dequantize_v2`, with a straight-through gradient.

    A straight-through gradient passes the gradient of the result unchanged to every element of
    `input`.

    Args:
        input: Float tensor of any shape.
        input_min: Lower end of the range, a scalar of the dtype of `input`.
        input_max: Upper end of the range, a scalar of the dtype of `input`.
        signed_input: If True (default), the integers are signed.
        num_bits: Number of bits, at least 2 for signed and 1 for unsigned integers, and at most 62.
            Default: 8.
        range_given: If True, the range is from `input_min` to `input_max`. If False (default), it
            is the range of the values of `input`, or of its values at each index along `axis`.
        round_mode: Rounding of halves, `"HALF_TO_EVEN"` (default) or `"HALF_UP"`.
        narrow_range: If True, the lowest signed integer is not used, so that the range of integers
            is symmetric around 0.
        axis: Axis along which each index has its own range. Negative values count from the end.
            Default: one range for the whole tensor.

    Returns:
        Float tensor of the shape and dtype of `input`.

    Raises:
        tf.errors.InvalidArgumentError: If `num_bits` or `round_mode` is not supported, or if
            `range_given` is True and `input_min` or `input_max` is not a scalar.

    Example:
        >>> import tfpy as tf
        >>> quantized = tf.quantization.quantize_and_dequantize
        >>> quantized([-1.0, 0.3, 0.9], -1.0, 1.0, num_bits=3, range_given=True).numpy().round(3)
        array([-1.   ,  0.333,  1.   ], dtype=float32)

    See also: `tf.quantization.quantize_and_dequantize_v2`.
    """
    x = convert_to_tensor(input)
    rest = (input_min, input_max, signed_input, num_bits, range_given, round_mode)
    found = quantize_and_dequantize_v2(x, *rest, narrow_range=narrow_range, axis=axis)
    return _straight(x, found)


@custom_gradient
def _straight(x: Tensor, found: Tensor) -> Any:
    """Return `found` with the gradient of `x`."""
    return found, lambda upstream: (upstream, None)
