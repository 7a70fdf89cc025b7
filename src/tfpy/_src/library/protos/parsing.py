"""`tf.io.parse_example`: serialized examples as tensors."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid, invalid_value
from tfpy._src.compiler.ir.aval import Array, Aval
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.functions.control.effects import on_host
from tfpy._src.library.io.checked_json import ModelFileError
from tfpy._src.library.protos import columns
from tfpy._src.library.protos.composites import composed
from tfpy._src.library.protos.feature_plan import Dense, FeaturePlan, plan_of
from tfpy._src.library.protos.features import (
    Feature,
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    VarLenFeature,
)
from tfpy._src.library.protos.scanning import KINDS, NAMES, entries_of, name_of, parts_of, values_of

_OP = "parse_example"
_ALLOWED = (VarLenFeature, SparseFeature, FixedLenFeature, FixedLenSequenceFeature, RaggedFeature)


def parse_example(
    serialized: TensorLike,
    features: Mapping[str, Feature] | None,
    example_names: TensorLike | None = None,
    name: str | None = None,
) -> dict[str, Any]:
    """Convert a batch of serialized `tf.train.Example` messages to tensors.

    Features that are not in `features` are skipped. In a `tf.function` and in
    `tf.data.Dataset.map`, a call with only `tf.io.FixedLenFeature` is compiled. With other
    configurations, shapes depend on the examples, so the function runs eagerly.

    Args:
        serialized: String tensor of shape `[n]` with the examples, or of shape `[]` with one
            example, whose results have no batch axis.
        features: Mapping from the names of features to their configurations:
            `tf.io.FixedLenFeature`, `tf.io.FixedLenSequenceFeature` (with `allow_missing=True`),
            `tf.io.VarLenFeature`, `tf.io.RaggedFeature` or `tf.io.SparseFeature`.
        example_names: String tensor of the shape of `serialized` with the names of the examples,
            for errors. Default: `<unknown>`.

    Returns:
        A dict with the tensor of each feature: a dense tensor of shape `[n, *shape]` for
        FixedLenFeature, a dense tensor of shape `[n, longest, *shape]` for FixedLenSequenceFeature,
        a sparse tensor for VarLenFeature and SparseFeature, and a ragged tensor for RaggedFeature.
        The dtypes are those of the configurations.

    Raises:
        ValueError: If a configuration is not supported or contradicts another one.
        tf.errors.InvalidArgumentError: If a string is not a serialized example, a required feature
            is missing, or a feature does not have the dtype or the number of values of its
            configuration. Also if an integer does not fit 32 bits, unless the environment variable
            `TFPY_ENABLE_X64` is set.

    Example:
        >>> import tfpy as tf
        >>> def example(age):
        ...     numbers = tf.train.Feature(int64_list=tf.train.Int64List(value=[age]))
        ...     features = tf.train.Features(feature={"age": numbers})
        ...     return tf.train.Example(features=features).SerializeToString()
        >>> config = {"age": tf.io.FixedLenFeature([], tf.int64)}
        >>> tf.io.parse_example([example(29), example(31)], config)["age"].numpy().tolist()
        [29, 31]

    See also: `tf.io.parse_single_example`, `tf.io.parse_sequence_example`, `tf.train.Example`.
    """
    if not features:
        raise ValueError(f"Argument `features` cannot be None or falsy. Got {features}")
    for feature in features.values():
        if isinstance(feature, FixedLenSequenceFeature) and not feature.allow_missing:
            raise ValueError(
                "Unsupported: FixedLenSequenceFeature requires allow_missing to be True."
            )
    plan = plan_of(features, _ALLOWED, _OP)
    x = as_serialized(serialized, _OP)
    names = names_of(example_names, x, _OP)

    def parse(value: Tensor) -> dict[str, Any]:
        data = value.host_view().reshape(-1).tolist()
        return _parsed(data, names, plan, batched=bool(value.ndim))

    if not plan.is_static():
        return composed(_OP, features, parse(x))
    keys = list(plan.dense)
    avals = [Aval((*x.aval.shape, *c.shape), c.dtype) for c in plan.dense.values()]

    def listed(value: Tensor) -> list[Tensor]:
        found = parse(value)
        return [found[key] for key in keys]

    return dict(zip(keys, on_host(listed, [x], avals), strict=True))


def parse_single_example(
    serialized: TensorLike,
    features: Mapping[str, Feature] | None,
    example_names: TensorLike | None = None,
    name: str | None = None,
) -> dict[str, Any]:
    """Convert one serialized `tf.train.Example` message to tensors.

    Args:
        serialized: Scalar string tensor with the example.
        features: Mapping from the names of features to their configurations, as in
            `tf.io.parse_example`.
        example_names: Scalar string tensor with the name of the example, for errors.

    Returns:
        A dict with the tensor of each feature, as `tf.io.parse_example` returns it but without the
        batch axis.

    Raises:
        ValueError: If `serialized` is not a scalar, or a configuration is not supported or
            contradicts another one.
        tf.errors.InvalidArgumentError: If the string is not a serialized example, a required
            feature is missing, or a feature does not match its configuration.

    Example:
        >>> import tfpy as tf
        >>> example = tf.train.Example()
        >>> example.features.feature["age"].int64_list.value.append(29)
        >>> config = {"age": tf.io.FixedLenFeature([], tf.int64)}
        >>> tf.io.parse_single_example(example.SerializeToString(), config)["age"].numpy().tolist()
        29

    See also: `tf.io.parse_example`.
    """
    if features is None:
        raise ValueError("Invalid argument: features cannot be None.")
    if not features:
        raise ValueError("Invalid argument: features cannot be empty.")
    return parse_example(as_scalar(serialized), features, example_names)


def as_scalar(serialized: TensorLike) -> Tensor:
    """Convert a serialized example to a scalar string tensor.

    Raises:
        ValueError: If it is not a scalar.
    """
    x = convert_to_tensor(serialized)
    if x.ndim:
        raise ValueError("Input serialized must be a scalar")
    return x


def as_serialized(value: TensorLike, op: str) -> Tensor:
    """Convert serialized examples to a string tensor of rank 0 or 1."""
    x = convert_to_tensor(value)
    if x.dtype != dtypes.string:
        raise ValueError(
            f"Tensor conversion requested dtype string for Tensor with dtype {x.dtype.name}: {x!r}"
        )
    if x.ndim > 1:
        sizes = ",".join(map(str, x.aval.shape))
        raise invalid(op, f"Expected serialized to be a scalar or vector, got shape: [{sizes}]")
    return x


def names_of(example_names: TensorLike | None, serialized: Tensor, op: str) -> list[str]:
    """Return the names of examples as texts; an empty list if there are none."""
    if example_names is None:
        return []
    names = convert_to_tensor(example_names, dtypes.string)
    if 0 in names.aval.shape:
        return []
    if names.aval.shape != serialized.aval.shape:
        raise invalid(
            op,
            "Expected names have the same shape as serialized: name.shape="
            f"{list(names.aval.shape)}, serialized.shape={list(serialized.aval.shape)}",
        )
    return [text.decode("utf-8", "replace") for text in names.host_view().reshape(-1).tolist()]


def _parsed(
    data: Sequence[bytes], names: Sequence[str], plan: FeaturePlan, batched: bool
) -> dict[str, Any]:
    """Return the tensors of all columns."""
    found: dict[str, Any] = {}
    entries = [_entries(text) for text in data]
    columns_of: dict[str, Any] = {**plan.sparse, **plan.dense, **plan.ragged}
    for key, column in columns_of.items():
        parts = []
        for number, (text, example) in enumerate(zip(data, entries, strict=True)):
            where = ""
            if batched:
                where = f"Name: {names[number] if names else '<unknown>'}, "
            parts.append(_values(text, example, key, column, where, number if batched else None))
        if isinstance(column, Dense):
            found[key] = _dense(key, column, parts, batched)
        elif isinstance(column, tuple):
            found[key] = columns.ragged(_OP, key, parts, column, batched)
        else:
            found[key] = columns.sparse(_OP, key, parts, column, batched)
    return found


def _malformed(data: bytes) -> Exception:
    text = data.decode("utf-8", "backslashreplace")
    return invalid_value(_OP, f"Could not parse example input, value: '{text}'")


def _entries(data: bytes) -> dict[bytes, memoryview]:
    try:
        return entries_of(parts_of(memoryview(data)).get(1))
    except ModelFileError:
        raise _malformed(data) from None


def _values(
    data: bytes,
    example: Mapping[bytes, memoryview],
    key: str,
    column: Any,
    where: str,
    number: int | None,
) -> Array:
    """Return the values of a feature of one example.

    Args:
        where: Beginning of errors, with the name of the example in a batch.
        number: Number of the example in the batch. None without a batch.
    """
    dense = column if isinstance(column, Dense) else None
    dtype = dense.dtype if dense else column[0] if isinstance(column, tuple) else column
    message = example.get(key.encode())
    try:
        kind, values = (0, columns.empty(dtype)) if message is None else values_of(message)
    except ModelFileError:
        raise _malformed(data) from None
    if not kind:
        return _missing(key, dense, where) if dense else columns.empty(dtype)
    at = f"{where}Key: {key}.  " if number is None else f"{where}Key: {key}, Index: {number}.  "
    if kind != KINDS[dtype]:
        actual, expected = NAMES[kind], name_of(dtype)
        types = f"Expected type: {expected}, Actual type: {actual}"
        if dense:
            types = f"Data type: {actual} but expected type: {expected}"
        raise invalid_value(_OP, f"{at}Data types don't match. {types}")
    if dense:
        _check_size(values.size, key, dense, at, number is not None)
    return values


def _missing(key: str, column: Dense, where: str) -> Array:
    if column.is_sequence:
        return columns.empty(column.dtype)
    if column.default is None:
        raise invalid_value(
            _OP,
            f"{where}Feature: {key} (data type: {name_of(column.dtype)}) is required but could not "
            "be found.",
        )
    return column.default


def _check_size(count: int, key: str, column: Dense, at: str, batched: bool) -> None:
    size, name = math.prod(column.shape), name_of(column.dtype)
    shape = ",".join(map(str, column.shape))
    if not column.is_sequence:
        if count != size:
            raise invalid_value(
                _OP,
                f"{at}Number of {name} values != expected.  Values size: {count} but output "
                f"shape: [{shape}]",
            )
    elif size == 0 or count % size:
        if not batched:
            raise invalid_value(
                _OP,
                f"Error while parsing feature with key {key}: number of elements should be "
                f"divisible by {size}, found {count} instead",
            )
        raise invalid_value(
            _OP,
            f"{at}Number of {name} values is not a multiple of stride length. Saw {count} values "
            f"but output shape is: [{','.join(['?', *map(str, column.shape)])}]",
        )


def _dense(key: str, column: Dense, parts: Sequence[Array], batched: bool) -> Tensor:
    lead = (len(parts),) if batched else ()
    if not column.is_sequence:
        values = columns.joined(parts, column.dtype)
        return columns.tensor(_OP, key, values.reshape((*lead, *column.shape)))
    padding: Any = b"" if column.dtype == dtypes.string else 0
    if column.default is not None:
        padding = np.asarray(column.default).item()
    try:
        values = columns.padded(parts, column.shape, padding, column.dtype)
    except ValueError as error:
        raise invalid_value(_OP, f"Key: {key}.  {error}") from None
    return columns.tensor(_OP, key, values if batched else values[0])
