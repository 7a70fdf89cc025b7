"""Fake quantization of `tf.quantization`: floats rounded to a given number of steps."""

from __future__ import annotations

from typing import Any, NamedTuple

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import elementwise as ew, logic
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.slicing import where
from tfpy._src.tensors.autodiff.custom import custom_gradient
from tfpy._src.tensors.math.reductions import reduce_sum

Gradients = tuple[Tensor, Tensor, Tensor]


def _check_range(low: float, high: float) -> None:
    if not low < high:
        raise invalid("fake_quant", f"min has to be smaller than max, was: {low} >= {high}")


def fake_quant_with_min_max_args(
    inputs: TensorLike,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Round floats to `2 ** num_bits` evenly spaced values from `min` to `max`.

    This simulates the rounding errors of a quantized model during training. The range is moved
    slightly so that 0 is one of the values, and inputs outside of the range are clipped.

    Args:
        inputs: Float32 tensor of any shape.
        min: Lower end of the range. Default: -6.
        max: Upper end of the range. Default: 6.
        num_bits: Number of bits, 2 to 16. Default: 8.
        narrow_range: If True, round to `2 ** num_bits - 1` values instead of `2 ** num_bits`.

    Returns:
        Float32 tensor of the shape of `inputs`.

    Raises:
        tf.errors.InvalidArgumentError: If `min` is not less than `max`, or if `num_bits` is not
            from 2 to 16.

    Example:
        >>> import tfpy as tf
        >>> quantized = tf.quantization.fake_quant_with_min_max_args
        >>> quantized([-9.0, 0.3, 9.0], min=-1.0, max=1.0, num_bits=2).numpy().round(3)
        array([-1.333,  0.   ,  0.667], dtype=float32)

    See also: `tf.quantization.fake_quant_with_min_max_vars`.
    """
    _check_bits(num_bits)
    _check_range(min, max)
    return fake_quant_with_min_max_vars(inputs, float(min), float(max), num_bits, narrow_range)


def fake_quant_with_min_max_args_gradient(
    gradients: TensorLike,
    inputs: TensorLike,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Compute the gradient of `fake_quant_with_min_max_args` with respect to its inputs.

    Args:
        gradients: Gradients with respect to the results of the function, a float32 tensor of the
            shape of `inputs`.
        inputs: Float32 tensor of any shape.
        min: Lower end of the range. Default: -6.
        max: Upper end of the range. Default: 6.
        num_bits: Number of bits, 2 to 16. Default: 8.
        narrow_range: If True, round to `2 ** num_bits - 1` values instead of `2 ** num_bits`.

    Returns:
        Float32 tensor of the shape of `inputs`. It equals `gradients` where an input is inside the
        range, and is 0 elsewhere.

    Raises:
        tf.errors.InvalidArgumentError: If `min` is not less than `max`, or if `num_bits` is not
            from 2 to 16.

    Example:
        >>> import tfpy as tf
        >>> gradient = tf.quantization.fake_quant_with_min_max_args_gradient
        >>> gradient([1.0, 1.0, 1.0], [-9.0, 0.3, 9.0], min=-1.0, max=1.0).numpy().tolist()
        [0.0, 1.0, 0.0]
    """
    _check_range(min, max)
    return fake_quant_with_min_max_vars_gradient(
        gradients, inputs, float(min), float(max), num_bits, narrow_range
    )[0]


def fake_quant_with_min_max_vars(
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Round floats like `fake_quant_with_min_max_args`, with tensors as the ends of the range.

    `min` and `max` receive gradients as well, so they can be trained.

    Args:
        inputs: Float32 tensor of any shape.
        min: Lower end of the range, a scalar float32 tensor.
        max: Upper end of the range, a scalar float32 tensor.
        num_bits: Number of bits, 2 to 16. Default: 8.
        narrow_range: If True, round to `2 ** num_bits - 1` values instead of `2 ** num_bits`.

    Returns:
        Float32 tensor of the shape of `inputs`.

    Raises:
        tf.errors.InvalidArgumentError: If `min` or `max` is not a scalar, or if `num_bits` is not
            from 2 to 16.

    Example:
        >>> import tfpy as tf
        >>> quantized = tf.quantization.fake_quant_with_min_max_vars
        >>> quantized([-9.0, 0.3, 9.0], min=0.0, max=3.0, num_bits=2).numpy().tolist()
        [0.0, 0.0, 3.0]

    See also: `tf.quantization.fake_quant_with_min_max_vars_per_channel`.
    """
    return _rounded(*_operands(inputs, min, max, 0), bits=num_bits, narrow=narrow_range)


def fake_quant_with_min_max_vars_per_channel(
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Round floats like `fake_quant_with_min_max_vars`, with a separate range for each channel.

    Args:
        inputs: Float32 tensor of shape `[..., channels]`.
        min: Lower ends of the ranges, a float32 tensor of shape `[channels]`.
        max: Upper ends of the ranges, a float32 tensor of shape `[channels]`.
        num_bits: Number of bits, 2 to 16. Default: 8.
        narrow_range: If True, round to `2 ** num_bits - 1` values instead of `2 ** num_bits`.

    Returns:
        Float32 tensor of the shape of `inputs`.

    Raises:
        tf.errors.InvalidArgumentError: If `min` or `max` does not have the shape `[channels]`, or
            if `num_bits` is not from 2 to 16.

    Example:
        >>> import tfpy as tf
        >>> quantized = tf.quantization.fake_quant_with_min_max_vars_per_channel
        >>> quantized([[5.0, 5.0]], min=[0.0, 0.0], max=[3.0, 6.0], num_bits=2).numpy().tolist()
        [[3.0, 6.0]]

    See also: `tf.quantization.fake_quant_with_min_max_vars`.
    """
    return _rounded(*_operands(inputs, min, max, 1), bits=num_bits, narrow=narrow_range)


class FakeQuantWithMinMaxVarsGradient(NamedTuple):
    """The result of `tf.quantization.fake_quant_with_min_max_vars_gradient`."""

    backprops_wrt_input: Tensor
    backprop_wrt_min: Tensor
    backprop_wrt_max: Tensor


def fake_quant_with_min_max_vars_gradient(
    gradients: TensorLike,
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> FakeQuantWithMinMaxVarsGradient:
    """Compute the gradients of `fake_quant_with_min_max_vars`.

    Args:
        gradients: Gradients with respect to the results of the function, a float32 tensor of the
            shape of `inputs`.
        inputs: Float32 tensor of any shape.
        min: Lower end of the range, a scalar float32 tensor.
        max: Upper end of the range, a scalar float32 tensor.
        num_bits: Number of bits, 2 to 16. Default: 8.
        narrow_range: If True, round to `2 ** num_bits - 1` values instead of `2 ** num_bits`.

    Returns:
        Named tuple `(backprops_wrt_input, backprop_wrt_min, backprop_wrt_max)` of the gradients
        with respect to `inputs`, `min` and `max`.

    Raises:
        tf.errors.InvalidArgumentError: If `gradients` does not have the shape of `inputs`, if `min`
            or `max` is not a scalar, or if `num_bits` is not from 2 to 16.

    Example:
        >>> import tfpy as tf
        >>> gradient = tf.quantization.fake_quant_with_min_max_vars_gradient
        >>> dx, dmin, dmax = gradient([1.0, 1.0, 1.0], [-9.0, 0.3, 9.0], min=0.0, max=3.0)
        >>> dx.numpy().tolist(), dmin.numpy().tolist(), dmax.numpy().tolist()
        ([0.0, 1.0, 0.0], 1.0, 1.0)
    """
    operands = _operands(inputs, min, max, 0)
    found = _gradients(_upstream(gradients, operands[0]), *operands, num_bits, narrow_range)
    return FakeQuantWithMinMaxVarsGradient(*found)


class FakeQuantWithMinMaxVarsPerChannelGradient(NamedTuple):
    """The result of `tf.quantization.fake_quant_with_min_max_vars_per_channel_gradient`."""

    backprops_wrt_input: Tensor
    backprop_wrt_min: Tensor
    backprop_wrt_max: Tensor


def fake_quant_with_min_max_vars_per_channel_gradient(
    gradients: TensorLike,
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> FakeQuantWithMinMaxVarsPerChannelGradient:
    """Compute the gradients of `fake_quant_with_min_max_vars_per_channel`.

    Args:
        gradients: Gradients with respect to the results of the function, a float32 tensor of the
            shape of `inputs`.
        inputs: Float32 tensor of shape `[..., channels]`.
        min: Lower ends of the ranges, a float32 tensor of shape `[channels]`.
        max: Upper ends of the ranges, a float32 tensor of shape `[channels]`.
        num_bits: Number of bits, 2 to 16. Default: 8.
        narrow_range: If True, round to `2 ** num_bits - 1` values instead of `2 ** num_bits`.

    Returns:
        Named tuple `(backprops_wrt_input, backprop_wrt_min, backprop_wrt_max)` of the gradients
        with respect to `inputs`, `min` and `max`.

    Raises:
        tf.errors.InvalidArgumentError: If `gradients` does not have the shape of `inputs`, if `min`
            or `max` does not have the shape `[channels]`, or if `num_bits` is not from 2 to 16.

    Example:
        >>> import tfpy as tf
        >>> gradient = tf.quantization.fake_quant_with_min_max_vars_per_channel_gradient
        >>> dx, dmin, dmax = gradient([[1.0, 1.0]], [[5.0, 5.0]], min=[0.0, 0.0], max=[3.0, 6.0])
        >>> dx.numpy().tolist(), dmax.numpy().tolist()
        ([[0.0, 1.0]], [1.0, 0.0])
    """
    operands = _operands(inputs, min, max, 1)
    found = _gradients(_upstream(gradients, operands[0]), *operands, num_bits, narrow_range)
    return FakeQuantWithMinMaxVarsPerChannelGradient(*found)


def _check_bits(num_bits: int) -> None:
    if not 2 <= num_bits <= 16:
        raise invalid("fake_quant", f"num_bits must be between 2 and 16, inclusive, got {num_bits}")


def _operands(inputs: Any, low: Any, high: Any, rank: int) -> tuple[Tensor, Tensor, Tensor]:
    """Convert the inputs and the ends of the range, and check their shapes."""
    x = convert_to_tensor(inputs, dtypes.float32)
    bounds = [convert_to_tensor(b, dtypes.float32) for b in (low, high)]
    shape = tuple(x.aval.shape[-1:]) if rank else ()
    if any(tuple(b.aval.shape) != shape for b in bounds) or (rank and not x.ndim):
        raise invalid(
            "fake_quant",
            f"min and max must be of shape {list(shape)} for inputs of {list(x.aval.shape)}, got "
            f"{[list(b.aval.shape) for b in bounds]}",
        )
    return x, bounds[0], bounds[1]


def _upstream(gradients: Any, x: Tensor) -> Tensor:
    """Convert the gradients of the results, which have the shape of the inputs."""
    upstream = convert_to_tensor(gradients, dtypes.float32)
    if upstream.aval.shape != x.aval.shape:
        raise invalid(
            "fake_quant",
            f"gradients must have the shape {list(x.aval.shape)} of inputs, got "
            f"{list(upstream.aval.shape)}",
        )
    return upstream


def _nudged(low: Tensor, high: Tensor, bits: int, narrow: bool) -> tuple[Tensor, Tensor, Tensor]:
    """Return the ends of the range, moved so that 0 is one of the steps, and the size of a step."""
    first, last = float(narrow), float(2**bits - 1)
    scale = (high - low) / (last - first)
    zero = first - low / scale
    zero = ew.minimum(ew.maximum(ew.floor(zero + 0.5), first), last)
    return (first - zero) * scale, (last - zero) * scale, scale


@custom_gradient
def _rounded(x: Tensor, low: Tensor, high: Tensor, bits: int, narrow: bool) -> Any:
    """Round floats to the steps of a range."""
    _check_bits(bits)
    least, most, scale = _nudged(low, high, bits, narrow)
    clamped = ew.maximum(ew.minimum(x, most), least) - least  # least if min > max
    steps = ew.floor(clamped * (1.0 / scale) + 0.5)
    nothing = logic.logical_and(logic.equal(low, 0.0), logic.equal(high, 0.0))

    def grad(upstream: Tensor) -> Gradients:
        return _gradients(upstream, x, low, high, bits, narrow)

    return where(nothing, 0.0, steps * scale + least), grad


def _gradients(
    upstream: Tensor, x: Tensor, low: Tensor, high: Tensor, bits: int, narrow: bool
) -> Gradients:
    """Compute the gradients of the inputs and of the ends of the range."""
    _check_bits(bits)
    least, most, _ = _nudged(low, high, bits, narrow)
    nothing = logic.logical_and(logic.equal(low, 0.0), logic.equal(high, 0.0))
    inside = logic.logical_and(logic.greater_equal(x, least), logic.less_equal(x, most))
    axes = list(range(x.ndim - low.ndim))

    def through(mask: Tensor) -> Tensor:
        return upstream * cast(mask, upstream.dtype)  # NaN where the upstream gradient is infinite

    return (
        where(nothing, upstream, through(inside)),
        where(nothing, 0.0, reduce_sum(through(logic.less(x, least)), axes)),
        where(nothing, 0.0, reduce_sum(through(logic.greater(x, most)), axes)),
    )
