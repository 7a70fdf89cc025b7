"""`tf.compat.v1.nn`: functions with other arguments or results in TensorFlow 1."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from tfpy._src.base.errors import UnimplementedError
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import Padding, ShapeLike, Strides, TensorLike
from tfpy._src.library.ctc import decoding, loss
from tfpy._src.tensors.array import sorting
from tfpy._src.tensors.array.reshaping import transpose
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor
from tfpy._src.tensors.nn import convolution as convolutions, pooling, transposed_convolution


def avg_pool(
    value: TensorLike,
    ksize: Strides,
    strides: Strides,
    padding: Padding,
    data_format: str = "NHWC",
    name: str | None = None,
    input: TensorLike | None = None,
) -> Tensor:
    """Average the windows of images, like `tf.nn.avg_pool2d`.

    Args:
        value: Float tensor of shape `[batch, height, width, channels]`.
        ksize: Size of the window, in the forms of `strides`.
        strides: Step of the window: one integer, one per spatial axis, or one per axis of the
            input.
        padding: `"SAME"`, `"VALID"`, or explicit sizes before and after each axis.
        data_format: Position of the channels, `"NHWC"` (default) or `"NCHW"`.
        input: Newer name of `value`.

    Returns:
        Tensor of shape `[batch, out_height, out_width, channels]` with the dtype of `value`.

    Raises:
        tf.errors.InvalidArgumentError: If the shapes are not compatible.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
        >>> y = tf.compat.v1.nn.avg_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
        >>> tf.reshape(y, [2, 2]).numpy().tolist()
        [[2.5, 4.5], [10.5, 12.5]]

    See also: `tf.nn.avg_pool2d`.
    """
    x = value if input is None else input
    return pooling.avg_pool2d(x, ksize, strides, padding, data_format)


def max_pool(
    value: TensorLike,
    ksize: Strides,
    strides: Strides,
    padding: Padding,
    data_format: str = "NHWC",
    name: str | None = None,
    input: TensorLike | None = None,
) -> Tensor:
    """Compute the maxima of the windows of images, like `tf.nn.max_pool2d`.

    Args:
        value: Tensor of shape `[batch, height, width, channels]`.
        ksize: Size of the window, in the forms of `strides`.
        strides: Step of the window: one integer, one per spatial axis, or one per axis of the
            input.
        padding: `"SAME"`, `"VALID"`, or explicit sizes before and after each axis.
        data_format: Position of the channels, `"NHWC"` (default) or `"NCHW"`.
        input: Newer name of `value`.

    Returns:
        Tensor of shape `[batch, out_height, out_width, channels]` with the dtype of `value`.

    Raises:
        tf.errors.InvalidArgumentError: If the shapes are not compatible.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
        >>> y = tf.compat.v1.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
        >>> tf.reshape(y, [2, 2]).numpy().tolist()
        [[5.0, 7.0], [13.0, 15.0]]

    See also: `tf.nn.max_pool2d`.
    """
    x = value if input is None else input
    return pooling.max_pool2d(x, ksize, strides, padding, data_format)


def convolution(
    input: TensorLike,
    filter: TensorLike,
    padding: Padding,
    strides: Strides | None = None,
    dilation_rate: Strides | None = None,
    name: str | None = None,
    data_format: str | None = None,
    filters: TensorLike | None = None,
    dilations: Strides | None = None,
) -> Tensor:
    """Compute an N-D convolution, like `tf.nn.convolution`.

    Args:
        input: Float tensor of shape `[batch, *spatial, in_channels]`.
        filter: Float tensor of shape `[*spatial, in_channels, out_channels]`.
        padding: `"SAME"` or `"VALID"`.
        strides: Step of the window: one integer, or one per spatial axis. Default: 1.
        dilation_rate: Older name of `dilations`.
        data_format: Position of the channels, e.g. `"NWC"` or `"NCHW"`. Default: the last axis.
        filters: Newer name of `filter`.
        dilations: Dilation rate, in the forms of `strides`. Default: 1.

    Returns:
        Tensor of shape `[batch, *out_spatial, out_channels]` with the dtype of `input`.

    Raises:
        tf.errors.InvalidArgumentError: If the shapes are not compatible.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape([1.0, 2.0, 4.0, 8.0], [1, 4, 1])
        >>> y = tf.compat.v1.nn.convolution(x, tf.ones([2, 1, 1]), "VALID")
        >>> tf.reshape(y, [3]).numpy().tolist()
        [3.0, 6.0, 12.0]

    See also: `tf.nn.convolution`, `tf.nn.conv2d`.
    """
    kernel = filter if filters is None else filters
    rate = dilation_rate if dilations is None else dilations
    return convolutions.convolution(input, kernel, strides, padding, data_format, rate)


def conv2d_transpose(
    value: TensorLike | None = None,
    filter: TensorLike | None = None,
    output_shape: ShapeLike | None = None,
    strides: Strides | None = None,
    padding: Padding = "SAME",
    data_format: str = "NHWC",
    name: str | None = None,
    input: TensorLike | None = None,
    filters: TensorLike | None = None,
    dilations: Strides | None = None,
) -> Tensor:
    """Compute a transposed 2-D convolution, like `tf.nn.conv2d_transpose`.

    Args:
        value: Float tensor of shape `[batch, height, width, in_channels]`.
        filter: Float tensor of shape `[height, width, out_channels, in_channels]`.
        output_shape: Shape of the result.
        strides: Step of the window: one integer, one per spatial axis, or one per axis of the
            input.
        padding: `"SAME"`, `"VALID"`, or explicit sizes before and after each axis.
        data_format: Position of the channels, `"NHWC"` (default) or `"NCHW"`.
        input: Newer name of `value`.
        filters: Newer name of `filter`.
        dilations: Dilation rate, in the forms of `strides`.

    Returns:
        Tensor of shape `output_shape` with the dtype of `value`.

    Raises:
        tf.errors.InvalidArgumentError: If the shapes are not compatible.

    Example:
        >>> import tfpy as tf
        >>> x, filters = tf.ones([1, 2, 2, 3]), tf.ones([2, 2, 5, 3])
        >>> strides = [1, 2, 2, 1]
        >>> tf.compat.v1.nn.conv2d_transpose(x, filters, [1, 4, 4, 5], strides).shape
        TensorShape([1, 4, 4, 5])

    See also: `tf.nn.conv2d_transpose`.
    """
    x: Any = value if input is None else input
    kernel: Any = filter if filters is None else filters
    size: Any = output_shape
    steps: Any = strides
    return transposed_convolution.conv2d_transpose(
        x, kernel, size, steps, padding, data_format, dilations
    )


def in_top_k(
    predictions: TensorLike, targets: TensorLike, k: int | Tensor, name: str | None = None
) -> Tensor:
    """Return True where the target is among the `k` largest predictions, like `tf.math.in_top_k`.

    Unlike `tf.math.in_top_k`, the predictions are the first argument.

    Args:
        predictions: Float32 tensor of shape `[batch, classes]`.
        targets: Integer tensor of shape `[batch]` with class indices.
        k: Number of predictions to consider.

    Returns:
        Bool tensor of shape `[batch]`.

    Raises:
        tf.errors.InvalidArgumentError: If the shapes are not compatible.

    Example:
        >>> import tfpy as tf
        >>> predictions = [[0.1, 0.7, 0.2], [0.5, 0.1, 0.4]]
        >>> tf.compat.v1.nn.in_top_k(predictions, targets=[2, 1], k=2).numpy().tolist()
        [True, False]

    See also: `tf.math.in_top_k`.
    """
    return sorting.in_top_k(targets, predictions, k)


def ctc_loss(
    labels: SparseTensor,
    inputs: TensorLike | None = None,
    sequence_length: TensorLike | None = None,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
    time_major: bool = True,
    logits: TensorLike | None = None,
) -> Tensor:
    """Compute the loss of connectionist temporal classification for sparse labels.

    The last class is the blank. Options that select other rules than `tf.nn.ctc_loss` are not
    supported.

    Args:
        labels: Sparse int32 tensor of shape `[batch, longest]`.
        inputs: Float tensor of shape `[time, batch, classes]` with logits.
        sequence_length: Integer tensor of shape `[batch]`, the number of time steps of each row.
        preprocess_collapse_repeated: Only False is supported.
        ctc_merge_repeated: Only True is supported.
        ignore_longer_outputs_than_inputs: Only False is supported.
        time_major: If False, the shape of `inputs` is `[batch, time, classes]`.
        logits: Newer name of `inputs`.

    Returns:
        Float tensor of shape `[batch]`.

    Raises:
        tf.errors.UnimplementedError: If an option selects other rules.
        tf.errors.InvalidArgumentError: If the shapes are not compatible, or labels are too long for
            their time steps.

    Example:
        >>> import tfpy as tf
        >>> labels = tf.SparseTensor([[0, 0], [0, 1]], [0, 1], [1, 2])
        >>> logits = tf.zeros([3, 1, 3])  # time, batch, classes: each class is as likely
        >>> tf.compat.v1.nn.ctc_loss(labels, logits, sequence_length=[3]).numpy().round(3)
        array([1.686], dtype=float32)

    See also: `tf.nn.ctc_loss`.
    """
    others = (preprocess_collapse_repeated, ignore_longer_outputs_than_inputs)
    if any(others) or not ctc_merge_repeated:
        raise UnimplementedError(
            None, None, "compat.v1.nn.ctc_loss: only the rules of tf.nn.ctc_loss are supported"
        )
    x = convert_to_tensor(inputs if logits is None else logits)
    times = x if time_major else transpose(x, [1, 0, 2])
    lengths: Any = sequence_length
    return loss.ctc_loss(labels, times, None, lengths, blank_index=-1)


def ctc_beam_search_decoder(
    inputs: TensorLike,
    sequence_length: TensorLike,
    beam_width: int = 100,
    top_paths: int = 1,
    merge_repeated: bool = True,
) -> tuple[list[SparseTensor], Tensor]:
    """Decode the most likely sequences of labels with a beam search.

    Unlike `tf.nn.ctc_beam_search_decoder`, this function merges equal consecutive labels of the
    results if `merge_repeated` is True.

    Args:
        inputs: Float tensor of shape `[time, batch, classes]` with logits.
        sequence_length: Integer tensor of shape `[batch]`, the number of time steps of each row.
        beam_width: Number of sequences that the search keeps.
        top_paths: Number of sequences to return, at most `beam_width`.
        merge_repeated: If True, merge equal consecutive labels.

    Returns:
        A list of `top_paths` sparse int32 tensors of shape `[batch, longest]` with the labels, most
        likely first, and a float tensor of shape `[batch, top_paths]` with the log probabilities.

    Raises:
        tf.errors.InvalidArgumentError: If `inputs` does not have three dimensions or is empty, or
            `top_paths` is larger than `beam_width` or than the number of sequences found.
        tf.errors.FailedPreconditionError: If `sequence_length` has another shape or exceeds the
            number of time steps.

    Example:
        >>> import tfpy as tf
        >>> logits = tf.math.log([[[0.1, 0.8, 0.1]], [[0.1, 0.1, 0.8]], [[0.7, 0.2, 0.1]]])
        >>> decoded, score = tf.compat.v1.nn.ctc_beam_search_decoder(logits, [3], beam_width=4)
        >>> decoded[0].values.numpy().tolist()
        [1, 0]

    See also: `tf.nn.ctc_beam_search_decoder`.
    """
    found, scores = decoding.ctc_beam_search_decoder(inputs, sequence_length, beam_width, top_paths)
    if merge_repeated:
        found = [_merged(x) for x in found]
    return found, scores


def _merged(labels: SparseTensor) -> SparseTensor:
    """Merge equal consecutive labels of each row."""
    rows = np.split(
        labels.values.host_view(),
        np.searchsorted(labels.host_indices[:, 0], np.arange(1, labels.host_shape[0])),
    )
    return decoding.sparse_rows([[label for label, _ in itertools.groupby(row)] for row in rows])
