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
    """Create a row of numbers for each start, as row splits and flat values.

    TensorFlow.js has this function as `tf.raggedRange`.

    Args:
        starts: Vector or scalar, the first number of each row.
        limits: Vector or scalar, the end of each row, exclusive.
        deltas: Vector or scalar, the differences between neighboring numbers.

    Returns:
        Dict of tensors: the row splits, `rt_nested_splits`, and the flat values, `rt_dense_values`.

    Raises:
        tf.errors.InvalidArgumentError: If a delta is 0, or the vectors have different lengths.

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
    """Gather rows of a ragged tensor that is given as row splits and flat values.

    TensorFlow.js has this function as `tf.raggedGather`.

    Args:
        params_nested_splits: Row splits of each ragged axis, outermost first.
        params_dense_values: Tensor of shape `[n, ...]`, the flat values.
        indices: Integer tensor, the indices of the rows.
        output_ragged_rank: Number of ragged axes of the result, for a check.

    Returns:
        Dict of the row splits of each ragged axis, `output_nested_splits`, a list, and the flat
        values, `output_dense_values`.

    Raises:
        ValueError: If the result has another number of ragged axes than `output_ragged_rank`.

    Example:
        >>> import tfpy as tf
        >>> splits, values = [[0, 2, 3]], [10, 20, 30]  # the rows [10, 20] and [30]
        >>> rows = tf.ragged.ragged_gather(splits, values, [1, 0, 1], output_ragged_rank=1)
        >>> rows["output_dense_values"].numpy().tolist()
        [30, 10, 20, 30]

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
    """Convert a ragged tensor that is given as row partitions and values to a dense tensor.

    TensorFlow.js has this function as `tf.raggedTensorToTensor`.

    Args:
        shape: Shape of the result; -1 means the longest row, and the scalar -1 means this for all
            axes.
        values: Tensor of shape `[n, ...]`, the flat values.
        default_value: Value at the ends of short rows.
        row_partition_tensors: Row partitions, outermost first.
        row_partition_types: `"FIRST_DIM_SIZE"`, `"VALUE_ROWIDS"` or `"ROW_SPLITS"` for each row
            partition.

    Returns:
        Dense tensor of the dtype of `values`.

    Raises:
        ValueError: If a type of row partition is unknown.

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
