"""The messages of graphs with their collections, signatures and savers."""

from __future__ import annotations

from tfpy._src.library.protos.containers import (
    MapValues,
    RepeatedCompositeContainer,
    RepeatedValues,
)
from tfpy._src.library.protos.fields import MapField, MessageField, RepeatedField, ScalarField
from tfpy._src.library.protos.graphs import GraphDef
from tfpy._src.library.protos.kinds import (
    BOOL,
    BYTE_STRING,
    FLOAT,
    INT32,
    INT64,
    STRING,
    enumeration,
)
from tfpy._src.library.protos.message import ProtoMessage
from tfpy._src.library.protos.tensor_messages import DATA_TYPE, TensorProto, TensorShapeProto

# mypy: disable-error-code="assignment"


class TensorInfo(ProtoMessage):
    """The name, dtype and shape of a tensor of a graph.

    Args:
        name: Name of the tensor.
        dtype: Number of the dtype.
        tensor_shape: Shape as a message.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.TensorInfo(name="x:0", dtype=1).WhichOneof("encoding")
        'name'

    See also: `tf.compat.v1.MetaGraphDef`.
    """

    __slots__ = ()

    class CooSparse(ProtoMessage):
        """The names of the parts of a sparse tensor."""

        __slots__ = ()
        values_tensor_name: str = ScalarField(1, STRING)
        indices_tensor_name: str = ScalarField(2, STRING)
        dense_shape_tensor_name: str = ScalarField(3, STRING)

    name: str = ScalarField(1, STRING, "encoding")
    coo_sparse: CooSparse = MessageField(4, CooSparse, "encoding")
    dtype: int = ScalarField(2, DATA_TYPE)
    tensor_shape: TensorShapeProto = MessageField(3, TensorShapeProto)


class _TensorInfoEntry(ProtoMessage):
    """One tensor of a signature."""

    __slots__ = ()
    key: str = ScalarField(1, STRING)
    value: TensorInfo = MessageField(2, TensorInfo)


class _TensorEntry(ProtoMessage):
    """One default value of a signature."""

    __slots__ = ()
    key: str = ScalarField(1, STRING)
    value: TensorProto = MessageField(2, TensorProto)


class SignatureDef(ProtoMessage):
    """The inputs and outputs of a graph that programs use."""

    __slots__ = ()
    InputsEntry = OutputsEntry = _TensorInfoEntry
    DefaultsEntry = _TensorEntry
    inputs: MapValues = MapField(1, _TensorInfoEntry)
    outputs: MapValues = MapField(2, _TensorInfoEntry)
    method_name: str = ScalarField(3, STRING)
    defaults: MapValues = MapField(4, _TensorEntry)


_FORMATS = {0: "LEGACY", 1: "V1", 2: "V2"}


class SaverDef(ProtoMessage):
    """The nodes of a graph that save and restore its Variables.

    Args:
        filename_tensor_name, save_tensor_name, restore_op_name: Names of the nodes.
        max_to_keep: Number of checkpoints that are kept.
        sharded: True if a checkpoint consists of several files.
        keep_checkpoint_every_n_hours: Hours after which a checkpoint is always kept.
        version: Version of the format of checkpoints.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.train.SaverDef(max_to_keep=5, version="V2").version
        2

    See also: `tf.compat.v1.train.Saver`.
    """

    __slots__ = ()
    LEGACY, V1, V2 = range(3)
    filename_tensor_name: str = ScalarField(1, STRING)
    save_tensor_name: str = ScalarField(2, STRING)
    restore_op_name: str = ScalarField(3, STRING)
    max_to_keep: int = ScalarField(4, INT32)
    sharded: bool = ScalarField(5, BOOL)
    keep_checkpoint_every_n_hours: float = ScalarField(6, FLOAT)
    version: int = ScalarField(
        7, enumeration("tensorflow.SaverDef.CheckpointFormatVersion", _FORMATS)
    )


