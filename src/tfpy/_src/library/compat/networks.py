"""``tf.compat.v1.nn``: functions whose arguments were others in TensorFlow 1."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from tfpy._src.base.errors import UnimplementedError
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.library.ctc import decoding, loss
from tfpy._src.tensors.array import sorting
from tfpy._src.tensors.array.reshaping import transpose
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor
from tfpy._src.tensors.nn import convolution as convolutions, pooling, transposed_convolution


def avg_pool(
    value: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: Any = None,
    input: Any = None,
) -> Tensor:
    """``tf.nn.avg_pool2d``; ``value`` is an older name of ``input``.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
        >>> y = tf.compat.v1.nn.avg_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
        >>> tf.reshape(y, [2, 2]).numpy().tolist()
        [[2.5, 4.5], [10.5, 12.5]]
    """
    x = value if input is None else input
    return pooling.avg_pool2d(x, ksize, strides, padding, data_format)


def max_pool(
    value: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: Any = None,
    input: Any = None,
) -> Tensor:
    """``tf.nn.max_pool2d``; ``value`` is an older name of ``input``.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
        >>> y = tf.compat.v1.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
        >>> tf.reshape(y, [2, 2]).numpy().tolist()
        [[5.0, 7.0], [13.0, 15.0]]
    """
    x = value if input is None else input
    return pooling.max_pool2d(x, ksize, strides, padding, data_format)


def convolution(
    input: Any,
    filter: Any,
    padding: Any,
    strides: Any = None,
    dilation_rate: Any = None,
    name: Any = None,
    data_format: str | None = None,
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """``tf.nn.convolution``; ``filter`` and ``dilation_rate`` are older names.

    Example:
        >>> import tfpy as tf
        >>> x = tf.reshape([1.0, 2.0, 4.0, 8.0], [1, 4, 1])
        >>> y = tf.compat.v1.nn.convolution(x, tf.ones([2, 1, 1]), "VALID")
        >>> tf.reshape(y, [3]).numpy().tolist()
        [3.0, 6.0, 12.0]
    """
    kernel = filter if filters is None else filters
    rate = dilation_rate if dilations is None else dilations
    return convolutions.convolution(input, kernel, strides, padding, data_format, rate)


def conv2d_transpose(
    value: Any = None,
    filter: Any = None,
    output_shape: Any = None,
    strides: Any = None,
    padding: Any = "SAME",
    data_format: str = "NHWC",
    name: Any = None,
    input: Any = None,
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """``tf.nn.conv2d_transpose``; ``value`` and ``filter`` are older names.

    Example:
        >>> import tfpy as tf
        >>> x, filters = tf.ones([1, 2, 2, 3]), tf.ones([2, 2, 5, 3])
        >>> strides = [1, 2, 2, 1]
        >>> tf.compat.v1.nn.conv2d_transpose(x, filters, [1, 4, 4, 5], strides).shape
        TensorShape([1, 4, 4, 5])
    """
    x, kernel = value if input is None else input, filter if filters is None else filters
    return transposed_convolution.conv2d_transpose(
        x, kernel, output_shape, strides, padding, data_format, dilations
    )


def in_top_k(predictions: Any, targets: Any, k: Any, name: Any = None) -> Tensor:
    """``tf.math.in_top_k``, the predictions first.

    Example:
        >>> import tfpy as tf
        >>> predictions = [[0.1, 0.7, 0.2], [0.5, 0.1, 0.4]]
        >>> tf.compat.v1.nn.in_top_k(predictions, targets=[2, 1], k=2).numpy().tolist()
        [True, False]
    """
    return sorting.in_top_k(targets, predictions, k)


def ctc_loss(
    labels: Any,
    inputs: Any = None,
    sequence_length: Any = None,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
    time_major: bool = True,
    logits: Any = None,
) -> Tensor:
    """``tf.nn.ctc_loss`` of sparse labels, whose blank is the last class.

    Raises:
        UnimplementedError: for the three options of other rules, which TensorFlow 2 left out.

    Example:
        >>> import tfpy as tf
        >>> labels = tf.SparseTensor([[0, 0], [0, 1]], [0, 1], [1, 2])
        >>> logits = tf.zeros([3, 1, 3])  # time, batch, classes: each class is as likely
        >>> tf.compat.v1.nn.ctc_loss(labels, logits, sequence_length=[3]).numpy().round(3)
        array([1.686], dtype=float32)
    """
    others = (preprocess_collapse_repeated, ignore_longer_outputs_than_inputs)
    if any(others) or not ctc_merge_repeated:
        raise UnimplementedError(
            None, None, "compat.v1.nn.ctc_loss: only the rules of tf.nn.ctc_loss are computed"
        )
    x = convert_to_tensor(inputs if logits is None else logits)
    times = x if time_major else transpose(x, [1, 0, 2])
    return loss.ctc_loss(labels, times, None, sequence_length, blank_index=-1)


def ctc_beam_search_decoder(
    inputs: Any,
    sequence_length: Any,
    beam_width: int = 100,
    top_paths: int = 1,
    merge_repeated: bool = True,
) -> Any:
    """``tf.nn.ctc_beam_search_decoder``; with ``merge_repeated``, labels that follow themselves
    in a result are one.

    Example:
        >>> import tfpy as tf
        >>> logits = tf.math.log([[[0.1, 0.8, 0.1]], [[0.1, 0.1, 0.8]], [[0.7, 0.2, 0.1]]])
        >>> decoded, score = tf.compat.v1.nn.ctc_beam_search_decoder(logits, [3], beam_width=4)
        >>> decoded[0].values.numpy().tolist()
        [1, 0]
    """
    found, scores = decoding.ctc_beam_search_decoder(inputs, sequence_length, beam_width, top_paths)
    if merge_repeated:
        found = [_merged(x) for x in found]
    return found, scores


def _merged(labels: SparseTensor) -> SparseTensor:
    """Rows of labels without those that follow themselves."""
    rows = np.split(
        labels.values.host_view(),
        np.searchsorted(labels.host_indices[:, 0], np.arange(1, labels.host_shape[0])),
    )
    return decoding.sparse_rows([[label for label, _ in itertools.groupby(row)] for row in rows])
