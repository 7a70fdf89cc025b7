"""`tf.io.parse_sequence_example`: serialized sequence examples as tensors."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType
from tfpy._src.base.errors import invalid_value
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.library.io.checked_json import ModelFileError
from tfpy._src.library.protos import columns
from tfpy._src.library.protos.composites import composed
from tfpy._src.library.protos.feature_plan import Dense, FeaturePlan, plan_of
from tfpy._src.library.protos.features import (
    Feature,
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    VarLenFeature,
)
from tfpy._src.library.protos.parsing import as_scalar, as_serialized, names_of
from tfpy._src.library.protos.scanning import (
    KINDS,
    entries_of,
    name_of,
    parts_of,
    steps_of,
    values_of,
)
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor

_OP = "parse_sequence_example"
_CONTEXT = (VarLenFeature, FixedLenFeature, RaggedFeature)
_SEQUENCE = (VarLenFeature, FixedLenSequenceFeature, RaggedFeature)
_Steps = list[Array]
"""The values of each step of one feature list."""


def parse_sequence_example(
    serialized: TensorLike,
    context_features: Mapping[str, Feature] | None = None,
    sequence_features: Mapping[str, Feature] | None = None,
    example_names: TensorLike | None = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Tensor]]:
    """Convert a batch of serialized `tf.train.SequenceExample` messages to tensors.

    Shapes depend on the examples. A `tf.function` that calls this function with an argument is
    therefore not compiled, but runs eagerly.

    Args:
        serialized: String tensor of shape `[n]` with the examples, or of shape `[]` with one
            example, whose results have no batch axis.
        context_features: Mapping from the names of features of whole examples to their
            configurations: `tf.io.FixedLenFeature`, `tf.io.VarLenFeature` or
            `tf.io.RaggedFeature`.
        sequence_features: Mapping from the names of sequences to their configurations:
            `tf.io.FixedLenSequenceFeature`, `tf.io.VarLenFeature` or `tf.io.RaggedFeature`.
        example_names: String tensor of the shape of `serialized` with the names of the examples,
            for errors.

    Returns:
        A tuple of three dicts: the tensors of the context features, the tensors of the sequences,
        and the numbers of steps of the dense sequences, which are int64 tensors of shape `[n]`.
        Dense sequences have the shape `[n, longest, *shape]`; they are padded with 0 or the empty
        string. Sparse and ragged sequences have the axes example, step and value.

    Raises:
        ValueError: If both mappings are empty, or a configuration is not supported.
        tf.errors.InvalidArgumentError: If a string is not a serialized example, a required feature
            is missing, or a feature does not match its configuration.

    Example:
        >>> import tfpy as tf
        >>> def example(words):
        ...     message = tf.train.SequenceExample()
        ...     for word in words:
        ...         step = message.feature_lists.feature_list["words"].feature.add()
        ...         step.bytes_list.value.append(word)
        ...     return message.SerializeToString()
        >>> config = {"words": tf.io.FixedLenSequenceFeature([], tf.string)}
        >>> batch = [example([b"a", b"b"]), example([b"c"])]
        >>> _, words, lengths = tf.io.parse_sequence_example(batch, None, config)
        >>> words["words"].numpy().tolist(), lengths["words"].numpy().tolist()
        ([[b'a', b'b'], [b'c', b'']], [2, 1])

    See also: `tf.io.parse_single_sequence_example`, `tf.io.parse_example`.
    """
    if not (context_features or sequence_features):
        raise ValueError(
            "Both `context_features` and `sequence_features` argument are None, but at least one "
            "should have values."
        )
    context = plan_of(context_features, _CONTEXT, _OP)
    sequence = plan_of(sequence_features, _SEQUENCE, _OP)
    for key, column in sequence.dense.items():
        if column.default is not None:
            raise ValueError(f"Value feature_list.dense_defaults[{key}] must be None")
    x = as_serialized(serialized, _OP)
    names = names_of(example_names, x, _OP)
    data = x.host_view().reshape(-1).tolist()
    batch = _Batch(data, names or ["<unknown>"] * len(data), batched=bool(x.ndim))
    of_context, (of_lists, lengths) = batch.context(context), batch.lists(sequence)
    return (
        composed(_OP, context_features or {}, of_context),
        composed(_OP, sequence_features or {}, of_lists),
        lengths,
    )


def parse_single_sequence_example(
    serialized: TensorLike,
    context_features: Mapping[str, Feature] | None = None,
    sequence_features: Mapping[str, Feature] | None = None,
    example_name: TensorLike | None = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Convert one serialized `tf.train.SequenceExample` message to tensors.

    Args:
        serialized: Scalar string tensor with the example.
        context_features: Mapping from the names of features of the whole example to their
            configurations, as in `tf.io.parse_sequence_example`.
        sequence_features: Mapping from the names of sequences to their configurations, as in
            `tf.io.parse_sequence_example`.
        example_name: Scalar string tensor with the name of the example, for errors.

    Returns:
        A tuple of two dicts: the tensors of the context features, and the tensors of the sequences.
        They have no batch axis.

    Raises:
        ValueError: If both mappings are empty, `serialized` is not a scalar, or a configuration is
            not supported.
        tf.errors.InvalidArgumentError: If the string is not a serialized example, a required
            feature is missing, or a feature does not match its configuration.

    Example:
        >>> import tfpy as tf
        >>> message = tf.train.SequenceExample()
        >>> for step in [[1, 2], [3, 4]]:
        ...     new = message.feature_lists.feature_list["x"].feature.add()
        ...     new.int64_list.value.extend(step)
        >>> config = {"x": tf.io.FixedLenSequenceFeature([2], tf.int64)}
        >>> _, found = tf.io.parse_single_sequence_example(
        ...     message.SerializeToString(), sequence_features=config
        ... )
        >>> found["x"].numpy().tolist()
        [[1, 2], [3, 4]]

    See also: `tf.io.parse_sequence_example`.
    """
    if not (context_features or sequence_features):
        raise ValueError(
            "Both context_features and sequence_features are None, but at least one should have "
            "values."
        )
    x = as_scalar(serialized)
    return parse_sequence_example(x, context_features, sequence_features, example_name)[:2]


