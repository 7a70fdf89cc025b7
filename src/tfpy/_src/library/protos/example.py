"""The messages of `tf.train`: examples with named features, and the jobs of a cluster."""

from __future__ import annotations

from tfpy._src.library.protos.containers import (
    MapValues,
    RepeatedCompositeContainer,
    RepeatedValues,
)
from tfpy._src.library.protos.fields import MapField, MessageField, RepeatedField, ScalarField
from tfpy._src.library.protos.kinds import BYTE_STRING, FLOAT, INT32, INT64, STRING
from tfpy._src.library.protos.message import ProtoMessage


class BytesList(ProtoMessage):
    """The byte strings of a `tf.train.Feature`.

    Args:
        value: Iterable of bytes.

    Example:
        >>> import tfpy as tf
        >>> tf.train.BytesList(value=[b"abc", b"de"])
        value: "abc"
        value: "de"
        <BLANKLINE>

    See also: `tf.train.Feature`, `tf.train.Example`.
    """

    __slots__ = ()
    value: RepeatedValues = RepeatedField(1, BYTE_STRING)  # type: ignore[assignment]


class FloatList(ProtoMessage):
    """The 32-bit floating-point numbers of a `tf.train.Feature`.

    Args:
        value: Iterable of numbers.

    Example:
        >>> import tfpy as tf
        >>> tf.train.FloatList(value=[0.5, 2])
        value: 0.5
        value: 2
        <BLANKLINE>

    See also: `tf.train.Feature`, `tf.train.Example`.
    """

    __slots__ = ()
    value: RepeatedValues = RepeatedField(1, FLOAT)  # type: ignore[assignment]


class Int64List(ProtoMessage):
    """The 64-bit integers of a `tf.train.Feature`.

    Args:
        value: Iterable of integers.

    Example:
        >>> import tfpy as tf
        >>> numbers = tf.train.Int64List(value=[1, 2])
        >>> numbers.value.append(3)
        >>> list(numbers.value)
        [1, 2, 3]

    See also: `tf.train.Feature`, `tf.train.Example`.
    """

    __slots__ = ()
    value: RepeatedValues = RepeatedField(1, INT64)  # type: ignore[assignment]


class Feature(ProtoMessage):
    """A list of byte strings, floats or integers in a `tf.train.Example`.

    At most one of the three fields is set. `WhichOneof("kind")` returns its name.

    Args:
        bytes_list: A `tf.train.BytesList`.
        float_list: A `tf.train.FloatList`.
        int64_list: A `tf.train.Int64List`.

    Example:
        >>> import tfpy as tf
        >>> feature = tf.train.Feature(float_list=tf.train.FloatList(value=[0.5, 2]))
        >>> feature.WhichOneof("kind"), list(feature.float_list.value)
        ('float_list', [0.5, 2.0])

    See also: `tf.train.Features`, `tf.train.Example`.
    """

    __slots__ = ()
    bytes_list: BytesList = MessageField(1, BytesList, "kind")  # type: ignore[assignment]
    float_list: FloatList = MessageField(2, FloatList, "kind")  # type: ignore[assignment]
    int64_list: Int64List = MessageField(3, Int64List, "kind")  # type: ignore[assignment]


class Features(ProtoMessage):
    """The features of a `tf.train.Example` by name.

    Args:
        feature: Mapping from names to `tf.train.Feature` messages.

    Example:
        >>> import tfpy as tf
        >>> features = tf.train.Features()
        >>> features.feature["size"].int64_list.value.extend([3, 4])
        >>> list(features.feature), list(features.feature["size"].int64_list.value)
        (['size'], [3, 4])

    See also: `tf.train.Example`.
    """

    __slots__ = ()

    class FeatureEntry(ProtoMessage):
        """One entry of the map of features."""

        __slots__ = ()
        key: str = ScalarField(1, STRING)  # type: ignore[assignment]
        value: Feature = MessageField(2, Feature)  # type: ignore[assignment]

    feature: MapValues = MapField(1, FeatureEntry)  # type: ignore[assignment]


