"""The kinds of summaries that TensorBoard displays: scalars, histograms, images, audio and text."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import FloatLike, IntLike, TensorLike
from tfpy._src.formats.summary.event_messages import SCALARS, plugin_metadata
from tfpy._src.formats.summary.state import summary_scope
from tfpy._src.formats.summary.writing import as_operand, host_array, write_encoded
from tfpy._src.library.debugging.assertions import assert_type
from tfpy._src.library.debugging.shapes import assert_rank, assert_scalar
from tfpy._src.library.image.batches import convert_image_dtype
from tfpy._src.library.io.audio import encode_wav
from tfpy._src.library.io.images import encode_png
from tfpy._src.tensors.array.making import cast

BUCKETS = 30
"""Default number of buckets of a histogram."""
_WAV = b"\x10\x0b"
"""The message AudioPluginData with the encoding WAV."""


def scalar(
    name: str, data: FloatLike, step: IntLike | None = None, description: str | None = None
) -> Tensor:
    """Write a number, such as a loss, to the default writer.

    TensorBoard draws the numbers of one name as a line over the steps.

    Args:
        name: Name of the summary. Enclosing name scopes are put before it.
        data: Scalar tensor or number, which is cast to float32.
        step: Step, a scalar int64 value. Default: the default step of the thread.
        description: Description in Markdown.

    Returns:
        Scalar bool tensor: True if the summary was written, False without a default writer or if
        the condition of `tf.summary.record_if` is false.

    Raises:
        ValueError: If `data` is not a scalar, or if there is a default writer, but no step.

    Example:
        >>> import tfpy as tf
        >>> writer = tf.summary.create_file_writer("logs/scalar")
        >>> with writer.as_default():
        ...     for step, loss in enumerate([0.5, 0.25, 0.125]):
        ...         written = tf.summary.scalar("loss", loss, step=step)

    See also: `tf.summary.histogram`, `tf.summary.create_file_writer`.
    """
    with summary_scope(name, "scalar_summary") as (tag, _):
        if isinstance(data, int | float):
            value: Any = np.float32(data)
        else:
            assert_scalar(data)
            value = cast(data, dtypes.float32)
        metadata = plugin_metadata(SCALARS, description)
        return write_encoded(tag, step, metadata, lambda: [value], host_array)


def histogram(
    name: str,
    data: TensorLike,
    step: IntLike | None = None,
    buckets: IntLike | None = None,
    description: str | None = None,
) -> Tensor:
    """Write a histogram of a tensor's elements to the default writer.

    The summary is a float64 tensor of shape `[buckets, 3]`. Each row contains the left edge, the
    right edge and the number of elements of a bucket. If all elements are equal, all edges are
    equal, and the last bucket contains all elements. Without elements, the tensor contains zeros.

    Args:
        name: Name of the summary. Enclosing name scopes are put before it.
        data: Tensor of any shape and of a numeric dtype or bool.
        step: Step, a scalar int64 value. Default: the default step of the thread.
        buckets: Number of buckets. Default: 30.
        description: Description in Markdown.

    Returns:
        Scalar bool tensor: True if the summary was written, False without a default writer or if
        the condition of `tf.summary.record_if` is false.

    Raises:
        TypeError: If `buckets` is not an integer.
        ValueError: If there is a default writer, but no step.

    Example:
        >>> import tfpy as tf
        >>> with tf.summary.create_file_writer("logs/histogram").as_default(step=0):
        ...     bool(tf.summary.histogram("weights", tf.random.normal([1000])))
        True

    See also: `tf.summary.scalar`.
    """

    def operands() -> list[Any]:
        count = BUCKETS if buckets is None else buckets
        assert_scalar(count)
        if not isinstance(count, int):
            assert_type(convert_to_tensor(count), dtypes.int32)
        values = as_operand(data)
        if isinstance(values, str | bytes) or getattr(values, "dtype", None) == dtypes.string:
            cast(values, dtypes.float32)  # raises TensorFlow's error
        return [values, count]

    with summary_scope(name, "histogram_summary") as (tag, _):
        metadata = plugin_metadata("histograms", description)
        return write_encoded(tag, step, metadata, operands, _histogram)


def _histogram(data: Any, count: Any) -> Array:
    return histogram_of(host_array(data), int(host_array(count)))


def histogram_of(data: Array, buckets: int) -> Array:
    """Return a histogram as a float64 array of shape [buckets, 3]."""
    values, buckets = data.reshape(-1).astype(np.float64), max(0, buckets)
    if not values.size or not buckets:
        return np.zeros((buckets, 3))
    low, high = values.min(), values.max()
    with np.errstate(invalid="ignore"):
        spread = high - low
        if spread == 0:
            edges = np.full(buckets + 1, high)
            counts: Array = np.zeros(buckets)
            counts[-1] = values.size
        else:
            places = np.floor((values - low) / (spread / buckets))
            inside = places[np.isfinite(places)].astype(np.int64)
            counts = np.bincount(np.minimum(inside, buckets - 1), minlength=buckets)
            inner = low + spread / buckets * np.arange(1, buckets)
            edges = np.concatenate([[low], inner, [high]])
    return np.stack([edges[:-1], edges[1:], counts.astype(np.float64)], axis=1)


def image(
    name: str,
    data: TensorLike,
    step: IntLike | None = None,
    max_outputs: IntLike = 3,
    description: str | None = None,
) -> Tensor:
    """Write images to the default writer, as PNG files.

    The summary is a string tensor that contains the width, the height and the files.

    Args:
        name: Name of the summary. Enclosing name scopes are put before it.
        data: Tensor of shape `[images, height, width, channels]` with 1 to 4 channels: gray, gray
            and alpha, RGB or RGBA. Values of a float tensor are between 0 and 1 and are clipped.
            Integers are scaled from the range of their dtype, as by `tf.image.convert_image_dtype`.
        step: Step, a scalar int64 value. Default: the default step of the thread.
        max_outputs: Number of images that are written. Further images are ignored. Default: 3.
        description: Description in Markdown.

    Returns:
        Scalar bool tensor: True if the summary was written, False without a default writer or if
        the condition of `tf.summary.record_if` is false.

    Raises:
        ValueError: If the rank of `data` is not 4, or if there is a default writer, but no step.
        tf.errors.InvalidArgumentError: If `max_outputs` is negative, or the number of channels is
            not supported.

    Example:
        >>> import tfpy as tf
        >>> with tf.summary.create_file_writer("logs/image").as_default(step=0):
        ...     bool(tf.summary.image("noise", tf.random.uniform([2, 8, 8, 3])))
        True

    See also: `tf.summary.scalar`, `tf.io.encode_png`.
    """

    def operands() -> list[Any]:
        images = convert_to_tensor(data)
        assert_rank(images, 4)
        return [images, max_outputs]

    with summary_scope(name, "image_summary") as (tag, _):
        metadata = plugin_metadata("images", description)
        return write_encoded(tag, step, metadata, operands, _images)


def _images(data: Tensor, max_outputs: Any) -> Array:
    count = _count(max_outputs)
    pixels = convert_image_dtype(data[:count], dtypes.uint8, saturate=True)
    files = encode_png(pixels).host_view().tolist() if pixels.shape[0] else []
    sizes = [str(int(size)).encode() for size in (data.shape[2], data.shape[1])]
    return _texts([*sizes, *files], (2 + len(files),))


def audio(
    name: str,
    data: TensorLike,
    sample_rate: IntLike,
    step: IntLike | None = None,
    max_outputs: IntLike = 3,
    encoding: str | None = None,
    description: str | None = None,
) -> Tensor:
    """Write audio clips to the default writer, as WAV files.

    The summary is a string tensor of shape `[clips, 2]` with a file and an empty label in each row.

    Args:
        name: Name of the summary. Enclosing name scopes are put before it.
        data: Float32 tensor of shape `[clips, samples, channels]` with values between -1 and 1.
        sample_rate: Number of samples per second, a scalar integer.
        step: Step, a scalar int64 value. Default: the default step of the thread.
        max_outputs: Number of clips that are written. Further clips are ignored. Default: 3.
        encoding: Format of the files. Only `"wav"` (default) is supported.
        description: Description in Markdown.

    Returns:
        Scalar bool tensor: True if the summary was written, False without a default writer or if
        the condition of `tf.summary.record_if` is false.

    Raises:
        ValueError: If the encoding is unknown, the rank of `data` is not 3, or if there is a
            default writer, but no step.
        tf.errors.InvalidArgumentError: If `max_outputs` is negative, or `sample_rate` is not
            positive.

    Example:
        >>> import tfpy as tf
        >>> clip = tf.sin(tf.linspace(0.0, 500.0, 8000))[tf.newaxis, :, tf.newaxis]
        >>> with tf.summary.create_file_writer("logs/audio").as_default(step=0):
        ...     bool(tf.summary.audio("tone", clip, sample_rate=8000))
        True

    See also: `tf.audio.encode_wav`.
    """
    if encoding not in (None, "wav"):
        raise ValueError(f"Unknown encoding: {encoding!r}")

    def operands() -> list[Any]:
        clips = convert_to_tensor(data)
        assert_rank(clips, 3)
        return [clips, sample_rate, max_outputs]

    with summary_scope(name, "audio_summary") as (tag, _):
        metadata = plugin_metadata("audio", description, _WAV)
        return write_encoded(tag, step, metadata, operands, _clips)


def _clips(data: Tensor, sample_rate: Any, max_outputs: Any) -> Array:
    clips = data[: _count(max_outputs)]
    files = [encode_wav(clips[i], sample_rate).host_view().item() for i in range(clips.shape[0])]
    return _texts([text for file in files for text in (file, b"")], (len(files), 2))


def text(
    name: str, data: TensorLike, step: IntLike | None = None, description: str | None = None
) -> Tensor:
    """Write strings to the default writer. TensorBoard displays them as Markdown.

    Args:
        name: Name of the summary. Enclosing name scopes are put before it.
        data: String tensor. A matrix is displayed as a table.
        step: Step, a scalar int64 value. Default: the default step of the thread.
        description: Description in Markdown.

    Returns:
        Scalar bool tensor: True if the summary was written, False without a default writer or if
        the condition of `tf.summary.record_if` is false.

    Raises:
        TypeError: If `data` is not a string tensor.
        ValueError: If there is a default writer, but no step.

    Example:
        >>> import tfpy as tf
        >>> with tf.summary.create_file_writer("logs/text").as_default(step=0):
        ...     bool(tf.summary.text("note", "A *small* learning rate."))
        True

    See also: `tf.summary.scalar`.
    """
    with summary_scope(name, "text_summary") as (tag, _):
        value = convert_to_tensor(data)
        assert_type(value, dtypes.string)
        metadata = plugin_metadata("text", description)
        return write_encoded(tag, step, metadata, lambda: [value], host_array)


def _count(max_outputs: Any) -> int:
    """Return the largest number of outputs.

    Raises:
        InvalidArgumentError: If it is negative.
    """
    count = int(host_array(max_outputs))
    if count < 0:
        raise InvalidArgumentError(
            None, "summary", f"max_outputs must not be negative, but it is {count}."
        )
    return count


def _texts(items: list[bytes], shape: tuple[int, ...]) -> Array:
    array = np.empty(len(items), object)
    array[:] = items
    return array.reshape(shape)