class _Batch:
    """Serialized examples whose features are read by key.

    Args:
        names: Name of each example, for errors.
        batched: True if the tensors have an axis for the examples.
    """

    def __init__(self, data: Sequence[bytes], names: Sequence[str], batched: bool) -> None:
        self._names, self._batched = names, batched
        self._examples = [
            self._checked(name, partial(_of_example, text))
            for text, name in zip(data, names, strict=True)
        ]

    def _checked(self, name: str, read: Callable[[], Any]) -> Any:
        try:
            return read()
        except ModelFileError:
            raise invalid_value(
                _OP, f"Invalid protocol message input, example id: {name}"
            ) from None

    def context(self, plan: FeaturePlan) -> dict[str, Any]:
        """Return the tensors of features of whole examples."""
        found: dict[str, Any] = {}
        for key, dtype in plan.sparse.items():
            parts = self._values(key, dtype)
            found[key] = columns.sparse(_OP, key, parts, dtype, self._batched)
        for key, column in plan.dense.items():
            found[key] = self._dense_context(key, column)
        for key, kinds in plan.ragged.items():
            parts = self._values(key, kinds[0])
            found[key] = columns.ragged(_OP, key, parts, kinds, self._batched)
        return found

    def _values(self, key: str, dtype: DType, default: Array | None = None) -> list[Array]:
        """Return the values of a feature of each example."""
        found = []
        for (context, _), name in zip(self._examples, self._names, strict=True):
            message = context.get(key.encode())
            kind, values = 0, columns.empty(dtype)
            if message is not None:
                kind, values = self._checked(name, partial(values_of, message))
            if kind not in (0, KINDS[dtype]):
                raise invalid_value(
                    _OP,
                    f"Name: {name}, Context feature: {key}.  Data types don't match. Expected "
                    f"type: {name_of(dtype)}",
                )
            if not kind:
                values = columns.empty(dtype) if default is None else default
            found.append(values)
        return found

    def _dense_context(self, key: str, column: Dense) -> Tensor:
        parts = self._values(key, column.dtype, column.default)
        size = math.prod(column.shape)
        for count in [part.size for part in parts] or [0]:
            if count != size:
                raise invalid_value(
                    _OP,
                    f"Inconsistent max number of elements for feature {key}: expected {size}, but "
                    f"found {count}",
                )
        lead = (len(parts),) if self._batched else ()
        values = columns.joined(parts, column.dtype).reshape((*lead, *column.shape))
        return columns.tensor(_OP, key, values)

    def lists(self, plan: FeaturePlan) -> tuple[dict[str, Any], dict[str, Tensor]]:
        """Return the tensors of sequences, and the numbers of steps of the dense ones."""
        found: dict[str, Any] = {}
        lengths: dict[str, Tensor] = {}
        for key, dtype in plan.sparse.items():
            found[key] = self._sparse_list(key, self._steps(key, dtype), dtype)
        for key, column in plan.dense.items():
            steps = self._steps(key, column.dtype, column)
            found[key] = self._dense_list(key, steps, column)
            counts = np.array([len(rows) for rows in steps], np.int64)
            lengths[key] = columns.tensor(_OP, key, counts if self._batched else counts.reshape(()))
        for key, kinds in plan.ragged.items():
            found[key] = self._ragged_list(key, self._steps(key, kinds[0]), kinds)
        return found, lengths

    def _steps(self, key: str, dtype: DType, dense: Dense | None = None) -> list[_Steps]:
        """Return the values of each step of each example."""
        found: list[_Steps] = []
        for (_, lists), name in zip(self._examples, self._names, strict=True):
            message = lists.get(key.encode())
            if message is None:
                if dense is not None and not dense.allow_missing:
                    raise invalid_value(
                        _OP,
                        f"Name: {name}, Feature list '{key}' is required but could not be found.  "
                        "Did you mean to include it in feature_list_dense_missing_assumed_empty or "
                        "feature_list_dense_defaults?",
                    )
                found.append([])
                continue
            rows: _Steps = []
            for kind, values in self._checked(name, partial(_step_values, message)):
                if kind not in (0, KINDS[dtype]):
                    raise invalid_value(
                        _OP,
                        f"Name: {name}, Feature list: {key}, Index: {len(rows)}.  Data types don't "
                        f"match. Expected type: {name_of(dtype)}",
                    )
                rows.append(values if kind else columns.empty(dtype))
                if dense is not None:
                    _check_step(rows, key, dense, name)
            found.append(rows)
        return found

    def _dense_list(self, key: str, steps: list[_Steps], column: Dense) -> Tensor:
        parts = [columns.joined(rows, column.dtype) for rows in steps]
        padding: Any = b"" if column.dtype == dtypes.string else 0
        try:
            values = columns.padded(parts, column.shape, padding, column.dtype)
        except ValueError as error:
            raise invalid_value(_OP, f"Feature list {key}: {error}") from None
        return columns.tensor(_OP, key, values if self._batched else values[0])

    def _sparse_list(self, key: str, steps: list[_Steps], dtype: DType) -> SparseTensor:
        rows = [row for example in steps for row in example]
        values = columns.tensor(_OP, key, columns.joined(rows, dtype))
        places = [
            (number, step, column)
            for number, example in enumerate(steps)
            for step, row in enumerate(example)
            for column in range(row.size)
        ]
        longest = max((len(example) for example in steps), default=0)
        widest = max((row.size for row in rows), default=0)
        indices = np.array(places, np.int64).reshape(-1, 3)
        if not self._batched:
            return columns.sparse_of(indices[:, 1:], values, (longest, widest))
        return columns.sparse_of(indices, values, (len(steps), longest, widest))

    def _ragged_list(
        self, key: str, steps: list[_Steps], kinds: tuple[DType, DType]
    ) -> RaggedTensor:
        rows = [row for example in steps for row in example]
        values = columns.tensor(_OP, key, columns.joined(rows, kinds[0]))
        inner = columns.splits_of([row.size for row in rows], kinds[1])
        found = RaggedTensor.from_row_splits(values, inner, validate=False)
        if not self._batched:
            return found
        outer = columns.splits_of([len(example) for example in steps], kinds[1])
        return RaggedTensor.from_row_splits(found, outer, validate=False)


def _of_example(data: bytes) -> tuple[dict[bytes, memoryview], dict[bytes, memoryview]]:
    """Return the context features and the feature lists of an example by key."""
    fields = parts_of(memoryview(data))
    return entries_of(fields.get(1)), entries_of(fields.get(2))


def _step_values(data: memoryview) -> list[tuple[int, Array]]:
    """Return the kind and the values of each step of a feature list."""
    return [values_of(step) for step in steps_of(data)]


def _check_step(rows: _Steps, key: str, column: Dense, name: str) -> None:
    count = rows[-1].size
    if count != math.prod(column.shape):
        raise invalid_value(
            _OP,
            f"Name: {name}, Key: {key}, Index: {len(rows) - 1}.  Number of values != expected.  "
            f"values size: {count} but output shape: [{','.join(map(str, column.shape))}]",
        )
