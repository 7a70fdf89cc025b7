"""``tf.quantization``: numbers rounded to the steps of an integer, while they stay floats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ops import elementwise as ew, logic
from tfpy._src.compiler.ops.families import infer
from tfpy._src.core.conversion import as_tensors, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.array.making import cast, zeros_like
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.array.slicing import where
from tfpy._src.tensors.autodiff.custom import custom_gradient
from tfpy._src.tensors.math.reductions import reduce_max, reduce_min, reduce_sum

Gradients = tuple[Tensor, Tensor, Tensor]


def _check_range(low: float, high: float) -> None:
    if not low < high:
        raise invalid("fake_quant", f"min has to be smaller than max, was: {low} >= {high}")


def fake_quant_with_min_max_args(
    inputs: Any,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Floats rounded to the steps from ``min`` to ``max`` that integers of ``num_bits`` tell apart.

    Args:
        min, max: are moved so that 0 is a step; numbers beyond them become them.
        num_bits: 2 to 16.
        narrow_range: leaves the lowest integer out.

    Raises:
        InvalidArgumentError: when ``min`` is not below ``max``, or for other numbers of bits.

    Example:
        >>> import tfpy as tf
        >>> quantized = tf.quantization.fake_quant_with_min_max_args
        >>> quantized([-9.0, 0.3, 9.0], min=-1.0, max=1.0, num_bits=2).numpy().round(3)
        array([-1.333,  0.   ,  0.667], dtype=float32)
    """
    _check_bits(num_bits)
    _check_range(min, max)
    return fake_quant_with_min_max_vars(inputs, float(min), float(max), num_bits, narrow_range)