class Example(ProtoMessage):
    """An example of a data set: features with names, which are lists of values.

    TFRecord files of examples are a common format of training data. `tf.io.parse_example` converts
    serialized examples to tensors. The class has the methods of messages of Protocol Buffers.

    Args:
        features: A `tf.train.Features` message.

    Raises:
        ValueError: If there is no field of this name.
        TypeError: If a value does not have the type of its field.

    Example:
        >>> import tfpy as tf
        >>> example = tf.train.Example()
        >>> example.features.feature["age"].int64_list.value.append(29)
        >>> example.SerializeToString()
        b'\\n\\x0e\\n\\x0c\\n\\x03age\\x12\\x05\\x1a\\x03\\n\\x01\\x1d'
        >>> tf.train.Example.FromString(example.SerializeToString()) == example
        True

    See also: `tf.train.SequenceExample`, `tf.io.parse_example`, `tf.io.TFRecordWriter`.
    """

    __slots__ = ()
    features: Features = MessageField(1, Features)  # type: ignore[assignment]


class FeatureList(ProtoMessage):
    """The features of the steps of a sequence.

    Args:
        feature: Iterable of `tf.train.Feature` messages.

    Example:
        >>> import tfpy as tf
        >>> steps = tf.train.FeatureList()
        >>> for step in [1, 2]:
        ...     steps.feature.add().int64_list.value.append(step)
        >>> len(steps.feature)
        2

    See also: `tf.train.SequenceExample`.
    """

    __slots__ = ()
    feature: RepeatedCompositeContainer = RepeatedField(1, Feature)  # type: ignore[assignment]


class FeatureLists(ProtoMessage):
    """The feature lists of a `tf.train.SequenceExample` by name.

    Args:
        feature_list: Mapping from names to `tf.train.FeatureList` messages.

    Example:
        >>> import tfpy as tf
        >>> lists = tf.train.FeatureLists(feature_list={"words": tf.train.FeatureList()})
        >>> list(lists.feature_list)
        ['words']

    See also: `tf.train.SequenceExample`.
    """

    __slots__ = ()

    class FeatureListEntry(ProtoMessage):
        """One entry of the map of feature lists."""

        __slots__ = ()
        key: str = ScalarField(1, STRING)  # type: ignore[assignment]
        value: FeatureList = MessageField(2, FeatureList)  # type: ignore[assignment]

    feature_list: MapValues = MapField(1, FeatureListEntry)  # type: ignore[assignment]


class SequenceExample(ProtoMessage):
    """An example that contains sequences, in addition to features of the whole example.

    Args:
        context: A `tf.train.Features` message with the features of the whole example.
        feature_lists: A `tf.train.FeatureLists` message with the sequences.

    Raises:
        ValueError: If there is no field of this name.
        TypeError: If a value does not have the type of its field.

    Example:
        >>> import tfpy as tf
        >>> example = tf.train.SequenceExample()
        >>> example.context.feature["length"].int64_list.value.append(2)
        >>> for word in [b"two", b"words"]:
        ...     step = example.feature_lists.feature_list["words"].feature.add()
        ...     step.bytes_list.value.append(word)
        >>> len(example.feature_lists.feature_list["words"].feature)
        2

    See also: `tf.train.Example`, `tf.io.parse_sequence_example`.
    """

    __slots__ = ()
    context: Features = MessageField(1, Features)  # type: ignore[assignment]
    feature_lists: FeatureLists = MessageField(2, FeatureLists)  # type: ignore[assignment]


class JobDef(ProtoMessage):
    """A job of a cluster: its name, and the addresses of its tasks.

    Args:
        name: Name of the job.
        tasks: Mapping from the number of a task to its address.

    Example:
        >>> import tfpy as tf
        >>> tf.train.JobDef(name="worker", tasks={0: "host:1"})
        name: "worker"
        tasks {
          key: 0
          value: "host:1"
        }
        <BLANKLINE>

    See also: `tf.train.ClusterDef`, `tf.train.ClusterSpec`.
    """

    __slots__ = ()

    class TasksEntry(ProtoMessage):
        """One entry of the map of tasks."""

        __slots__ = ()
        key: int = ScalarField(1, INT32)  # type: ignore[assignment]
        value: str = ScalarField(2, STRING)  # type: ignore[assignment]

    name: str = ScalarField(1, STRING)  # type: ignore[assignment]
    tasks: MapValues = MapField(2, TasksEntry)  # type: ignore[assignment]


class ClusterDef(ProtoMessage):
    """The jobs of a cluster.

    Args:
        job: Iterable of `tf.train.JobDef` messages.

    Example:
        >>> import tfpy as tf
        >>> cluster = tf.train.ClusterDef(job=[tf.train.JobDef(name="worker")])
        >>> cluster.job[0].name
        'worker'

    See also: `tf.train.ClusterSpec`.
    """

    __slots__ = ()
    job: RepeatedCompositeContainer = RepeatedField(1, JobDef)  # type: ignore[assignment]
