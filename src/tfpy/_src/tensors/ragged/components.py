"""TensorFlow.js's functions of ragged tensors, given as row partitions and flat values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.core.conversion import convert_to_tensor, host_values
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import ShapeLike, TensorLike
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.ragged import making
from tfpy._src.tensors.ragged.gathering import gather


def ragged_range(starts: TensorLike, limits: TensorLike, deltas: TensorLike) -> dict[str, Tensor]:
    """Create the row splits and values of a ragged tensor with a sequence of numbers in each row.

    Row `i` contains the numbers from `starts[i]` to `limits[i]`, exclusive. Equivalent to
    `tf.raggedRange` in TensorFlow.js.

    Args:
        starts: First number of each row, a vector or scalar.
        limits: End of each row (exclusive), a vector or scalar.
        deltas: Difference between consecutive numbers of each row, a vector or scalar.

    Returns:
        Dictionary with two tensors: `rt_nested_splits` contains the row splits, and
        `rt_dense_values` contains the numbers of all rows.

    Raises:
        tf.errors.InvalidArgumentError: If an element of `deltas` is 0, or the vectors have
            different lengths.

    Example:
        >>> import tfpy as tf
        >>> rows = tf.ragged.ragged_range([0, 5], [3, 7], 1)
        >>> {name: value.numpy().tolist() for name, value in rows.items()}
        {'rt_nested_splits': [0, 3, 5], 'rt_dense_values': [0, 1, 2, 5, 6]}

    See also: `tf.ragged.range`.
    """
    result = making.range(starts, limits, deltas)
    return {"rt_nested_splits": result.row_splits, "rt_dense_values": result.values}


def ragged_gather(
    params_nested_splits: Sequence[TensorLike],
    params_dense_values: TensorLike,
    indices: TensorLike,
    output_ragged_rank: int,
) -> dict[str, Any]:
    """Gather rows of a ragged tensor that is given by its row splits and values.

    Equivalent to `tf.raggedGather` in TensorFlow.js.

    Args:
        params_nested_splits: List with the row splits of each ragged axis, outermost axis first.
        params_dense_values: Values of all rows, a tensor of shape `[n, ...]`.
        indices: Indices of the rows to gather, an integer tensor.
        output_ragged_rank: Expected number of ragged axes of the result, which is only checked.

    Returns:
        Dictionary with two keys: `output_nested_splits` is a list with the row splits of each
        ragged axis of the result, and `output_dense_values` is a tensor with the values of all
        rows.

    Raises:
        ValueError: If the result does not have `output_ragged_rank` ragged axes.

    Example:
        >>> import tfpy as tf
        >>> splits, values = [[0, 2, 3]], [10, 20, 30]  # the rows [10, 20] and [30]
        >>> rows = tf.ragged.ragged_gather(splits, values, [1, 0, 1], output_ragged_rank=1)
        >>> rows["output_dense_values"].numpy().tolist()
        [30, 10, 20, 30]
        >>> rows["output_nested_splits"][0].numpy().tolist()
        [0, 1, 3, 4]

    See also: `tf.gather`.
    """
    params = RaggedTensor.from_nested_row_splits(params_dense_values, params_nested_splits)
    result = gather(params, indices)
    nested = result.nested_row_splits
    if len(nested) != output_ragged_rank:
        raise ValueError(
            f"output_ragged_rank must be {len(nested)} for these indices, got {output_ragged_rank}"
        )
    return {
        "output_nested_splits": list(nested),
        "output_dense_values": result.flat_values,
    }


def ragged_tensor_to_tensor(
    shape: ShapeLike,
    values: TensorLike,
    default_value: TensorLike,
    row_partition_tensors: Sequence[TensorLike],
    row_partition_types: Sequence[str],
) -> Tensor:
    """Convert a ragged tensor that is given by its row partitions and values to a dense tensor.

    Equivalent to `tf.raggedTensorToTensor` in TensorFlow.js.

    Args:
        shape: Shape of the result, to which rows are cropped or padded. A dimension of -1 means the
            length of the longest row, and a scalar -1 means this for all dimensions.
        values: Values of all rows, a tensor of shape `[n, ...]`.
        default_value: Padding value at the ends of short rows.
        row_partition_tensors: List with the row partition of each ragged axis, outermost axis
            first, in the form that `row_partition_types` specifies.
        row_partition_types: Form of each row partition. `"ROW_SPLITS"` is a vector of the positions
            where rows begin and end, `"VALUE_ROWIDS"` is a vector of the row index of each value,
            and `"FIRST_DIM_SIZE"` is the number of rows, which can precede `"VALUE_ROWIDS"`.

    Returns:
        Dense tensor with the dtype of `values`.

    Raises:
        ValueError: If an element of `row_partition_types` is unknown.

    Example:
        >>> import tfpy as tf
        >>> to_tensor = tf.ragged.ragged_tensor_to_tensor
        >>> to_tensor([2, 3], [1, 2, 3], 0, [[0, 2, 3]], ["ROW_SPLITS"]).numpy().tolist()
        [[1, 2, 0], [3, 0, 0]]

    See also: `tf.RaggedTensor.to_tensor`.
    """
    result: Any = convert_to_tensor(values)
    types, tensors = list(row_partition_types), list(row_partition_tensors)
    counts = [int(t) if k == "FIRST_DIM_SIZE" else None
              for k, t in zip(types, map(host_values, tensors), strict=True)]  # fmt: skip
    for i in range(len(types) - 1, -1, -1):
        if types[i] == "ROW_SPLITS":
            result = RaggedTensor.from_row_splits(result, tensors[i])
        elif types[i] == "VALUE_ROWIDS":
            above = _rows_above(types, tensors, i, counts)
            result = RaggedTensor.from_value_rowids(result, tensors[i], above)
        elif types[i] != "FIRST_DIM_SIZE":
            raise ValueError(
                f"ragged_tensor_to_tensor: unknown row partition type {types[i]!r}, must be "
                "'FIRST_DIM_SIZE', 'VALUE_ROWIDS' or 'ROW_SPLITS'"
            )
    wanted = host_values(shape).tolist() if np.ndim(host_values(shape)) else None
    return result.to_tensor(default_value, shape=wanted)


def _rows_above(types: Any, tensors: Any, i: int, counts: Any) -> int | None:
    """Return the number of rows of partition `i`: the number of values of the one before."""
    if i == 0:
        return None
    if types[i - 1] == "FIRST_DIM_SIZE":
        return counts[i - 1]
    before = host_values(tensors[i - 1])
    return int(before[-1]) if types[i - 1] == "ROW_SPLITS" else int(before.size)