def fake_quant_with_min_max_args_gradient(
    gradients: Any,
    inputs: Any,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """The gradient of ``inputs``: that of the results where no number became a bound.

    Raises:
        InvalidArgumentError: when ``min`` is not below ``max``, or for other numbers of bits.

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
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """:func:`fake_quant_with_min_max_args` with scalar tensors as bounds, which have gradients.

    Raises:
        InvalidArgumentError: when bounds are no scalars, or for other numbers of bits.

    Example:
        >>> import tfpy as tf
        >>> quantized = tf.quantization.fake_quant_with_min_max_vars
        >>> quantized([-9.0, 0.3, 9.0], min=0.0, max=3.0, num_bits=2).numpy().tolist()
        [0.0, 0.0, 3.0]
    """
    return _rounded(*_operands(inputs, min, max, 0), bits=num_bits, narrow=narrow_range)


def fake_quant_with_min_max_vars_per_channel(
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """:func:`fake_quant_with_min_max_vars` with bounds for each place along the last dimension.

    Raises:
        InvalidArgumentError: when bounds are no vectors of that size, or for other numbers of bits.

    Example:
        >>> import tfpy as tf
        >>> quantized = tf.quantization.fake_quant_with_min_max_vars_per_channel
        >>> quantized([[5.0, 5.0]], min=[0.0, 0.0], max=[3.0, 6.0], num_bits=2).numpy().tolist()
        [[3.0, 6.0]]
    """
    return _rounded(*_operands(inputs, min, max, 1), bits=num_bits, narrow=narrow_range)


class FakeQuantWithMinMaxVarsGradient(NamedTuple):
    """The result of :func:`fake_quant_with_min_max_vars_gradient`."""

    backprops_wrt_input: Tensor
    backprop_wrt_min: Tensor
    backprop_wrt_max: Tensor


def fake_quant_with_min_max_vars_gradient(
    gradients: Any,
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> FakeQuantWithMinMaxVarsGradient:
    """The gradients of ``inputs``, ``min`` and ``max``.

    Raises:
        InvalidArgumentError: as for :func:`fake_quant_with_min_max_vars`, and when ``gradients`` do
            not have the shape of ``inputs``.

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
    """The result of :func:`fake_quant_with_min_max_vars_per_channel_gradient`."""

    backprops_wrt_input: Tensor
    backprop_wrt_min: Tensor
    backprop_wrt_max: Tensor


def fake_quant_with_min_max_vars_per_channel_gradient(
    gradients: Any,
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> FakeQuantWithMinMaxVarsPerChannelGradient:
    """The gradients of ``inputs``, ``min`` and ``max``, the latter for each channel.

    Raises:
        InvalidArgumentError: as for :func:`fake_quant_with_min_max_vars_per_channel`, and when
            ``gradients`` do not have the shape of ``inputs``.

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
    """The bounds, moved so that 0 is one of the steps, and a step's size."""
    first, last = float(narrow), float(2**bits - 1)
    scale = (high - low) / (last - first)
    zero = first - low / scale
    zero = ew.minimum(ew.maximum(ew.floor(zero + 0.5), first), last)
    return (first - zero) * scale, (last - zero) * scale, scale


@custom_gradient
def _rounded(x: Tensor, low: Tensor, high: Tensor, bits: int, narrow: bool) -> Any:
    _check_bits(bits)
    least, most, scale = _nudged(low, high, bits, narrow)
    clamped = ew.maximum(ew.minimum(x, most), least) - least  # least where the range is upside down
    steps = ew.floor(clamped * (1.0 / scale) + 0.5)
    nothing = logic.logical_and(logic.equal(low, 0.0), logic.equal(high, 0.0))

    def grad(upstream: Tensor) -> Gradients:
        return _gradients(upstream, x, low, high, bits, narrow)

    return where(nothing, 0.0, steps * scale + least), grad


def _gradients(
    upstream: Tensor, x: Tensor, low: Tensor, high: Tensor, bits: int, narrow: bool
) -> Gradients:
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


def quantize_and_dequantize_v2(
    input: Any,
    input_min: Any,
    input_max: Any,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Tensor:
    """Numbers rounded to what integers of ``num_bits`` times a scale tell apart, with 0 among them.

    Args:
        input_min, input_max: the range, scalars, if ``range_given``; else it is that of the
            numbers, for each place along ``axis``.
        signed_input: whether the integers are signed.
        round_mode: of halves: "HALF_TO_EVEN" or "HALF_UP".
        narrow_range: leaves the lowest signed integer out.

    The gradient is that of the result where a number is within the given bounds, which have none.

    Raises:
        InvalidArgumentError: for other numbers of bits (1 to 62), another ``round_mode``, or bounds
            that are no scalars.

    Example:
        >>> import tfpy as tf
        >>> quantized = tf.quantization.quantize_and_dequantize_v2
        >>> quantized([-1.0, 0.3, 0.9], -1.0, 1.0, num_bits=3, range_given=True).numpy().round(3)
        array([-1.   ,  0.333,  1.   ], dtype=float32)
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
    """The least and the largest integer."""
    if not signed:
        return 0.0, float(2**bits - 1)
    return float(-(2 ** (bits - 1)) + narrow), float(2 ** (bits - 1) - 1)


@custom_gradient
def _quantized(x: Tensor, low: Tensor, high: Tensor, axis: int | None, how: Sequence[Any]) -> Any:
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
    input: Any,
    input_min: Any,
    input_max: Any,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Tensor:
    """:func:`quantize_and_dequantize_v2`, whose gradient passes every number on.

    Args:
        axis: of the input, whose entries have ranges of their own; none by default.

    Example:
        >>> import tfpy as tf
        >>> quantized = tf.quantization.quantize_and_dequantize
        >>> quantized([-1.0, 0.3, 0.9], -1.0, 1.0, num_bits=3, range_given=True).numpy().round(3)
        array([-1.   ,  0.333,  1.   ], dtype=float32)
    """
    x = convert_to_tensor(input)
    rest = (input_min, input_max, signed_input, num_bits, range_given, round_mode)
    found = quantize_and_dequantize_v2(x, *rest, narrow_range=narrow_range, axis=axis)
    return _straight(x, found)


@custom_gradient
def _straight(x: Tensor, found: Tensor) -> Any:
    return found, lambda upstream: (upstream, None)
