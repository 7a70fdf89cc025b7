"""The message SummaryMetadata, with which programs describe their own kinds of summaries."""

from __future__ import annotations

from tfpy._src.formats.encodings.protobuf_writer import chunk, integer


class _PluginData:
    """The part of the metadata that is for one plugin of TensorBoard.

    Attributes:
        plugin_name: Name of the plugin.
        content: Settings of the plugin.
    """

    def __init__(self, *, plugin_name: str = "", content: bytes = b"") -> None:
        self.plugin_name, self.content = plugin_name, content

    def SerializeToString(self) -> bytes:  # noqa: N802 - the name in Protocol Buffers
        """Return the message as bytes."""
        name = chunk(1, self.plugin_name) if self.plugin_name else b""
        return name + (chunk(2, self.content) if self.content else b"")


class SummaryMetadata:
    """The metadata of a summary: the plugin of TensorBoard that displays it, and descriptions.

    Args:
        plugin_data: Data for the plugin, a `SummaryMetadata.PluginData`.
        display_name: Name to display instead of the tag.
        summary_description: Description in Markdown.
        data_class: Number of the kind of data: 1 for scalars, 2 for tensors, 3 for sequences of
            blobs. Default: 0, unknown.

    Example:
        >>> import tfpy as tf
        >>> metadata = tf.compat.v1.SummaryMetadata()
        >>> metadata.plugin_data.plugin_name = "scalars"
        >>> with tf.summary.create_file_writer("logs/metadata").as_default():
        ...     bool(tf.summary.write("loss", 0.5, step=0, metadata=metadata))
        True

    See also: `tf.summary.write`.
    """

    PluginData = _PluginData

    def __init__(
        self,
        *,
        plugin_data: _PluginData | None = None,
        display_name: str = "",
        summary_description: str = "",
        data_class: int = 0,
    ) -> None:
        self.plugin_data = _PluginData() if plugin_data is None else plugin_data
        self.display_name = display_name
        self.summary_description = summary_description
        self.data_class = data_class

    def SerializeToString(self) -> bytes:  # noqa: N802
        """Return the message as bytes.

        Example:
            >>> import tfpy as tf
            >>> tf.compat.v1.SummaryMetadata(display_name="Loss").SerializeToString()
            b'\\x12\\x04Loss'
        """
        plugin = self.plugin_data.SerializeToString()
        fields = [chunk(1, plugin)] if plugin else []
        texts = ((2, self.display_name), (3, self.summary_description))
        fields += [chunk(number, text) for number, text in texts if text]
        if self.data_class:
            fields.append(integer(4, self.data_class))
        return b"".join(fields)
