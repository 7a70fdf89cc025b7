"""Counting values: `tf.math.bincount`, histograms and the confusion matrix."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.base.errors import InvalidArgumentError, invalid, invalid_value
from tfpy._src.compiler.ops import elementwise as ew, indexing, logic
from tfpy._src.compiler.ops.failing import failing
from tfpy._src.compiler.ops.families.infer import FLOAT, check_dtype, check_same_dtype
from tfpy._src.core.conversion import as_tensors, constant, convert_to_tensor, host_values
from tfpy._src.core.dispatch import dispatchable
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, IntLike, TensorLike
from tfpy._src.tensors.array.joining import stack
from tfpy._src.tensors.array.making import cast, ones
from tfpy._src.tensors.array.reshaping import reshape, squeeze
from tfpy._src.tensors.array.scattering import scatter_nd
from tfpy._src.tensors.array.sorting import searchsorted
from tfpy._src.tensors.array.static import static_int
from tfpy._src.tensors.math.reductions import count_nonzero

Floats = np.ndarray[Any, np.dtype[np.float32]]


@dispatchable
def bincount(
    arr: TensorLike,
    weights: TensorLike | None = None,
    minlength: IntLike | None = None,
    maxlength: IntLike | None = None,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> Tensor:
    """Count how often each of the integers 0, 1, 2, … occurs.

    If `minlength` and `maxlength` are equal, they are the size of the result. Otherwise, the size
    depends on the values of `arr`. The values are then read back to Python, so the call waits for
    pending computations, and a `tf.function` in which `arr` is not constant runs eagerly, without
    compilation.

    Args:
        arr: Tensor of non-negative integers.
        weights: Tensor with the shape of `arr`. If it is passed, the result contains the sum of the
            weights of each integer instead of the number of occurrences.
        minlength: Smallest size of the result. Default: 0.
        maxlength: Largest size of the result. Integers that are not less than `maxlength` are not
            counted. Default: no limit.
        dtype: Dtype of the counts, which has no effect on sums of weights. Default: int32.
        axis: If -1, count in each row of a matrix separately. If 0 or None (default), count in the
            whole tensor.
        binary_output: If True, return 1 for integers that occur and 0 for the others, instead of
            the numbers of occurrences.

    Returns:
        Tensor of shape `[size]`, or `[rows, size]` if `axis` is -1. Its dtype is `dtype`, or the
        dtype of `weights` for sums of weights.

    Raises:
        tf.errors.InvalidArgumentError: If `weights` and `arr` have different shapes, or an element
            is negative. If `minlength` and `maxlength` are equal, the GPU backends ignore negative
            elements instead.
        ValueError: If `axis` is not None, 0 or -1.

    Example:
        >>> import tfpy as tf
        >>> tf.math.bincount([1, 1, 3]).numpy().tolist()
        [0, 2, 0, 1]
        >>> tf.math.bincount([1, 1, 3], weights=[0.5, 0.25, 4.0]).numpy().tolist()
        [0.0, 0.75, 0.0, 4.0]

    See also: `tf.math.confusion_matrix`, `tf.histogram_fixed_width`.
    """
    if axis not in (None, 0, -1):
        raise ValueError(
            f"Unsupported value for argument axis={axis}. Only 0 and -1 are supported."
        )
    values = convert_to_tensor(arr)
    values = values if values.dtype == dtypes.int32 else cast(values, dtypes.int32)
    amounts = ones(values.aval.shape, dtype) if weights is None else convert_to_tensor(weights)
    if amounts.aval.shape != values.aval.shape:
        raise invalid(
            "bincount",
            f"weights {list(amounts.shape)} and arr {list(values.shape)} must have the same shape",
        )
    size = bin_count(values, minlength, maxlength)
    rows = values.aval.shape[0] if axis == -1 and values.ndim == 2 else 1
    ids = reshape(values, [rows, values.size // max(rows, 1)])
    offsets = reshape(indexing.range_(start=0, delta=size, count=rows, dtype=dtypes.int32), [-1, 1])
    dropped = logic.select(ids < 0, rows * size, -1)  # segment_sum refuses negative integers
    ids = logic.select(logic.logical_and(ids >= 0, ids < size), ids + offsets, dropped)
    flat = reshape(amounts, ids.aval.shape)
    counts = indexing.segment_sum(flat, ids, segments=rows * size)
    if binary_output:
        counts = cast(
            indexing.segment_sum(ones(ids.aval.shape), ids, segments=rows * size) > 0, dtype
        )
    return reshape(counts, [rows, size] if axis == -1 and values.ndim == 2 else [size])


def bin_count(values: Tensor, minlength: IntLike | None, maxlength: IntLike | None) -> int:
    """Return the number of bins for counting integers.

    Raises:
        InvalidArgumentError: If an integer is negative.
    """
    least, most = (None if v is None else static_int(v) for v in (minlength, maxlength))
    if least is not None and least == most:
        return least
    host = values.host_view()
    if host.size and host.min() < 0:
        raise invalid_value("bincount", f"Input arr must be non-negative, got {host.min()}")
    size = max(least or 0, int(host.max()) + 1 if host.size else 0)
    return size if most is None else min(size, most)


def _range(value_range: Any) -> tuple[float, float]:
    """Return the two bounds, which are read on the host."""
    bounds = host_values(value_range)
    if bounds.shape != (2,):
        raise invalid(
            "histogram_fixed_width",
            f"value_range should be a vector of 2 elements, got {value_range}",
        )
    low, high = (float(v) for v in bounds)
    return low, high


def _bins(nbins: Any) -> int:
    """Return the number of bins, which is read on the host. `_refused` checks it."""
    found = host_values(nbins)
    if found.ndim:
        raise invalid("histogram_fixed_width", "nbins should be a scalar.")
    return int(found)


def _refused(low: float, high: float, bins: int) -> str:
    """Return why there cannot be bins of this range and number, or an empty string."""
    if bins <= 0:
        return f"nbins should be a positive number, but got '{bins}'"
    if low < high:
        return ""
    return f"value_range should satisfy value_range[0] < value_range[1], but got [{low}, {high}]"


def histogram_fixed_width_bins(
    values: TensorLike,
    value_range: TensorLike,
    nbins: IntLike = 100,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """Return the index of the bin of each value, for a histogram with bins of equal width.

    Values outside of the range belong to the first or last bin. The result for NaN is the smallest
    integer of `dtype`. If both bounds are equal, this is also the result for values that are equal
    to them.

    Args:
        values: Float tensor of any shape.
        value_range: Vector `[low, high]` of the bounds, with the dtype of `values`.
        nbins: Number of bins. Default: 100.
        dtype: Dtype of the result. Default: int32. Unless the environment variable
            `TFPY_ENABLE_X64` is set, `tf.int64` and `tf.float64` are aliases of `tf.int32` and
            `tf.float32`.

    Returns:
        Tensor with the shape of `values`.

    Raises:
        tf.errors.InvalidArgumentError: If `nbins` is not positive, `values` is not a float tensor,
            or the dtypes of `values` and `value_range` differ.

    Example:
        >>> import tfpy as tf
        >>> x = [0.5, 1.5, 1.7, 9.0]
        >>> tf.histogram_fixed_width_bins(x, value_range=[0.0, 5.0], nbins=5).numpy().tolist()
        [0, 1, 1, 4]

    See also: `tf.histogram_fixed_width`, `tf.searchsorted`.
    """
    name = "histogram_fixed_width_bins"
    bins = _bins(nbins)
    low, high = _range(value_range)
    x, bounds = convert_to_tensor(values), convert_to_tensor(value_range)
    check_dtype(name, x.aval, FLOAT, "values")
    check_same_dtype(name, (x.aval, bounds.aval))
    if bins <= 0:
        return failing(name, _refused(low, high, bins), (x,), x.aval.shape, as_dtype(dtype))
    scaled = (cast(x, dtypes.float32) - low) / convert_to_tensor(high - low, dtypes.float32)
    limited = ew.minimum(ew.maximum(ew.floor(scaled * float(bins)), 0.0), float(bins - 1))
    return cast(limited, dtype)


def histogram_fixed_width(
    values: TensorLike,
    value_range: TensorLike,
    nbins: IntLike = 100,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """Count the values in each bin of a histogram with bins of equal width.

    Values outside of the range belong to the first or last bin. NaN is not counted.

    Args:
        values: Numeric tensor of any shape.
        value_range: Vector `[low, high]` of the bounds, with the dtype of `values`.
        nbins: Number of bins. Default: 100.
        dtype: Dtype of the result. Default: int32. Unless the environment variable
            `TFPY_ENABLE_X64` is set, `tf.int64` and `tf.float64` are aliases of `tf.int32` and
            `tf.float32`.

    Returns:
        Vector of shape `[nbins]` with the number of values in each bin.

    Raises:
        tf.errors.InvalidArgumentError: If the lower bound is not less than the upper bound, `nbins`
            is not positive, or the dtypes of `values` and `value_range` differ.
        TypeError: If the bounds are floats and the values are integers.

    Example:
        >>> import tfpy as tf
        >>> x = [0.5, 1.5, 1.7, 9.0]
        >>> tf.histogram_fixed_width(x, value_range=[0.0, 5.0], nbins=5).numpy().tolist()
        [1, 2, 0, 0, 1]

    See also: `tf.histogram_fixed_width_bins`, `tf.math.bincount`.
    """
    given, limits = as_tensors(ew.add, (values, value_range))
    check_same_dtype("histogram_fixed_width", (given.aval, limits.aval))
    low, high = _range(limits)
    bins = _bins(nbins)
    if why := _refused(low, high, bins):
        return failing("histogram_fixed_width", why, (), (max(bins, 0),), as_dtype(dtype))
    x = reshape(cast(given, dtypes.float32), [-1])
    places = searchsorted(constant(_edges(low, high, bins)), x, side="right")
    ids = logic.select(logic.is_nan(x), -1, places)
    return indexing.segment_sum(ones(ids.aval.shape, dtype), ids, segments=bins)


def _edges(low: float, high: float, bins: int) -> Floats:
    """Return the lowest float32 of each bin except the first.

    The edges are computed with TensorFlow's arithmetic, which divides by the bin width in float64.
    On a device, other values would be rounded into a bin, or the division would overflow.
    """
    width = (high - low) / bins
    wanted = np.arange(1, bins)
    places = (_order(np.float32(v)) for v in (low, math.inf))
    least, most = (np.full(bins - 1, place, np.int64) for place in places)
    with np.errstate(over="ignore"):
        while (least < most).any():
            middle = (least + most) // 2
            reached = (_ordered(middle).astype(np.float64) - low) / width >= wanted
            least, most = np.where(reached, least, middle + 1), np.where(reached, middle, most)
    return _ordered(most)


def _order(x: np.float32) -> int:
    """Return the rank of a float32 in the order of all float32 numbers."""
    bits = int(x.view(np.int32))
    return bits if bits >= 0 else -(bits & 0x7FFFFFFF)


def _ordered(places: Any) -> Floats:
    """Return the float32 of each rank. This is the inverse of `_order`."""
    bits = np.where(places < 0, -places | 0x80000000, places)
    return bits.astype(np.uint32).view(np.float32)


def confusion_matrix(
    labels: TensorLike,
    predictions: TensorLike,
    num_classes: IntLike | None = None,
    weights: TensorLike | None = None,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """Count how often each true class was predicted as each class.

    Element `[i, j]` of the result is the number of examples of class i that were predicted as class
    j.

    Without `num_classes`, the size of the result depends on the values of `labels` and
    `predictions`. They are read back to Python, so the call waits for pending computations. A
    `tf.function` in which they are not constant runs eagerly, without compilation.

    Args:
        labels: Integer vector of the true classes.
        predictions: Integer vector of the predicted classes, with the length of `labels`.
        num_classes: Number of classes. Default: the largest class plus 1.
        weights: Vector with the weight of each example. Default: 1 for each example.
        dtype: Dtype of the result. Default: int32. Unless the environment variable
            `TFPY_ENABLE_X64` is set, `tf.int64` and `tf.float64` are aliases of `tf.int32` and
            `tf.float32`.

    Returns:
        Tensor of shape `[num_classes, num_classes]`.

    Raises:
        tf.errors.InvalidArgumentError: If a class is negative or not less than `num_classes`. If
            `num_classes` is passed, only the cpu and wasm backends check this.

    Example:
        >>> import tfpy as tf
        >>> labels, predictions = [0, 1, 2, 2], [0, 2, 2, 2]
        >>> tf.math.confusion_matrix(labels, predictions).numpy().tolist()
        [[1, 0, 0], [0, 0, 1], [0, 0, 2]]

    See also: `tf.math.bincount`.
    """
    truth, guess = (_int_vector(v) for v in (labels, predictions))
    if truth.ndim == guess.ndim + 1 and truth.aval.shape[-1] == 1:
        truth = squeeze(truth, -1)
    elif guess.ndim == truth.ndim + 1 and guess.aval.shape[-1] == 1:
        guess = squeeze(guess, -1)
    pairs = stack([truth, guess], axis=-1)
    size = _classes(pairs) if num_classes is None else static_int(num_classes)
    if size < 0:
        raise invalid("confusion_matrix", f"num_classes must not be negative, got {size}")
    kind = as_dtype(dtype)
    amounts = ones(truth.aval.shape, kind) if weights is None else cast(weights, kind)
    try:
        return scatter_nd(pairs, amounts, [size, size])
    except InvalidArgumentError as error:
        raise _wrong_class(truth, guess, size) or error from None


def _wrong_class(truth: Tensor, guess: Tensor, size: int) -> InvalidArgumentError | None:
    """Return the error for labels or predictions that are not classes, if there are any."""
    for name, values in (("labels", truth), ("predictions", guess)):
        host = values.host_view() if values.has_values else np.zeros(0)
        if host.size and host.min() < 0:
            return invalid_value("confusion_matrix", f"`{name}` contains negative values")
        if host.size and host.max() >= size:
            return invalid_value("confusion_matrix", f"`{name}` out of bound: {size} classes")
    return None


def _int_vector(values: Any) -> Tensor:
    """Return values as an int32 tensor."""
    x = convert_to_tensor(values)
    return x if x.dtype == dtypes.int32 else cast(x, dtypes.int32)


def _classes(pairs: Tensor) -> int:
    """Return the number of classes, which is read on the host."""
    host = pairs.host_view()
    if host.size and host.min() < 0:
        raise invalid_value(
            "confusion_matrix", "`labels` or `predictions` contains negative values"
        )
    return int(host.max()) + 1 if host.size else 0


def zero_fraction(value: TensorLike, name: str | None = None) -> Tensor:
    """Return the fraction of elements that are 0.

    Args:
        value: Numeric tensor of any shape.

    Returns:
        Float32 scalar. It is NaN for an empty tensor.

    Example:
        >>> import tfpy as tf
        >>> tf.math.zero_fraction([0.0, 1.0, 0.0, 3.0]).numpy().tolist()
        0.5

    See also: `tf.math.count_nonzero`.
    """
    x = convert_to_tensor(value)
    nonzero = cast(count_nonzero(x), dtypes.float32)
    return 1.0 - nonzero / float(x.size) if x.size else nonzero * math.nan
