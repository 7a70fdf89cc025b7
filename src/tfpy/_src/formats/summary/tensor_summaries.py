"""`tf.compat.v1.summary.tensor_summary`: summaries that contain whole tensors."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.formats.summary.graph_summaries import summary_operation
from tfpy._src.library.protos.summaries import Summary, SummaryMetadata
from tfpy._src.library.protos.tensor_protos import make_tensor_proto


def tensor_summary(
    name: str,
    tensor: TensorLike,
    summary_description: str | None = None,
    collections: Sequence[Hashable] | None = None,
    summary_metadata: SummaryMetadata | None = None,
    family: str | None = None,
    display_name: str | None = None,
) -> Tensor:
    """Return a summary that contains a tensor.

    Args:
        name: Name of the summary. Enclosing name scopes are put before it.
        tensor: Tensor of any dtype and shape.
        summary_description: Description that TensorBoard shows.
        collections: Collections of the graph for the summary. Default: the summaries that
            `tf.compat.v1.summary.merge_all` merges.
        summary_metadata: `tf.compat.v1.SummaryMetadata`, which names a plugin of TensorBoard.
        family: Prefix of the tag, which groups summaries.
        display_name: Name that TensorBoard shows.

    Returns:
        Scalar string tensor, a serialized `tf.compat.v1.Summary`.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        ...     text = sess.run(tf.compat.v1.summary.tensor_summary("w", tf.constant([1.0, 2.0])))
        >>> tf.make_ndarray(tf.compat.v1.Summary.FromString(text).value[0].tensor).tolist()
        [1.0, 2.0]

    See also: `tf.compat.v1.summary.scalar`, `tf.summary.write`.
    """
    metadata = SummaryMetadata()
    if summary_metadata is not None:
        metadata.CopyFrom(summary_metadata)
    if summary_description is not None:
        metadata.summary_description = summary_description
    if display_name is not None:
        metadata.display_name = display_name

    def encode(tag: str, value: Array) -> Summary:
        found = Summary.Value(tag=tag, metadata=metadata)
        found.tensor.CopyFrom(make_tensor_proto(value))
        return Summary(value=[found])

    return summary_operation(name, tensor, collections, family, encode)
