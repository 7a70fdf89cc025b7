"""Pooling and its gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy._src.base.errors import invalid_value
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.raw_ops.derivative import pulled_back
from tfpy._src.formats.raw_ops.neural import padded
from tfpy._src.formats.raw_ops.records import op
from tfpy._src.library.networks import fractional
from tfpy._src.library.networks.patches import conv
from tfpy._src.tensors.array.making import cast, zeros, zeros_like
from tfpy._src.tensors.array.ranges import range as range_
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.array.segments import unsorted_segment_sum
from tfpy._src.tensors.array.slicing import gather
from tfpy._src.tensors.array.static import static_ints
from tfpy._src.tensors.nn import pooling, pooling_argmax


def _max_pool(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    explicit_paddings: Sequence[int] = (),
    data_format: str = "NHWC",
) -> Tensor:
    pads = padded(padding, explicit_paddings)
    return pooling.max_pool2d(input, ksize, strides, pads, data_format)


def _max_pool_with_argmax(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    Targmax: Any,
    include_batch_in_index: bool,
) -> tuple[Tensor, Tensor]:
    return pooling_argmax.max_pool_with_argmax(
        input, ksize, strides, padding, "NHWC", Targmax, include_batch_in_index
    )


def _fractional(reduce: Any) -> Any:
    """Return an operation that pools random regions."""

    def pooled(
        value: Any,
        pooling_ratio: Sequence[float],
        pseudo_random: bool,
        overlapping: bool,
        deterministic: bool,
        seed: int,
        seed2: int,
    ) -> Any:
        if not deterministic and (seed or seed2):
            raise invalid_value(
                "FractionalPool", "Both seed and seed2 should be 0 if deterministic is false."
            )
        seeds = (seed, seed2) if seed or seed2 else None
        return fractional.pooled(reduce, value, pooling_ratio, pseudo_random, overlapping, seeds)

    return pooled


def _regions(*sequences: Any) -> list[Tensor]:
    return [cast(one, "int32") for one in sequences]


def _mean_gradient(
    orig_input_tensor_shape: Any,
    out_backprop: Any,
    row_pooling_sequence: Any,
    col_pooling_sequence: Any,
    overlapping: bool,
) -> Tensor:
    rows, columns = _regions(row_pooling_sequence, col_pooling_sequence)
    start = zeros(static_ints(orig_input_tensor_shape), convert_to_tensor(out_backprop).dtype)
    return pulled_back(
        lambda x: fractional.mean(x, rows, columns, overlapping), start, out_backprop
    )


def _largest_gradient(
    orig_input: Any,
    orig_output: Any,
    out_backprop: Any,
    row_pooling_sequence: Any,
    col_pooling_sequence: Any,
    overlapping: bool,
) -> Tensor:
    rows, columns = _regions(row_pooling_sequence, col_pooling_sequence)
    return pulled_back(
        lambda x: fractional.largest(x, rows, columns, overlapping), orig_input, out_backprop
    )


def _second(pool: Any, x: Any, grad: Any) -> Tensor:
    """Return the derivative of the gradient of pooling: the elements of `grad` at the maxima."""
    return pulled_back(lambda dy: pulled_back(pool, x, dy), zeros_like(pool(x)), grad)


def _flat_places(argmax: Any, size: int, include_batch_in_index: bool) -> Tensor:
    """Return flat indices into a batch of elements of one size."""
    at = cast(argmax, "int32")
    if include_batch_in_index:
        return at
    first = range_(at.aval.shape[0]) * size
    return at + reshape(first, [-1, 1, 1, 1])


def _scattered(input: Any, grad: Any, argmax: Any, include_batch_in_index: bool) -> Tensor:
    x, dy = convert_to_tensor(input), convert_to_tensor(grad)
    places = _flat_places(argmax, x.size // x.aval.shape[0], include_batch_in_index)
    found = unsorted_segment_sum(reshape(dy, [-1]), reshape(places, [-1]), x.size)
    return reshape(found, x.aval.shape)


def _at_places(grad: Any, argmax: Any, include_batch_in_index: bool) -> Tensor:
    dy = convert_to_tensor(grad)
    places = _flat_places(argmax, dy.size // dy.aval.shape[0], include_batch_in_index)
    return gather(reshape(dy, [-1]), places, axis=0)


op('AvgPool(value; ksize, strides, padding, data_format="NHWC") -> output', pooling.avg_pool2d)
op('AvgPool3D(input; ksize, strides, padding, data_format="NDHWC") -> output', pooling.avg_pool3d)
op(
    'AvgPool3DGrad(orig_input_shape, grad; ksize, strides, padding, data_format="NDHWC") -> output',
    lambda orig_input_shape, grad, **attrs: pulled_back(
        lambda x: pooling.avg_pool3d(x, **attrs), zeros(orig_input_shape), grad
    ),
)
op(
    'AvgPoolGrad(orig_input_shape, grad; ksize, strides, padding, data_format="NHWC") -> output',
    lambda orig_input_shape, grad, **attrs: pulled_back(
        lambda x: pooling.avg_pool2d(x, **attrs), zeros(orig_input_shape), grad
    ),
)
op(
    'MaxPool(input; ksize, strides, padding, explicit_paddings=[], data_format="NHWC") -> output',
    _max_pool,
)
op('MaxPool3D(input; ksize, strides, padding, data_format="NDHWC") -> output', pooling.max_pool3d)
op(
    "MaxPool3DGrad(orig_input, orig_output, grad; ksize, strides, padding, "
    'data_format="NDHWC") -> output',
    lambda orig_input, orig_output, grad, **attrs: pulled_back(
        lambda x: pooling.max_pool3d(x, **attrs), orig_input, grad
    ),
)
op(
    "MaxPoolGrad(orig_input, orig_output, grad; ksize, strides, padding, "
    'explicit_paddings=[], data_format="NHWC") -> output',
    lambda orig_input, orig_output, grad, **attrs: pulled_back(
        lambda x: _max_pool(x, **attrs), orig_input, grad
    ),
)
op(
    "MaxPoolGradV2(orig_input, orig_output, grad, ksize, strides; padding, "
    'data_format="NHWC") -> output',
    lambda orig_input, orig_output, grad, ksize, strides, padding, data_format: pulled_back(
        lambda x: _max_pool(x, static_ints(ksize), static_ints(strides), padding, (), data_format),
        orig_input,
        grad,
    ),
)
op(
    'MaxPoolV2(input, ksize, strides; padding, data_format="NHWC") -> output',
    lambda input, ksize, strides, padding, data_format: _max_pool(
        input, static_ints(ksize), static_ints(strides), padding, (), data_format
    ),
)
op(
    "MaxPoolWithArgmax(input; ksize, strides, padding, Targmax=int64, "
    "include_batch_in_index=False) -> output, argmax",
    _max_pool_with_argmax,
)
op(
    "FractionalAvgPool(value; pooling_ratio, pseudo_random=False, overlapping=False, "
    "deterministic=False, seed=0, seed2=0) -> output, row_pooling_sequence, "
    "col_pooling_sequence",
    _fractional(fractional.mean),
)
op(
    "FractionalAvgPoolGrad(orig_input_tensor_shape, out_backprop, row_pooling_sequence, "
    "col_pooling_sequence; overlapping=False) -> output",
    _mean_gradient,
)
op(
    "FractionalMaxPool(value; pooling_ratio, pseudo_random=False, overlapping=False, "
    "deterministic=False, seed=0, seed2=0) -> output, row_pooling_sequence, "
    "col_pooling_sequence",
    _fractional(fractional.largest),
)
op(
    "FractionalMaxPoolGrad(orig_input, orig_output, out_backprop, row_pooling_sequence, "
    "col_pooling_sequence; overlapping=False) -> output",
    _largest_gradient,
)
op(
    "MaxPoolGradWithArgmax(input, grad, argmax; ksize, strides, padding, "
    "include_batch_in_index=False) -> output",
    _scattered,
)
op(
    "MaxPoolGradGradWithArgmax(input, grad, argmax; ksize, strides, padding, "
    "include_batch_in_index=False) -> output",
    lambda input, grad, argmax, include_batch_in_index: _at_places(
        grad, argmax, include_batch_in_index
    ),
)
op(
    "MaxPoolGradGrad(orig_input, orig_output, grad; ksize, strides, padding, "
    'data_format="NHWC") -> output',
    lambda orig_input, orig_output, grad, **attrs: _second(
        lambda x: _max_pool(x, **attrs), orig_input, grad
    ),
)
op(
    "MaxPool3DGradGrad(orig_input, orig_output, grad; ksize, strides, padding, "
    'data_format="NDHWC") -> output',
    lambda orig_input, orig_output, grad, **attrs: _second(
        lambda x: pooling.max_pool3d(x, **attrs), orig_input, grad
    ),
)
op(
    "MaxPoolGradGradV2(orig_input, orig_output, grad, ksize, strides; padding, "
    'data_format="NHWC") -> output',
    lambda orig_input, orig_output, grad, ksize, strides, padding, data_format: _second(
        lambda x: _max_pool(x, static_ints(ksize), static_ints(strides), padding, (), data_format),
        orig_input,
        grad,
    ),
)
op(
    'Conv(input, filter; strides, padding, explicit_paddings=[], data_format="CHANNELS_LAST", '
    "dilations=[], batch_dims=1, groups=1) -> output",
    conv,
)
