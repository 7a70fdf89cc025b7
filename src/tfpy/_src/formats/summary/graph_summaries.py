"""`tf.compat.v1.summary`: operations whose results are serialized summaries."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes, tracing
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import FloatLike, TensorLike
from tfpy._src.functions.control.effects import numpy_function
from tfpy._src.functions.graph_mode.collections import GraphKeys
from tfpy._src.functions.graph_mode.defaults import get_default_graph
from tfpy._src.functions.graph_mode.recording import recorded
from tfpy._src.functions.tf_function.signature import TensorSpec
from tfpy._src.library.compat.graphs.scopes import name_scope
from tfpy._src.library.io.audio import encode_wav
from tfpy._src.library.io.images import encode_png
from tfpy._src.library.protos.summaries import HistogramProto, Summary, SummaryMetadata
from tfpy._src.library.protos.tensor_protos import make_tensor_proto

_NOT_IN_NAMES = re.compile(r"[^-/\w\.]")
_RESULT = TensorSpec([], dtypes.string)
_BAD_PIXEL = np.array([255, 0, 0, 255], np.uint8)
"""Color of pixels that are not finite."""


def scalar(
    name: str,
    tensor: FloatLike,
    collections: Sequence[Hashable] | None = None,
    family: str | None = None,
) -> Tensor:
    """Return a summary of a number.

    Args:
        name: Name of the summary. Enclosing name scopes are put before it.
        tensor: Scalar tensor.
        collections: Collections of the graph for the summary. Default: the summaries that
            `tf.compat.v1.summary.merge_all` merges.
        family: Prefix of the tag, which groups summaries.

    Returns:
        Scalar string tensor, a serialized `tf.compat.v1.Summary`.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        ...     text = sess.run(tf.compat.v1.summary.scalar("loss", tf.constant(0.5)))
        >>> tf.compat.v1.Summary.FromString(text).value[0].tag
        'loss'

    See also: `tf.compat.v1.summary.FileWriter`, `tf.summary.scalar`.
    """

    def encode(tag: str, value: Array) -> Summary:
        return Summary(value=[Summary.Value(tag=tag, simple_value=float(value))])

    return summary_operation(name, tensor, collections, family, encode)


def histogram(
    name: str,
    values: TensorLike,
    collections: Sequence[Hashable] | None = None,
    family: str | None = None,
) -> Tensor:
    """Return a summary of the distribution of values.

    Args:
        name: Name of the summary. Enclosing name scopes are put before it.
        values: Tensor of any shape.
        collections: Collections of the graph for the summary. Default: the summaries that
            `tf.compat.v1.summary.merge_all` merges.
        family: Prefix of the tag, which groups summaries.

    Returns:
        Scalar string tensor, a serialized `tf.compat.v1.Summary`.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        ...     text = sess.run(tf.compat.v1.summary.histogram("weights", tf.constant([1.0, 3.0])))
        >>> tf.compat.v1.Summary.FromString(text).value[0].histo.sum
        4.0

    See also: `tf.summary.histogram`.
    """

    def encode(tag: str, data: Array) -> Summary:
        return Summary(value=[Summary.Value(tag=tag, histo=_histogram(data))])

    return summary_operation(name, values, collections, family, encode)


def image(
    name: str,
    tensor: TensorLike,
    max_outputs: int = 3,
    collections: Sequence[Hashable] | None = None,
    family: str | None = None,
) -> Tensor:
    """Return a summary of images.

    Args:
        name: Name of the summary. Enclosing name scopes are put before it.
        tensor: Tensor of shape `[images, height, width, channels]` with 1, 3 or 4 channels. Floats
            are scaled to the range of uint8, separately for each image.
        max_outputs: Number of images in the summary. Further images are ignored.
        collections: Collections of the graph for the summary. Default: the summaries that
            `tf.compat.v1.summary.merge_all` merges.
        family: Prefix of the tag, which groups summaries.

    Returns:
        Scalar string tensor, a serialized `tf.compat.v1.Summary`.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        ...     text = sess.run(tf.compat.v1.summary.image("noise", tf.ones([2, 4, 4, 3])))
        >>> [value.tag for value in tf.compat.v1.Summary.FromString(text).value]
        ['noise/image/0', 'noise/image/1']

    See also: `tf.summary.image`.
    """

    def encode(tag: str, data: Array) -> Summary:
        found = Summary()
        for suffix, pixels in _numbered("image", data, max_outputs):
            value: Any = found.value.add(tag=tag + suffix)
            value.image.height, value.image.width, value.image.colorspace = pixels.shape
            value.image.encoded_image_string = _item(encode_png(_bytes_of(pixels)))
        return found

    return summary_operation(name, tensor, collections, family, encode)


def audio(
    name: str,
    tensor: TensorLike,
    sample_rate: FloatLike,
    max_outputs: int = 3,
    collections: Sequence[Hashable] | None = None,
    family: str | None = None,
) -> Tensor:
    """Return a summary of audio clips.

    Args:
        name: Name of the summary. Enclosing name scopes are put before it.
        tensor: Float32 tensor of shape `[clips, samples, channels]` or `[clips, samples]` with
            values between -1 and 1.
        sample_rate: Number of samples per second.
        max_outputs: Number of clips in the summary. Further clips are ignored.
        collections: Collections of the graph for the summary. Default: the summaries that
            `tf.compat.v1.summary.merge_all` merges.
        family: Prefix of the tag, which groups summaries.

    Returns:
        Scalar string tensor, a serialized `tf.compat.v1.Summary`.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        ...     text = sess.run(tf.compat.v1.summary.audio("tone", tf.zeros([1, 9, 2]), 8000))
        >>> tf.compat.v1.Summary.FromString(text).value[0].audio.length_frames
        9

    See also: `tf.summary.audio`.
    """

    def encode(tag: str, data: Array, rate: Array) -> Summary:
        found = Summary()
        clips = data if data.ndim == 3 else data[:, :, np.newaxis]
        for suffix, clip in _numbered("audio", clips, max_outputs):
            added: Any = found.value.add(tag=tag + suffix)
            value = added.audio
            value.sample_rate, value.content_type = float(rate), "audio/wav"
            value.length_frames, value.num_channels = clip.shape
            value.encoded_audio_string = _item(encode_wav(clip, int(rate)))
        return found

    return summary_operation(name, tensor, collections, family, encode, sample_rate)


def text(name: str, tensor: TensorLike, collections: Sequence[Hashable] | None = None) -> Tensor:
    """Return a summary of strings.

    Args:
        name: Name of the summary. Enclosing name scopes are put before it.
        tensor: String tensor.
        collections: Collections of the graph for the summary. Default: the summaries that
            `tf.compat.v1.summary.merge_all` merges.

    Returns:
        Scalar string tensor, a serialized `tf.compat.v1.Summary`.

    Raises:
        ValueError: If the dtype of `tensor` is not string.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        ...     text = sess.run(tf.compat.v1.summary.text("note", tf.constant("done")))
        >>> tf.compat.v1.Summary.FromString(text).value[0].tensor.string_val[0]
        b'done'

    See also: `tf.summary.text`.
    """
    dtype = getattr(tensor, "dtype", None)
    if dtype is not None and dtype != dtypes.string:
        raise ValueError(f"Expected tensor {tensor!r} to have dtype string, got {dtype}")
    plugin = SummaryMetadata.PluginData(plugin_name="text")

    def encode(tag: str, data: Array) -> Summary:
        value = Summary.Value(tag=tag, metadata=SummaryMetadata(plugin_data=plugin))
        value.tensor.CopyFrom(make_tensor_proto(data, dtypes.string))
        return Summary(value=[value])

    return summary_operation(name, tensor, collections, None, encode)


def merge(
    inputs: Sequence[Tensor],
    collections: Sequence[Hashable] | None = None,
    name: str | None = None,
) -> Tensor:
    """Merge summaries into one.

    Args:
        inputs: String tensors with serialized summaries.
        collections: Collections of the graph for the result. Default: none.

    Returns:
        Scalar string tensor, a serialized `tf.compat.v1.Summary`.

    Example:
        >>> import tfpy as tf
        >>> summary = tf.compat.v1.summary
        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        ...     both = summary.merge([summary.scalar("a", 1.0), summary.scalar("b", 2.0)])
        ...     text = sess.run(both)
        >>> [value.tag for value in summary.Summary.FromString(text).value]
        ['a', 'b']

    See also: `tf.compat.v1.summary.merge_all`.
    """
    found: Tensor = _merged([*inputs], name=name or "Merge")
    _collect(found, collections or ())
    return found


def merge_all(
    key: Hashable = GraphKeys.SUMMARIES, scope: str | None = None, name: str | None = None
) -> Tensor | None:
    """Merge all summaries of the default graph.

    Args:
        key: Collection with the summaries.
        scope: Beginning of the names of the summaries. Default: all summaries.

    Returns:
        Scalar string tensor, a serialized `tf.compat.v1.Summary`. None if there are no summaries.

    Raises:
        RuntimeError: In eager execution.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     print(tf.compat.v1.summary.merge_all())
        None

    See also: `tf.compat.v1.summary.merge`.
    """
    if tracing.executing_eagerly():
        raise RuntimeError(
            "Merging tf.summary.* ops is not compatible with eager execution. Use "
            "tf.summary.create_file_writer instead."
        )
    found = get_default_graph().get_collection(key, scope)
    return merge(found, name=name) if found else None


@recorded
def _merged(inputs: list[Any], name: str) -> Any:
    def join(*texts: bytes) -> bytes:
        parts = [np.asarray(text, object).reshape(-1) for text in texts]
        return b"".join(bytes(item) for part in parts for item in part)

    return numpy_function(join, inputs, _RESULT)


def summary_operation(
    name: str,
    tensor: Any,
    collections: Sequence[Hashable] | None,
    family: str | None,
    encode: Callable[..., Summary],
    *others: Any,
) -> Tensor:
    """Return the operation of a summary, and add it to collections."""
    clean = _NOT_IN_NAMES.sub("_", name).lstrip("/")
    group = _NOT_IN_NAMES.sub("_", family) if family else None
    with name_scope(f"{group}/{clean}" if group else clean) as scope:
        tag = scope.rstrip("/")
        if group:
            tag = f"{group}/{tag}"
        found: Tensor = _encoded(tag, encode, [tensor, *others], name=scope or tag)
    _collect(found, (GraphKeys.SUMMARIES,) if collections is None else collections)
    return found


@recorded
def _encoded(tag: str, encode: Callable[..., Summary], values: list[Any], name: str) -> Any:
    def call(*arrays: Array) -> bytes:
        return encode(tag, *arrays).SerializeToString()

    return numpy_function(call, [convert_to_tensor(x) for x in values], _RESULT)


def _collect(tensor: Tensor, collections: Sequence[Hashable]) -> None:
    if not tracing.executing_eagerly():
        for key in collections:
            get_default_graph().add_to_collection(key, tensor)


def _item(tensor: Any) -> bytes:
    found: bytes = tensor.host_view().item()
    return found


def _numbered(kind: str, data: Array, limit: int) -> list[tuple[str, Array]]:
    """Return the elements of a batch with the ends of their tags."""
    chosen = data[:limit]
    suffixes = [f"/{kind}"] if limit == 1 else [f"/{kind}/{i}" for i in range(len(chosen))]
    return list(zip(suffixes, chosen, strict=False))


def _bytes_of(pixels: Array) -> Any:
    """Return an image as uint8. The largest magnitude of floats becomes the largest value."""
    if pixels.dtype == np.uint8:
        return constant(pixels)
    values = pixels.astype(np.float32)
    is_finite = np.isfinite(values)
    finite = values[is_finite]
    low, high = (finite.min(), finite.max()) if finite.size else (0.0, 0.0)
    size = max(abs(low), abs(high))
    scale, offset = (127.0 / size, 128.0) if low < 0 else (255.0 / size if size else 0.0, 0.0)
    with np.errstate(invalid="ignore"):
        found = (values * np.float32(scale) + np.float32(offset)).astype(np.uint8)
    bad = ~is_finite.all(axis=-1)
    found[bad] = _BAD_PIXEL[: pixels.shape[-1]]
    return constant(found)


def _limits() -> Array:
    """Return the upper limits of the buckets of a histogram."""
    positive = [1e-12]
    while positive[-1] * 1.1 < 1e20:
        positive.append(positive[-1] * 1.1)
    largest = np.finfo(np.float64).max
    return np.array([-largest, *(-x for x in reversed(positive)), 0.0, *positive, largest])


def _histogram(data: Array) -> HistogramProto:
    """Return a histogram with buckets of exponential width."""
    values = data.reshape(-1).astype(np.float64)
    if not np.isfinite(values).all():
        kind = "NaN" if np.isnan(values).any() else "Infinity"
        raise ValueError(f"{kind} in summary histogram")
    limits = _limits()
    places = np.searchsorted(limits, values, side="right")
    counts = np.bincount(places, minlength=len(limits))
    found = HistogramProto(num=float(values.size))
    found.min, found.max = (values.min(), values.max()) if values.size else (limits[-1], limits[0])
    found.sum, found.sum_squares = float(values.sum()), float((values * values).sum())
    at = 0
    while at < len(limits):
        end = at
        if counts[at] == 0:  # one bucket for a run of empty ones
            while end + 1 < len(limits) and counts[end + 1] == 0:
                end += 1
        found.bucket_limit.append(limits[end])
        found.bucket.append(float(counts[at]))
        at = end + 1
    return found
