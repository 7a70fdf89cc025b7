"""The messages of event files: summaries, and the events that contain them."""

from __future__ import annotations

from tfpy._src.library.protos.containers import RepeatedCompositeContainer, RepeatedValues
from tfpy._src.library.protos.fields import MessageField, RepeatedField, ScalarField
from tfpy._src.library.protos.kinds import (
    BYTE_STRING,
    DOUBLE,
    FLOAT,
    INT32,
    INT64,
    STRING,
    enumeration,
)
from tfpy._src.library.protos.message import ProtoMessage
from tfpy._src.library.protos.tensor_messages import TensorProto

# mypy: disable-error-code="assignment"


class SummaryMetadata(ProtoMessage):
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

    __slots__ = ()

    class PluginData(ProtoMessage):
        """The part of the metadata that is for one plugin of TensorBoard."""

        __slots__ = ()
        plugin_name: str = ScalarField(1, STRING)
        content: bytes = ScalarField(2, BYTE_STRING)

    plugin_data: PluginData = MessageField(1, PluginData)
    display_name: str = ScalarField(2, STRING)
    summary_description: str = ScalarField(3, STRING)
    data_class: int = ScalarField(
        4,
        enumeration(
            "tensorflow.DataClass",
            {
                0: "DATA_CLASS_UNKNOWN",
                1: "DATA_CLASS_SCALAR",
                2: "DATA_CLASS_TENSOR",
                3: "DATA_CLASS_BLOB_SEQUENCE",
            },
        ),
    )


class HistogramProto(ProtoMessage):
    """A histogram: the counts of values in buckets.

    Args:
        min, max, num, sum, sum_squares: Statistics of all values.
        bucket_limit: Iterable with the upper limit of each bucket.
        bucket: Iterable with the number of values in each bucket.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.HistogramProto(bucket_limit=[1.0, 2.0], bucket=[3.0, 4.0]).bucket[1]
        4.0

    See also: `tf.compat.v1.summary.histogram`.
    """

    __slots__ = ()
    min: float = ScalarField(1, DOUBLE)
    max: float = ScalarField(2, DOUBLE)
    num: float = ScalarField(3, DOUBLE)
    sum: float = ScalarField(4, DOUBLE)
    sum_squares: float = ScalarField(5, DOUBLE)
    bucket_limit: RepeatedValues = RepeatedField(6, DOUBLE)
    bucket: RepeatedValues = RepeatedField(7, DOUBLE)


class Summary(ProtoMessage):
    """Values with names, which `tf.compat.v1.summary.FileWriter` writes.

    Args:
        value: Iterable of `Summary.Value` messages.

    Example:
        >>> import tfpy as tf
        >>> value = tf.compat.v1.Summary.Value(tag="loss", simple_value=0.5)
        >>> tf.compat.v1.Summary(value=[value]).value[0].simple_value
        0.5

    See also: `tf.compat.v1.summary.FileWriter`.
    """

    __slots__ = ()

    class Image(ProtoMessage):
        """An image in the format PNG."""

        __slots__ = ()
        height: int = ScalarField(1, INT32)
        width: int = ScalarField(2, INT32)
        colorspace: int = ScalarField(3, INT32)
        encoded_image_string: bytes = ScalarField(4, BYTE_STRING)

    class Audio(ProtoMessage):
        """Audio in the format WAV."""

        __slots__ = ()
        sample_rate: float = ScalarField(1, FLOAT)
        num_channels: int = ScalarField(2, INT64)
        length_frames: int = ScalarField(3, INT64)
        encoded_audio_string: bytes = ScalarField(4, BYTE_STRING)
        content_type: str = ScalarField(5, STRING)

    class Value(ProtoMessage):
        """A value with a tag. At most one of the fields with values is set."""

        __slots__ = ()
        node_name: str = ScalarField(7, STRING)
        tag: str = ScalarField(1, STRING)
        metadata: SummaryMetadata = MessageField(9, SummaryMetadata)
        simple_value: float = ScalarField(2, FLOAT, "value")
        obsolete_old_style_histogram: bytes = ScalarField(3, BYTE_STRING, "value")
        histo: HistogramProto = MessageField(5, HistogramProto, "value")
        tensor: TensorProto = MessageField(8, TensorProto, "value")

    value: RepeatedCompositeContainer = RepeatedField(1, Value)


