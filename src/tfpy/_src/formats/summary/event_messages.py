"""The messages of event files (event.proto, summary.proto, tensor.proto) as bytes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import DataLossError, InvalidArgumentError
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.formats.encodings.protobuf import BYTES, STRING, Message, many, read
from tfpy._src.formats.encodings.protobuf_writer import chunk, double, integer
from tfpy._src.library.io.checked_json import ModelFileError

_VERSION = "brain.Event:2"
_WRITER = "tensorflow.core.util.events_writer"
SCALARS = "scalars"
"""The name of the plugin for numbers."""
_PLUGIN = Message("PluginData", {1: ("plugin_name", STRING), 2: ("content", BYTES)})
_METADATA = Message(
    "SummaryMetadata",
    {1: ("plugin_data", _PLUGIN), 2: ("display_name", STRING), 3: ("description", STRING)},
)
_VALUE = Message("Value", {1: ("tag", STRING), 9: ("metadata", _METADATA)})
_SUMMARY = Message("Summary", {1: ("value", many(_VALUE))})


def first_event(seconds: int) -> bytes:
    """Return the first event of a file, which names the version of the format."""
    return double(1, seconds) + chunk(3, _VERSION) + chunk(10, chunk(1, _WRITER))


def event(wall_time: float, step: int, content: bytes) -> bytes:
    """Return an event.

    Args:
        wall_time: Time in seconds since 1970.
        step: Step of the program.
        content: The field of the event's content.
    """
    return double(1, wall_time) + (integer(2, step) if step else b"") + content


def graph_content(graph_def: bytes) -> bytes:
    """Return the content of an event with a serialized GraphDef."""
    return chunk(4, graph_def)


def summary_content(summary: bytes) -> bytes:
    """Return the content of an event with a serialized Summary."""
    return chunk(5, summary)


def tensor_value(tag: str | bytes, array: Array, metadata: bytes) -> bytes:
    """Return a Summary with one value.

    Args:
        tag: Tag of the value.
        array: The value. Strings are an array of bytes objects.
        metadata: Serialized SummaryMetadata, or nothing.
    """
    fields = [chunk(1, tag), chunk(8, tensor_message(array))]
    if metadata:
        fields.append(chunk(9, metadata))
    return chunk(1, b"".join(fields))


def plugin_metadata(plugin: str, description: str | None, content: bytes = b"") -> bytes:
    """Return a SummaryMetadata.

    Args:
        plugin: Name of the plugin of TensorBoard that displays the value.
        description: Description in Markdown, or None.
        content: Settings of the plugin.
    """
    data = chunk(1, plugin) + (chunk(2, content) if content else b"")
    return chunk(1, data) + (chunk(3, description) if description else b"")


def tensor_message(array: Array) -> bytes:
    """Return a TensorProto."""
    is_text = array.dtype.kind in "OSU"
    dtype = dtypes.string if is_text else dtypes.as_dtype(array.dtype)
    number = dtypes.WIDER.get(array.dtype.name, dtype.as_datatype_enum)
    fields = [integer(1, number), chunk(2, shape_message(array.shape))]
    if is_text:
        fields += [chunk(8, item) for item in array.reshape(-1).tolist()]
    elif array.size:
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        fields.append(chunk(4, np.ascontiguousarray(little).tobytes()))
    return b"".join(fields)


def shape_message(shape: Any) -> bytes:
    """Return a TensorShapeProto. None is a size that is not known."""
    sizes = (-1 if size is None else int(size) for size in shape)
    return b"".join(chunk(2, integer(1, size) if size else b"") for size in sizes)


def plugin_of(metadata: bytes) -> str:
    """Return the name of the plugin in a serialized SummaryMetadata, or an empty string."""
    return str(read(metadata, _METADATA).get("plugin_data", {}).get("plugin_name", ""))


def check_metadata(data: bytes) -> None:
    """Check a serialized SummaryMetadata.

    Raises:
        InvalidArgumentError: If the bytes are not a SummaryMetadata.
    """
    try:
        read(data, _METADATA)
    except ModelFileError as error:
        raise InvalidArgumentError(
            None, "WriteSummary", f"Could not parse serialized summary metadata: {error}"
        ) from None


def check_summary(data: bytes, index: int) -> None:
    """Check a serialized Summary, the element of a tensor at an index.

    Raises:
        DataLossError: If the bytes are not a Summary.
    """
    try:
        read(data, _SUMMARY)
    except ModelFileError:
        raise DataLossError(
            None,
            "WriteRawProtoSummary",
            f"Bad tf.compat.v1.Summary binary proto tensor string at index {index}",
        ) from None
