"""The messages of graphs: nodes, their attributes, and functions."""

from __future__ import annotations

from tfpy._src.library.protos.containers import (
    MapValues,
    RepeatedCompositeContainer,
    RepeatedValues,
)
from tfpy._src.library.protos.fields import MapField, MessageField, RepeatedField, ScalarField
from tfpy._src.library.protos.kinds import BOOL, BYTE_STRING, FLOAT, INT32, INT64, STRING
from tfpy._src.library.protos.message import ProtoMessage
from tfpy._src.library.protos.tensor_messages import DATA_TYPE, TensorProto, TensorShapeProto

# mypy: disable-error-code="assignment"


class AttrValue(ProtoMessage):
    """The value of an attribute of a node. One of the fields is set.

    Args:
        s, i, f, b: Bytes, an integer, a number or a boolean.
        type: Number of a dtype.
        shape, tensor: A shape or a tensor.
        placeholder: Name of an attribute of the enclosing function.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.AttrValue(i=3).WhichOneof("value")
        'i'

    See also: `tf.compat.v1.NodeDef`.
    """

    __slots__ = ()

    class ListValue(ProtoMessage):
        """A list of values of one kind."""

        __slots__ = ()
        s: RepeatedValues = RepeatedField(2, BYTE_STRING)
        i: RepeatedValues = RepeatedField(3, INT64)
        f: RepeatedValues = RepeatedField(4, FLOAT)
        b: RepeatedValues = RepeatedField(5, BOOL)
        type: RepeatedValues = RepeatedField(6, DATA_TYPE)
        shape: RepeatedCompositeContainer = RepeatedField(7, TensorShapeProto)
        tensor: RepeatedCompositeContainer = RepeatedField(8, TensorProto)

    s: bytes = ScalarField(2, BYTE_STRING, "value")
    i: int = ScalarField(3, INT64, "value")
    f: float = ScalarField(4, FLOAT, "value")
    b: bool = ScalarField(5, BOOL, "value")
    type: int = ScalarField(6, DATA_TYPE, "value")
    shape: TensorShapeProto = MessageField(7, TensorShapeProto, "value")
    tensor: TensorProto = MessageField(8, TensorProto, "value")
    list: ListValue = MessageField(1, ListValue, "value")
    placeholder: str = ScalarField(9, STRING, "value")


class _AttrEntry(ProtoMessage):
    """One entry of a map of attributes."""

    __slots__ = ()
    key: str = ScalarField(1, STRING)
    value: AttrValue = MessageField(2, AttrValue)


class NameAttrList(ProtoMessage):
    """The name of a function, with attributes.

    Args:
        name: Name of the function.
        attr: Mapping from names to `tf.compat.v1.AttrValue` messages.

    Example:
        >>> import tfpy as tf
        >>> tf.compat.v1.NameAttrList(name="body").name
        'body'

    See also: `tf.compat.v1.AttrValue`.
    """

    __slots__ = ()
    AttrEntry = _AttrEntry
    name: str = ScalarField(1, STRING)
    attr: MapValues = MapField(2, _AttrEntry)


AttrValue.add_field("func", MessageField(10, NameAttrList, "value"))
AttrValue.ListValue.add_field("func", RepeatedField(9, NameAttrList))


class NodeDef(ProtoMessage):
    """A node of a graph.

    Args:
        name: Name of the node.
        op: Type of the operation, such as `"MatMul"`.
        input: Iterable with the names of the inputs.
        device: Name of the device.
        attr: Mapping from names to `tf.compat.v1.AttrValue` messages.

    Example:
        >>> import tfpy as tf
        >>> node = tf.compat.v1.NodeDef(name="y", op="Neg", input=["x"])
        >>> node.attr["T"].type = tf.float32.as_datatype_enum
        >>> node.input[0], "T" in node.attr
        ('x', True)

    See also: `tf.compat.v1.GraphDef`.
    """

    __slots__ = ()
    AttrEntry = _AttrEntry
    name: str = ScalarField(1, STRING)
    op: str = ScalarField(2, STRING)
    input: RepeatedValues = RepeatedField(3, STRING)
    device: str = ScalarField(4, STRING)
    attr: MapValues = MapField(5, _AttrEntry)


class VersionDef(ProtoMessage):
    """The versions of a graph."""

    __slots__ = ()
    producer: int = ScalarField(1, INT32)
    min_consumer: int = ScalarField(2, INT32)
    bad_consumers: RepeatedValues = RepeatedField(3, INT32)


class ArgDef(ProtoMessage):
    """An argument or a result of an operation."""

    __slots__ = ()
    name: str = ScalarField(1, STRING)
    description: str = ScalarField(2, STRING)
    type: int = ScalarField(3, DATA_TYPE)
    type_attr: str = ScalarField(4, STRING)
    number_attr: str = ScalarField(5, STRING)
    type_list_attr: str = ScalarField(6, STRING)
    is_ref: bool = ScalarField(16, BOOL)


class OpDef(ProtoMessage):
    """The signature of an operation or of a function."""

    __slots__ = ()
    name: str = ScalarField(1, STRING)
    input_arg: RepeatedCompositeContainer = RepeatedField(2, ArgDef)
    output_arg: RepeatedCompositeContainer = RepeatedField(3, ArgDef)
    control_output: RepeatedValues = RepeatedField(20, STRING)
    summary: str = ScalarField(5, STRING)
    description: str = ScalarField(6, STRING)
    is_stateful: bool = ScalarField(17, BOOL)


class _StringEntry(ProtoMessage):
    """One entry of a map of strings."""

    __slots__ = ()
    key: str = ScalarField(1, STRING)
    value: str = ScalarField(2, STRING)


class FunctionDef(ProtoMessage):
    """A function of a graph: its signature, its nodes and its results."""

    __slots__ = ()
    signature: OpDef = MessageField(1, OpDef)
    attr: MapValues = MapField(5, _AttrEntry)
    node_def: RepeatedCompositeContainer = RepeatedField(3, NodeDef)
    ret: MapValues = MapField(4, _StringEntry)
    control_ret: MapValues = MapField(6, _StringEntry)


class FunctionDefLibrary(ProtoMessage):
    """The functions of a graph."""

    __slots__ = ()
    function: RepeatedCompositeContainer = RepeatedField(1, FunctionDef)


class GraphDef(ProtoMessage):
    """A graph as nodes, which files contain.

    Args:
        node: Iterable of `tf.compat.v1.NodeDef` messages.

    Example:
        >>> import tfpy as tf
        >>> graph = tf.compat.v1.GraphDef()
        >>> graph.node.add(name="x", op="Placeholder").op
        'Placeholder'
        >>> len(graph.node)
        1

    See also: `tf.compat.v1.NodeDef`, `tf.Graph`.
    """

    __slots__ = ()
    node: RepeatedCompositeContainer = RepeatedField(1, NodeDef)
    versions: VersionDef = MessageField(4, VersionDef)
    version: int = ScalarField(3, INT32)
    library: FunctionDefLibrary = MessageField(2, FunctionDefLibrary)