Summary.Value.add_field("image", MessageField(4, Summary.Image, "value"))
Summary.Value.add_field("audio", MessageField(6, Summary.Audio, "value"))


class SessionLog(ProtoMessage):
    """An event of a session: its start, its end, or a checkpoint.

    Args:
        status: `SessionLog.START`, `STOP` or `CHECKPOINT`.
        checkpoint_path: Path of the checkpoint.
        msg: Message.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.SessionLog(status=tf.compat.v1.SessionLog.START)
        status: START
        <BLANKLINE>

    See also: `tf.compat.v1.summary.FileWriter`.
    """

    __slots__ = ()
    STATUS_UNSPECIFIED, START, STOP, CHECKPOINT = range(4)
    status: int = ScalarField(
        1,
        enumeration(
            "tensorflow.SessionLog.SessionStatus",
            {0: "STATUS_UNSPECIFIED", 1: "START", 2: "STOP", 3: "CHECKPOINT"},
        ),
    )
    checkpoint_path: str = ScalarField(2, STRING)
    msg: str = ScalarField(3, STRING)


class LogMessage(ProtoMessage):
    """A line of a log.

    Args:
        level: Number of the level, such as `LogMessage.INFO`.
        message: Text.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.LogMessage(level=tf.compat.v1.LogMessage.INFO, message="ready").message
        'ready'

    See also: `tf.compat.v1.Event`.
    """

    __slots__ = ()
    UNKNOWN, DEBUGGING, INFO, WARN, ERROR, FATAL = 0, 10, 20, 30, 40, 50
    level: int = ScalarField(
        1,
        enumeration(
            "tensorflow.LogMessage.Level",
            {0: "UNKNOWN", 10: "DEBUGGING", 20: "INFO", 30: "WARN", 40: "ERROR", 50: "FATAL"},
        ),
    )
    message: str = ScalarField(2, STRING)


class TaggedRunMetadata(ProtoMessage):
    """The metadata of a run, with a tag.

    Args:
        tag: Tag.
        run_metadata: Serialized `tf.compat.v1.RunMetadata`.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.summary.TaggedRunMetadata(tag="step 1").tag
        'step 1'

    See also: `tf.compat.v1.Event`.
    """

    __slots__ = ()
    tag: str = ScalarField(1, STRING)
    run_metadata: bytes = ScalarField(2, BYTE_STRING)


class SummaryDescription(ProtoMessage):
    """The kind of a summary.

    Args:
        type_hint: Name of the kind.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.summary.SummaryDescription(type_hint="scalar").type_hint
        'scalar'
    """

    __slots__ = ()
    type_hint: str = ScalarField(1, STRING)


class Event(ProtoMessage):
    """An entry of an event file. At most one of the fields with contents is set.

    Args:
        wall_time: Time in seconds since 1970.
        step: Step of the program.
        summary: A `tf.compat.v1.Summary`.

    Example:
        >>> import tfpy as tf
        >>> event = tf.compat.v1.Event(step=3, file_version="brain.Event:2")
        >>> event.WhichOneof("what")
        'file_version'

    See also: `tf.compat.v1.summary.FileWriter`, `tf.compat.v1.train.summary_iterator`.
    """

    __slots__ = ()
    wall_time: float = ScalarField(1, DOUBLE)
    step: int = ScalarField(2, INT64)
    file_version: str = ScalarField(3, STRING, "what")
    graph_def: bytes = ScalarField(4, BYTE_STRING, "what")
    summary: Summary = MessageField(5, Summary, "what")
    log_message: LogMessage = MessageField(6, LogMessage, "what")
    session_log: SessionLog = MessageField(7, SessionLog, "what")
    tagged_run_metadata: TaggedRunMetadata = MessageField(8, TaggedRunMetadata, "what")
    meta_graph_def: bytes = ScalarField(9, BYTE_STRING, "what")
