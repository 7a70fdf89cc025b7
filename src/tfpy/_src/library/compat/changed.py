"""`tf.compat.v1`: functions whose results or arguments changed in TensorFlow 2."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid
from tfpy._src.core.conversion import convert_to_tensor, is_operand
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import DTypeLike, FloatLike, IntLike, ShapeLike, Strides, TensorLike
from tfpy._src.functions.trace.symbolic import is_symbolic
from tfpy._src.library.sparse.conversion import check_order
from tfpy._src.library.strings import splitting
from tfpy._src.tensors.array import blocks, making, scattering, slicing
from tfpy._src.tensors.array.joining import concat
from tfpy._src.tensors.array.reshaping import reshape
from tfpy._src.tensors.array.static import static_ints
from tfpy._src.tensors.composite.ragged.tensor import RaggedTensor
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor
from tfpy._src.tensors.nn import embeddings, morphology
from tfpy._src.tensors.random.stateful import categorical
from tfpy._src.tensors.variables.variable import Variable

_SPARSE, _RAGGED = "SparseTensor", "RaggedTensor"


def batch_to_space(
    input: TensorLike,
    crops: TensorLike,
    block_size: int | None = None,
    name: str | None = None,
    block_shape: TensorLike | None = None,
) -> Tensor:
    """Move values from the batch to blocks of the spatial axes, as `tf.batch_to_space` does.

    Args:
        input: Tensor of shape `[batch, height, width, ...]`.
        crops: Integer matrix with the numbers of rows to crop before and after each spatial axis.
        block_size: Size of the blocks along height and width.
        block_shape: Sizes of the blocks, one for each spatial axis. It replaces `block_size`.

    Returns:
        Tensor with the dtype of `input`.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape([1, 2, 3, 4], [4, 1, 1, 1])
        >>> y = tf.compat.v1.batch_to_space(x, [[0, 0], [0, 0]], block_size=2)
        >>> y[0, :, :, 0].numpy().tolist()
        [[1, 2], [3, 4]]

    See also: `tf.batch_to_space`, `tf.compat.v1.space_to_batch`.
    """
    return blocks.batch_to_space(input, _block(block_size, block_shape), crops, name)


def space_to_batch(
    input: TensorLike,
    paddings: TensorLike,
    block_size: int | None = None,
    name: str | None = None,
    block_shape: TensorLike | None = None,
) -> Tensor:
    """Move blocks of the spatial axes to the batch, as `tf.space_to_batch` does.

    Args:
        input: Tensor of shape `[batch, height, width, ...]`.
        paddings: Integer matrix with the numbers of zeros before and after each spatial axis.
        block_size: Size of the blocks along height and width.
        block_shape: Sizes of the blocks, one for each spatial axis. It replaces `block_size`.

    Returns:
        Tensor with the dtype of `input`.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape([1, 2, 3, 4], [1, 2, 2, 1])
        >>> y = tf.compat.v1.space_to_batch(x, [[0, 0], [0, 0]], block_size=2)
        >>> y[:, 0, 0, 0].numpy().tolist()
        [1, 2, 3, 4]

    See also: `tf.space_to_batch`, `tf.compat.v1.batch_to_space`.
    """
    return blocks.space_to_batch(input, _block(block_size, block_shape), paddings, name)


def _block(block_size: int | None, block_shape: Any) -> Any:
    if block_shape is not None:
        return block_shape
    if block_size is None:
        raise ValueError("Pass block_size or block_shape")
    return [block_size, block_size]


def dilation2d(
    input: TensorLike,
    filter: TensorLike | None = None,
    strides: Strides | None = None,
    rates: Strides | None = None,
    padding: str | None = None,
    name: str | None = None,
    filters: TensorLike | None = None,
    dilations: Strides | None = None,
) -> Tensor:
    """Compute a grayscale dilation, as `tf.nn.dilation2d` does for the data format NHWC.

    Args:
        input: Tensor of shape `[batch, height, width, channels]`.
        filter: Tensor of shape `[height, width, channels]` and the dtype of `input`.
        strides: Step of the window, four integers.
        rates: Step between the elements of the filters, four integers.
        padding: `"SAME"` or `"VALID"`.
        filters, dilations: Newer names of `filter` and `rates`.

    Returns:
        Tensor of shape `[batch, out_height, out_width, channels]`.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape([1.0, 5.0, 2.0], [1, 1, 3, 1])
        >>> ones = [1, 1, 1, 1]
        >>> y = tf.compat.v1.nn.dilation2d(x, tf.zeros([1, 2, 1]), ones, ones, "VALID")
        >>> tf.reshape(y, [-1]).numpy().tolist()
        [5.0, 5.0]

    See also: `tf.nn.dilation2d`, `tf.compat.v1.nn.erosion2d`.
    """
    kernel = filter if filters is None else filters
    steps = rates if dilations is None else dilations
    if kernel is None or strides is None or steps is None or padding is None:
        raise TypeError("dilation2d() requires filter, strides, rates and padding")
    return morphology.dilation2d(input, kernel, strides, padding, "NHWC", steps, name)


def erosion2d(
    value: TensorLike,
    kernel: TensorLike,
    strides: Strides,
    rates: Strides,
    padding: str,
    name: str | None = None,
) -> Tensor:
    """Compute a grayscale erosion, as `tf.nn.erosion2d` does for the data format NHWC.

    Args:
        value: Tensor of shape `[batch, height, width, channels]`.
        kernel: Tensor of shape `[height, width, channels]` and the dtype of `value`.
        strides: Step of the window, four integers.
        rates: Step between the elements of the kernel, four integers.
        padding: `"SAME"` or `"VALID"`.

    Returns:
        Tensor of shape `[batch, out_height, out_width, channels]`.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape([1.0, 5.0, 2.0], [1, 1, 3, 1])
        >>> ones = [1, 1, 1, 1]
        >>> y = tf.compat.v1.nn.erosion2d(x, tf.zeros([1, 2, 1]), ones, ones, "VALID")
        >>> tf.reshape(y, [-1]).numpy().tolist()
        [1.0, 2.0]

    See also: `tf.nn.erosion2d`, `tf.compat.v1.nn.dilation2d`.
    """
    return morphology.erosion2d(value, kernel, strides, padding, "NHWC", rates, name)


def embedding_lookup(
    params: TensorLike | Sequence[TensorLike],
    ids: TensorLike,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: FloatLike | None = None,
) -> Tensor:
    """Look up the rows of one or several embedding tables at the given ids.

    Args:
        params: Table, a tensor or Variable of shape `[rows, ...]`, or a list of tables. The rows of
            a list of `n` tables are numbered as `partition_strategy` describes.
        ids: Integer tensor.
        partition_strategy: `"mod"` (default): row `i` is row `i // n` of table `i % n`. `"div"`:
            the rows of the tables are numbered one table after the other.
        validate_indices: Has no effect.
        max_norm: Largest norm of each result. Default: no limit.

    Returns:
        Tensor of shape `[*ids.shape, *row_shape]`.

    Raises:
        ValueError: If `partition_strategy` is unknown.

    Example:
        >>> import tfpy as tf
        >>> tables = [tf.constant([[0.0], [2.0]]), tf.constant([[1.0], [3.0]])]
        >>> tf.compat.v1.nn.embedding_lookup(tables, [0, 1, 2]).numpy().tolist()
        [[0.0], [1.0], [2.0]]

    See also: `tf.nn.embedding_lookup`.
    """
    if partition_strategy not in ("mod", "div"):
        raise ValueError(f"Unrecognized partition strategy: {partition_strategy}.")
    if not isinstance(params, list | tuple) or len(params) == 1 or partition_strategy == "div":
        return embeddings.embedding_lookup(params, ids, max_norm)
    tables = [x.value() if isinstance(x, Variable) else convert_to_tensor(x) for x in params]
    counts = np.asarray([x.aval.shape[0] for x in tables], np.int32)
    starts = convert_to_tensor(np.cumsum(counts) - counts)
    rows = convert_to_tensor(ids)
    number = making.cast(rows % len(tables), dtypes.int32)
    row = making.cast(rows // len(tables), dtypes.int32) + slicing.gather(starts, number)
    return embeddings.embedding_lookup(concat(tables, 0), row, max_norm)


def multinomial(
    logits: TensorLike,
    num_samples: IntLike,
    seed: int | None = None,
    name: str | None = None,
    output_dtype: DTypeLike | None = None,
) -> Tensor:
    """Draw samples from categorical distributions, as `tf.random.categorical` does.

    Args:
        logits: Tensor of shape `[batch, classes]` with unnormalized log-probabilities.
        num_samples: Number of samples of each row.
        seed: Seed of the operation.
        output_dtype: Dtype of the result. Default: int64.

    Returns:
        Integer tensor of shape `[batch, num_samples]`.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.multinomial([[0.0, -1000.0]], 3).numpy().tolist()
        [[0, 0, 0]]

    See also: `tf.random.categorical`.
    """
    return categorical(logits, num_samples, output_dtype or dtypes.int64, seed, name)


def sparse_to_dense(
    sparse_indices: TensorLike,
    output_shape: ShapeLike,
    sparse_values: TensorLike,
    default_value: TensorLike = 0,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """Make a dense tensor of values and their indices.

    Args:
        sparse_indices: Integer tensor: a scalar, a vector of indices, or a matrix with an index in
            each row.
        output_shape: Shape of the result.
        sparse_values: Scalar, or vector with the value of each index.
        default_value: Value of the other elements. Default: 0.
        validate_indices: If True, indices of eager tensors must be in row-major order.

    Returns:
        Tensor of shape `output_shape` and the dtype of `sparse_values`.

    Raises:
        tf.errors.InvalidArgumentError: If an argument has another shape, or an index is out of
            bounds or out of order.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.sparse_to_dense([1, 3], [5], [7, 8], -1).numpy().tolist()
        [-1, 7, -1, 8, -1]

    See also: `tf.sparse.to_dense`.
    """
    rows, values = convert_to_tensor(sparse_indices), convert_to_tensor(sparse_values)
    default = convert_to_tensor(default_value, values.dtype)
    rank = len(rows.aval.shape)
    if rank < 2:
        rows = reshape(rows, [-1, 1]) if rank else reshape(rows, [1, 1])
    count = rows.aval.shape[0]
    if not is_operand(output_shape) and np.ndim(np.asarray(output_shape)) > 1:
        raise invalid("sparse_to_dense", f"output_shape must be rank 1, got {output_shape}")
    if default.aval.shape:
        raise invalid("sparse_to_dense", f"default_value should be a scalar, got {default.shape}")
    if values.aval.shape not in ((), (count,)):
        found = ",".join(map(str, values.shape))
        raise invalid(
            "sparse_to_dense",
            f"sparse_values has incorrect shape [{found}], should be [] or [{count}]",
        )
    if not values.aval.shape:
        values = making.fill([count], values)
    if not is_symbolic(rows):
        sparse = SparseTensor(rows, values, static_ints(output_shape))
        _ = sparse.positions  # checks that the indices are in bounds
        if validate_indices:
            check_order(sparse)
    filled = making.fill(output_shape, default)
    return scattering.tensor_scatter_nd_update(filled, rows, values)


def split(
    input: TensorLike | None = None,
    sep: str | None = None,
    maxsplit: int = -1,
    result_type: str = _SPARSE,
    source: TensorLike | None = None,
    name: str | None = None,
) -> SparseTensor | RaggedTensor:
    """Split each string at a separator.

    Args:
        input: Vector of strings.
        sep: Separator. Default: whitespace.
        maxsplit: Largest number of separators at which a string is split. Default: no limit.
        result_type: `"SparseTensor"` (default) or `"RaggedTensor"`.
        source: Older name of `input`.

    Returns:
        SparseTensor of shape `[strings, parts]`, or a RaggedTensor.

    Raises:
        ValueError: If `result_type` is unknown.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.strings.split(["a b", "c"], result_type="RaggedTensor").to_list()
        [[b'a', b'b'], [b'c']]

    See also: `tf.strings.split`, `tf.compat.v1.string_split`.
    """
    if result_type not in (_SPARSE, _RAGGED):
        raise ValueError("result_type must be 'RaggedTensor' or 'SparseTensor'.")
    found = splitting.split(input if source is None else source, sep, maxsplit)  # type: ignore[arg-type]
    assert isinstance(found, RaggedTensor)
    return found if result_type == _RAGGED else found.to_sparse()


def string_split(
    source: TensorLike,
    sep: str | None = None,
    skip_empty: bool = True,
    delimiter: str | None = None,
    result_type: str = _SPARSE,
    name: str | None = None,
) -> SparseTensor | RaggedTensor:
    """Split each string at each byte of a separator.

    Args:
        source: Vector of strings.
        sep: Bytes at which to split. Default: a space. An empty string splits into bytes.
        skip_empty: If True, drop empty strings from the result.
        delimiter: Older name of `sep`.
        result_type: `"SparseTensor"` (default) or `"RaggedTensor"`.

    Returns:
        SparseTensor of shape `[strings, parts]`, or a RaggedTensor.

    Raises:
        ValueError: If `result_type` is unknown.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.string_split(["a b", "c"]).values.numpy().tolist()
        [b'a', b'b', b'c']

    See also: `tf.strings.split`, `tf.compat.v1.strings.split`.
    """
    if result_type not in (_SPARSE, _RAGGED):
        raise ValueError("result_type must be 'RaggedTensor' or 'SparseTensor'.")
    chosen = delimiter if sep is None else sep
    parts = splitting.string_split(source, " " if chosen is None else chosen, skip_empty)
    found = SparseTensor(parts["indices"], parts["values"], parts["shape"])
    return found if result_type == _SPARSE else RaggedTensor.from_sparse(found)
