"""`tf.compat.v1`: readers of examples and CSV records with TensorFlow 1's order of arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tfpy._src.base import dtypes
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, TensorLike
from tfpy._src.library.io import decoding, files
from tfpy._src.library.protos import parsing, sparse_protos
from tfpy._src.library.protos.features import Feature
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor


def parse_example(
    serialized: TensorLike,
    features: Mapping[str, Feature] | None,
    name: str | None = None,
    example_names: TensorLike | None = None,
) -> dict[str, Any]:
    """Convert a batch of serialized `tf.train.Example` messages to tensors.

    It is `tf.io.parse_example` with TensorFlow 1's order of arguments.

    Args:
        serialized: String tensor of shape `[n]` with the examples, or a scalar.
        features: Mapping from the names of features to their configurations.
        example_names: String tensor of the shape of `serialized`, for errors.

    Returns:
        A dict with the tensor of each feature.

    Raises:
        ValueError: If a configuration is not supported or contradicts another one.
        tf.errors.InvalidArgumentError: If an example is malformed or does not match `features`.

    Example:
        >>> import tfpy as tf
        >>> example = tf.train.Example()
        >>> example.features.feature["age"].int64_list.value.append(29)
        >>> config = {"age": tf.compat.v1.FixedLenFeature([], tf.int64)}
        >>> batch = [example.SerializeToString()]
        >>> tf.compat.v1.parse_example(batch, config)["age"].numpy().tolist()
        [29]

    See also: `tf.io.parse_example`.
    """
    return parsing.parse_example(serialized, features, example_names)


def parse_single_example(
    serialized: TensorLike,
    features: Mapping[str, Feature] | None,
    name: str | None = None,
    example_names: TensorLike | None = None,
) -> dict[str, Any]:
    """Convert one serialized `tf.train.Example` message to tensors.

    It is `tf.io.parse_single_example` with TensorFlow 1's order of arguments.

    Args:
        serialized: Scalar string tensor with the example.
        features: Mapping from the names of features to their configurations.
        example_names: Scalar string tensor with the name of the example, for errors.

    Returns:
        A dict with the tensor of each feature.

    Raises:
        ValueError: If a configuration is not supported or contradicts another one.
        tf.errors.InvalidArgumentError: If the example is malformed or does not match `features`.

    Example:
        >>> import tfpy as tf
        >>> example = tf.train.Example()
        >>> example.features.feature["age"].int64_list.value.append(29)
        >>> config = {"age": tf.compat.v1.FixedLenFeature([], tf.int64)}
        >>> text = example.SerializeToString()
        >>> tf.compat.v1.parse_single_example(text, config)["age"].numpy().tolist()
        29

    See also: `tf.io.parse_single_example`.
    """
    return parsing.parse_single_example(serialized, features, example_names)


def decode_csv(
    records: TensorLike,
    record_defaults: Sequence[TensorLike],
    field_delim: str = ",",
    use_quote_delim: bool = True,
    name: str | None = None,
    na_value: str = "",
    select_cols: Sequence[int] | None = None,
) -> list[Tensor]:
    """Convert CSV records to tensors, one for each column.

    It is `tf.io.decode_csv` with TensorFlow 1's order of arguments.

    Args:
        records: String tensor of any shape; each string is one record.
        record_defaults: List with the default value of each column, which determines the dtype.
        field_delim: Character between fields.
        use_quote_delim: If True, fields may be enclosed in double quotation marks.
        na_value: String that is treated like an empty field.
        select_cols: Indices of the columns to read, in ascending order. Default: all columns.

    Returns:
        List of tensors of the shape of `records`.

    Raises:
        ValueError: If `select_cols` is not valid.
        tf.errors.InvalidArgumentError: If a record does not match the columns.

    Example:
        >>> import tfpy as tf
        >>> [x.numpy().tolist() for x in tf.compat.v1.decode_csv(["1,2", "3,4"], [[0], [0]])]
        [[1, 3], [2, 4]]

    See also: `tf.io.decode_csv`.
    """
    return decoding.decode_csv(
        records, record_defaults, field_delim, use_quote_delim, na_value, select_cols
    )


def decode_raw(
    input_bytes: TensorLike | None = None,
    out_type: DTypeLike | None = None,
    little_endian: bool = True,
    name: str | None = None,
) -> Tensor:
    """Convert the bytes of strings to numbers, as `tf.io.decode_raw` does.

    Args:
        input_bytes: String tensor of any shape with strings of the same length.
        out_type: Dtype of the numbers.
        little_endian: If True, the first byte of a number is the least significant one.

    Returns:
        Tensor of shape `[*input_bytes.shape, n]` and dtype `out_type`.

    Raises:
        ValueError: If an argument is missing.
        tf.errors.InvalidArgumentError: If the lengths of the strings are not valid.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.decode_raw(b"ab", tf.uint8).numpy().tolist()
        [97, 98]

    See also: `tf.io.decode_raw`.
    """
    if input_bytes is None or out_type is None:
        raise ValueError("decode_raw_v1() missing 1 positional argument: 'out_type'")
    return files.decode_raw(input_bytes, out_type, little_endian)


def serialize_sparse(
    sp_input: SparseTensor, name: str | None = None, out_type: DTypeLike = dtypes.string
) -> Tensor:
    """Serialize a sparse tensor as three messages, as `tf.io.serialize_sparse` does.

    Args:
        sp_input: A `tf.SparseTensor`.
        out_type: `tf.string`.

    Returns:
        String tensor of shape `[3]`.

    Raises:
        TypeError: If `sp_input` is not a sparse tensor.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.serialize_sparse(tf.sparse.from_dense([[1, 0]])).shape
        TensorShape([3])

    See also: `tf.io.serialize_sparse`.
    """
    return sparse_protos.serialize_sparse(sp_input, out_type)


def serialize_many_sparse(
    sp_input: SparseTensor, name: str | None = None, out_type: DTypeLike = dtypes.string
) -> Tensor:
    """Serialize each row of a sparse tensor, as `tf.io.serialize_many_sparse` does.

    Args:
        sp_input: A `tf.SparseTensor` of rank 2 or more, with n rows.
        out_type: `tf.string`.

    Returns:
        String tensor of shape `[n, 3]`.

    Raises:
        TypeError: If `sp_input` is not a sparse tensor.
        tf.errors.InvalidArgumentError: If the rank of `sp_input` is less than 2.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.serialize_many_sparse(tf.sparse.from_dense([[1, 0], [0, 2]])).shape
        TensorShape([2, 3])

    See also: `tf.io.serialize_many_sparse`.
    """
    return sparse_protos.serialize_many_sparse(sp_input, out_type)
