"""Counting values: ``tf.math.bincount``, histograms and the confusion matrix."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import as_dtype
from tfpy._src.base.errors import invalid, invalid_value
from tfpy._src.compiler.ops import elementwise as ew, indexing, logic
from tfpy._src.compiler.ops.failing import failing
from tfpy._src.compiler.ops.families.infer import FLOAT, check_dtype, check_same_dtype
from tfpy._src.core.conversion import as_tensors, constant, convert_to_tensor, host_values
from tfpy._src.core.dispatch import dispatchable
from tfpy._src.core.tensor import Tensor
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
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = dtypes.int32,
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> Tensor:
    """How often each of 0, 1, 2, … occurs in ``arr``.

    ``arr`` is read on the host, unless ``minlength`` and ``maxlength`` agree.

    Args:
        arr: integers that are not negative.
        weights: of ``arr``'s shape; their sums are given, in their dtype, instead of counts.
        minlength: the least size of the result.
        maxlength: the largest; greater values are not counted.
        axis: None or 0 counts all of ``arr``, -1 each row of a matrix.
        binary_output: gives 1 for values that occur.

    Raises:
        InvalidArgumentError: for negative values, or weights of another shape.
        ValueError: for another axis.

    Example:
        >>> import tfpy as tf
        >>> tf.math.bincount([1, 1, 3]).numpy().tolist()
        [0, 2, 0, 1]
        >>> tf.math.bincount([1, 1, 3], weights=[0.5, 0.25, 4.0]).numpy().tolist()
        [0.0, 0.75, 0.0, 4.0]
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
            f"weights {list(amounts.shape)} and arr {list(values.shape)} must have one shape",
        )
    size = bin_count(values, minlength, maxlength)
    rows = values.aval.shape[0] if axis == -1 and values.ndim == 2 else 1
    ids = reshape(values, [rows, values.size // max(rows, 1)])
    offsets = reshape(indexing.range_(start=0, delta=size, count=rows, dtype=dtypes.int32), [-1, 1])
    ids = logic.select(logic.logical_and(ids >= 0, ids < size), ids + offsets, -1)
    flat = reshape(amounts, ids.aval.shape)
    counts = indexing.segment_sum(flat, ids, segments=rows * size)
    if binary_output:
        counts = cast(
            indexing.segment_sum(ones(ids.aval.shape), ids, segments=rows * size) > 0, dtype
        )
    return reshape(counts, [rows, size] if axis == -1 and values.ndim == 2 else [size])


def bin_count(values: Tensor, minlength: Any, maxlength: Any) -> int:
    """How many bins integers are counted in.

    Raises:
        InvalidArgumentError: for negative ones.
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
    """The two bounds, read on the host."""
    bounds = host_values(value_range)
    if bounds.shape != (2,):
        raise invalid("histogram_fixed_width", f"value_range must have 2 elements: {value_range}")
    low, high = (float(v) for v in bounds)
    return low, high


def _bins(nbins: Any) -> int:
    """Return the number of bins, read on the host; it may be refused as :func:`_refused`."""
    found = host_values(nbins)
    if found.ndim:
        raise invalid("histogram_fixed_width", "nbins should be a scalar.")
    return int(found)


def _refused(low: float, high: float, bins: int) -> str:
    """Return why there are no bins of this range and number, or an empty string."""
    if bins <= 0:
        return f"nbins should be a positive number, but got '{bins}'"
    if low < high:
        return ""
    return f"value_range should satisfy value_range[0] < value_range[1], but got [{low}, {high}]"


def histogram_fixed_width_bins(
    values: Any,
    value_range: Any,
    nbins: Any = 100,
    dtype: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """The bin of each value: ``nbins`` of one width in ``value_range``, the outer ones unbounded.

    NaN, and in an empty range its bound, has the lowest integer for a bin.

    Args:
        values: Float tensor.
        value_range: Two numbers of the dtype of `values`.
        dtype: of the result; int64 and float64 have 32 bits without ``TFPY_ENABLE_X64``.

    Raises:
        InvalidArgumentError: If there is no bin, or the dtypes are not one of floats.

    Example:
        >>> import tfpy as tf
        >>> x = [0.5, 1.5, 1.7, 9.0]
        >>> tf.histogram_fixed_width_bins(x, value_range=[0.0, 5.0], nbins=5).numpy().tolist()
        [0, 1, 1, 4]
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
    values: Any,
    value_range: Any,
    nbins: Any = 100,
    dtype: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """How many values each bin has; see :func:`histogram_fixed_width_bins`. NaN is not counted.

    Args:
        dtype: of the result; int64 and float64 have 32 bits without ``TFPY_ENABLE_X64``.

    Raises:
        InvalidArgumentError: when the range is empty or there is no bin, or its tensor has another
            dtype than the values.
        TypeError: If the range consists of floats and the values are integers.

    Example:
        >>> import tfpy as tf
        >>> x = [0.5, 1.5, 1.7, 9.0]
        >>> tf.histogram_fixed_width(x, value_range=[0.0, 5.0], nbins=5).numpy().tolist()
        [1, 2, 0, 0, 1]
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
    """Return the lowest float32 of each bin but the first.

    They are found with TensorFlow's arithmetic, which divides by the width of a bin in float64: a
    device would round other values into a bin, or overflow.
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
    """Return the place of a float32 in the order of all."""
    bits = int(x.view(np.int32))
    return bits if bits >= 0 else -(bits & 0x7FFFFFFF)


def _ordered(places: Any) -> Floats:
    """Return the float32 of each place of :func:`_order`."""
    bits = np.where(places < 0, -places | 0x80000000, places)
    return bits.astype(np.uint32).view(np.float32)


def confusion_matrix(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    weights: Any = None,
    dtype: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """How often each label (row) was predicted as each class (column).

    Args:
        num_classes: read from labels and predictions, on the host, unless given.
        weights: what each pair counts, 1 by default.
        dtype: of the result; int64 and float64 have 32 bits without ``TFPY_ENABLE_X64``.

    Raises:
        InvalidArgumentError: for negative labels or, on cpu and wasm, such as are not below
            ``num_classes``.

    Example:
        >>> import tfpy as tf
        >>> labels, predictions = [0, 1, 2, 2], [0, 2, 2, 2]
        >>> tf.math.confusion_matrix(labels, predictions).numpy().tolist()
        [[1, 0, 0], [0, 0, 1], [0, 0, 2]]
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
    return scatter_nd(pairs, amounts, [size, size])


def _int_vector(values: Any) -> Tensor:
    x = convert_to_tensor(values)
    return x if x.dtype == dtypes.int32 else cast(x, dtypes.int32)


def _classes(pairs: Tensor) -> int:
    host = pairs.host_view()
    if host.size and host.min() < 0:
        raise invalid_value(
            "confusion_matrix", "`labels` or `predictions` contains negative values"
        )
    return int(host.max()) + 1 if host.size else 0


def zero_fraction(value: Any, name: str | None = None) -> Tensor:
    """The share of elements that are 0, a float32 scalar; NaN for an empty tensor.

    Example:
        >>> import tfpy as tf
        >>> tf.math.zero_fraction([0.0, 1.0, 0.0, 3.0]).numpy().tolist()
        0.5
    """
    x = convert_to_tensor(value)
    nonzero = cast(count_nonzero(x), dtypes.float32)
    return 1.0 - nonzero / float(x.size) if x.size else nonzero * math.nan
