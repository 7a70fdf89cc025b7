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
    """Compute the mean of each window of images.

    This is `tf.nn.avg_pool2d` with the arguments of TensorFlow 1.

    Args:
        value: Float tensor of shape `[batch, height, width, channels]`, or `[batch, channels,
            height, width]` if `data_format` is `"NCHW"`.
        ksize: Size of the window, in the same forms as `strides`.
        strides: Step of the window: one integer, one integer for each spatial axis, or one for each
            axis of the input.
        padding: `"SAME"`, `"VALID"`, or a list of `[before, after]` pairs, one for each axis of the
            input.
        data_format: Position of the channels, `"NHWC"` (default) or `"NCHW"`.
        input: Newer name of `value`. If it is passed, `value` has no effect.

    Returns:
        Tensor of shape `[batch, out_height, out_width, channels]`, or `[batch, channels,
        out_height, out_width]` if `data_format` is `"NCHW"`, with the dtype of `value`.

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
    """Compute the maximum of each window of images.

    This is `tf.nn.max_pool2d` with the arguments of TensorFlow 1.

    Args:
        value: Tensor of a real dtype and shape `[batch, height, width, channels]`, or `[batch,
            channels, height, width]` if `data_format` is `"NCHW"`.
        ksize: Size of the window, in the same forms as `strides`.
        strides: Step of the window: one integer, one integer for each spatial axis, or one for each
            axis of the input.
        padding: `"SAME"`, `"VALID"`, or a list of `[before, after]` pairs, one for each axis of the
            input.
        data_format: Position of the channels, `"NHWC"` (default) or `"NCHW"`.
        input: Newer name of `value`. If it is passed, `value` has no effect.

    Returns:
        Tensor of shape `[batch, out_height, out_width, channels]`, or `[batch, channels,
        out_height, out_width]` if `data_format` is `"NCHW"`, with the dtype of `value`.

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
    """Compute a 1-D, 2-D or 3-D convolution.

    This is `tf.nn.convolution` with the arguments of TensorFlow 1.

    Args:
        input: Float tensor of shape `[batch, *spatial, in_channels]`, or `[batch, in_channels,
            *spatial]` if `data_format` puts the channels first.
        filter: Float tensor of shape `[*spatial, in_channels, out_channels]`.
        padding: `"SAME"`, `"VALID"`, or a list of `[before, after]` pairs, one for each axis of the
            input.
        strides: Step of the window: one integer, one integer for each spatial axis, or one for each
            axis of the input. Default: 1.
        dilation_rate: Older name of `dilations`, which is used if `dilations` is None.
        data_format: Position of the channels. They are the last axis for `"NWC"`, `"NHWC"` and
            `"NDHWC"`, and the second axis for `"NCW"`, `"NCHW"` and `"NCDHW"`. Default: the last
            axis.
        filters: Newer name of `filter`. If it is passed, `filter` has no effect.
        dilations: Distance between neighboring elements of the filter, in the same forms as
            `strides`. Default: 1.

    Returns:
        Tensor of shape `[batch, *out_spatial, out_channels]`, or `[batch, out_channels,
        *out_spatial]` if `data_format` puts the channels first, with the dtype of `input`.

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
    """Compute a transposed 2-D convolution.

    This is `tf.nn.conv2d_transpose` with the arguments of TensorFlow 1.

    Args:
        value: Float tensor of shape `[batch, height, width, in_channels]`, or `[batch, in_channels,
            height, width]` if `data_format` is `"NCHW"`. Required, unless `input` is passed.
        filter: Float tensor of shape `[height, width, out_channels, in_channels]`. Required, unless
            `filters` is passed.
        output_shape: Shape of the result, in the order of `data_format`. Required.
        strides: Step of the window: one integer, one integer for each spatial axis, or one for each
            axis of the input. Default: 1.
        padding: `"SAME"`, `"VALID"`, or a list of `[before, after]` pairs, one for each axis of the
            input.
        data_format: Position of the channels, `"NHWC"` (default) or `"NCHW"`.
        input: Newer name of `value`. If it is passed, `value` has no effect.
        filters: Newer name of `filter`. If it is passed, `filter` has no effect.
        dilations: Distance between neighboring elements of the filter, in the same forms as
            `strides`. Default: 1.

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
    """Return True for each target that is among the `k` largest predictions.

    Unlike in `tf.math.in_top_k`, the predictions are the first argument.

    Args:
        predictions: Float32 tensor of shape `[batch, classes]`.
        targets: Integer tensor of shape `[batch]` with class indices.
        k: Number of largest predictions to consider.

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

    The last class is the blank, which represents no label. The loss is computed as in
    `tf.nn.ctc_loss`, and options that change this are not supported.

    Args:
        labels: Sparse int32 tensor of shape `[batch, longest]`.
        inputs: Float tensor of shape `[time, batch, classes]` with logits, or `[batch, time,
            classes]` if `time_major` is False. Required, unless `logits` is passed.
        sequence_length: Integer tensor of shape `[batch]` with the number of time steps of each
            sequence. Required.
        preprocess_collapse_repeated: Only False is supported.
        ctc_merge_repeated: Only True is supported.
        ignore_longer_outputs_than_inputs: Only False is supported.
        time_major: If True, time is the first axis of `inputs`. Otherwise, it is the second axis.
        logits: Newer name of `inputs`. If it is passed, `inputs` has no effect.

    Returns:
        Float tensor of shape `[batch]` with the dtype of the logits.

    Raises:
        tf.errors.UnimplementedError: If an option has a value that is not supported.
        tf.errors.InvalidArgumentError: If the shapes are not compatible, or labels are empty or too
            long for their time steps.

    Example:
        >>> import tfpy as tf
        >>> labels = tf.SparseTensor([[0, 0], [0, 1]], [0, 1], [1, 2])
        >>> logits = tf.zeros([3, 1, 3])  # time, batch, classes; all classes are equally likely
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
    """Decode logits into the most likely sequences of labels, using a beam search.

    The last class is the blank, which represents no label. Unlike `tf.nn.ctc_beam_search_decoder`,
    this function also merges consecutive equal labels of the results, unless `merge_repeated` is
    False.

    Args:
        inputs: Float tensor of shape `[time, batch, classes]` with logits.
        sequence_length: Integer tensor of shape `[batch]` with the number of time steps of each
            sequence.
        beam_width: Maximum number of candidate sequences that the search keeps at each time step.
        top_paths: Number of sequences to return for each row, at most `beam_width`.
        merge_repeated: If True, merge consecutive equal labels.

    Returns:
        A tuple `(decoded, log_probabilities)`. `decoded` is a list of `top_paths` sparse int32
        tensors of shape `[batch, longest]`, beginning with the most likely labels.
        `log_probabilities` is a float tensor of shape `[batch, top_paths]`.

    Raises:
        tf.errors.InvalidArgumentError: If `inputs` does not have three dimensions or is empty, or
            `top_paths` is larger than `beam_width` or than the number of candidate sequences.
        tf.errors.FailedPreconditionError: If the shape of `sequence_length` is not `[batch]`, or a
            length exceeds the number of time steps.

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
