"""TensorFlow.js's names: ragged tensors as their row partitions and flat values."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.core.conversion import convert_to_tensor, host_values
from tfpy._src.core.tensor import Tensor
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.ragged import making
from tfpy._src.tensors.ragged.gathering import gather


def ragged_range(starts: Any, limits: Any, deltas: Any) -> dict[str, Tensor]:
    """TensorFlow.js's ``raggedRange``.

    Returns:
        ``rt_nested_splits`` and ``rt_dense_values``.

    Example:
        >>> import tfpy as tf
        >>> rows = tf.ragged.ragged_range([0, 5], [3, 7], 1)
        >>> {name: value.numpy().tolist() for name, value in rows.items()}
        {'rt_nested_splits': [0, 3, 5], 'rt_dense_values': [0, 1, 2, 5, 6]}
    """
    result = making.range(starts, limits, deltas)
    return {"rt_nested_splits": result.row_splits, "rt_dense_values": result.values}


def ragged_gather(
    params_nested_splits: Any, params_dense_values: Any, indices: Any, output_ragged_rank: int
) -> dict[str, Any]:
    """TensorFlow.js's ``raggedGather``.

    Returns:
        ``output_nested_splits``, a list, and ``output_dense_values``.

    Raises:
        ValueError: when ``output_ragged_rank`` is not that of the result.

    Example:
        >>> import tfpy as tf
        >>> splits, values = [[0, 2, 3]], [10, 20, 30]  # the rows [10, 20] and [30]
        >>> rows = tf.ragged.ragged_gather(splits, values, [1, 0, 1], output_ragged_rank=1)
        >>> rows["output_dense_values"].numpy().tolist()
        [30, 10, 20, 30]
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
    shape: Any,
    values: Any,
    default_value: Any,
    row_partition_tensors: Any,
    row_partition_types: Any,
) -> Tensor:
    """TensorFlow.js's ``raggedTensorToTensor``.

    Args:
        row_partition_types: "FIRST_DIM_SIZE", "VALUE_ROWIDS" or "ROW_SPLITS" for each of
            ``row_partition_tensors``, outermost first.

    Raises:
        ValueError: for other types.

    Example:
        >>> import tfpy as tf
        >>> to_tensor = tf.ragged.ragged_tensor_to_tensor
        >>> to_tensor([2, 3], [1, 2, 3], 0, [[0, 2, 3]], ["ROW_SPLITS"]).numpy().tolist()
        [[1, 2, 0], [3, 0, 0]]
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
            raise ValueError(f"row partition type {types[i]!r} is not known")
    wanted = host_values(shape).tolist() if np.ndim(host_values(shape)) else None
    return result.to_tensor(default_value, shape=wanted)


def _rows_above(types: Any, tensors: Any, i: int, counts: Any) -> int | None:
    """How many rows the partition ``i`` has: the values of the partition before it."""
    if i == 0:
        return None
    if types[i - 1] == "FIRST_DIM_SIZE":
        return counts[i - 1]
    before = host_values(tensors[i - 1])
    return int(before[-1]) if types[i - 1] == "ROW_SPLITS" else int(before.size)