class CollectionDef(ProtoMessage):
    """The objects of a collection: names of nodes, messages as bytes, or numbers."""

    __slots__ = ()

    class NodeList(ProtoMessage):
        """Names of tensors and operations."""

        __slots__ = ()
        value: RepeatedValues = RepeatedField(1, STRING)

    class BytesList(ProtoMessage):
        """Strings, or messages as bytes."""

        __slots__ = ()
        value: RepeatedValues = RepeatedField(1, BYTE_STRING)

    class Int64List(ProtoMessage):
        """Integers."""

        __slots__ = ()
        value: RepeatedValues = RepeatedField(1, INT64)

    class FloatList(ProtoMessage):
        """Floats."""

        __slots__ = ()
        value: RepeatedValues = RepeatedField(1, FLOAT)

    class AnyList(ProtoMessage):
        """Messages of different types."""

        __slots__ = ()

        class Any(ProtoMessage):
            """The type and the bytes of a message."""

            __slots__ = ()
            type_url: str = ScalarField(1, STRING)
            value: bytes = ScalarField(2, BYTE_STRING)

        value: RepeatedCompositeContainer = RepeatedField(1, Any)

    node_list: NodeList = MessageField(1, NodeList, "kind")
    bytes_list: BytesList = MessageField(2, BytesList, "kind")
    int64_list: Int64List = MessageField(3, Int64List, "kind")
    float_list: FloatList = MessageField(4, FloatList, "kind")
    any_list: AnyList = MessageField(5, AnyList, "kind")


class VariableDef(ProtoMessage):
    """The nodes of a Variable."""

    __slots__ = ()
    variable_name: str = ScalarField(1, STRING)
    initial_value_name: str = ScalarField(6, STRING)
    initializer_name: str = ScalarField(2, STRING)
    snapshot_name: str = ScalarField(3, STRING)
    is_resource: bool = ScalarField(5, BOOL)
    trainable: bool = ScalarField(7, BOOL)
    synchronization: int = ScalarField(8, INT32)
    aggregation: int = ScalarField(9, INT32)


class AssetFileDef(ProtoMessage):
    """A file of a SavedModel, and the tensor with its path."""

    __slots__ = ()
    tensor_info: TensorInfo = MessageField(1, TensorInfo)
    filename: str = ScalarField(2, STRING)


class _CollectionEntry(ProtoMessage):
    """One collection of a graph."""

    __slots__ = ()
    key: str = ScalarField(1, STRING)
    value: CollectionDef = MessageField(2, CollectionDef)


class _SignatureEntry(ProtoMessage):
    """One signature of a graph."""

    __slots__ = ()
    key: str = ScalarField(1, STRING)
    value: SignatureDef = MessageField(2, SignatureDef)


class MetaGraphDef(ProtoMessage):
    """A graph with its collections, its signatures, and the nodes that save its Variables.

    Args:
        meta_info_def: Tags and versions.
        graph_def: The graph as a `tf.compat.v1.GraphDef`.
        saver_def: A `tf.compat.v1.train.SaverDef`.
        collection_def, signature_def: Mappings from names to collections and signatures.
        asset_file_def: Files of a SavedModel.

    Example:
        >>> import tfpy as tf
        >>> with tf.Graph().as_default():
        ...     x = tf.constant(1.0, name="x")
        ...     tf.compat.v1.add_to_collection("results", x)
        ...     message = tf.compat.v1.train.export_meta_graph()
        >>> message.collection_def["results"].node_list.value[0]
        'x:0'

    See also: `tf.compat.v1.train.export_meta_graph`.
    """

    __slots__ = ()

    class MetaInfoDef(ProtoMessage):
        """The tags of a graph, and the version of the library that wrote it."""

        __slots__ = ()
        meta_graph_version: str = ScalarField(1, STRING)
        tags: RepeatedValues = RepeatedField(4, STRING)
        tensorflow_version: str = ScalarField(5, STRING)
        tensorflow_git_version: str = ScalarField(6, STRING)
        stripped_default_attrs: bool = ScalarField(7, BOOL)

    CollectionDefEntry, SignatureDefEntry = _CollectionEntry, _SignatureEntry
    meta_info_def: MetaInfoDef = MessageField(1, MetaInfoDef)
    graph_def: GraphDef = MessageField(2, GraphDef)
    saver_def: SaverDef = MessageField(3, SaverDef)
    collection_def: MapValues = MapField(4, _CollectionEntry)
    signature_def: MapValues = MapField(5, _SignatureEntry)
    asset_file_def: RepeatedCompositeContainer = RepeatedField(6, AssetFileDef)


class SavedModelProto(ProtoMessage):
    """The content of `saved_model.pb`: graphs with different tags."""

    __slots__ = ()
    saved_model_schema_version: int = ScalarField(1, INT64)
    meta_graphs: RepeatedCompositeContainer = RepeatedField(2, MetaGraphDef)
