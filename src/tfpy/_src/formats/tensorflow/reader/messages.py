"""The fields of TensorFlow's messages that the readers use (graph.proto and its imports)."""

from __future__ import annotations

from tfpy._src.formats.encodings.protobuf import (
    BOOL,
    BYTES,
    DOUBLE,
    FLOAT,
    INT,
    STRING,
    UINT,
    Message,
    many,
    mapped,
)

DIM = Message("TensorShapeProto.Dim", {1: ("size", INT)})
SHAPE = Message("TensorShapeProto", {2: ("dim", many(DIM)), 3: ("unknown_rank", BOOL)})
TENSOR = Message(
    "TensorProto",
    {
        1: ("dtype", INT),
        2: ("tensor_shape", SHAPE),
        4: ("tensor_content", BYTES),
        5: ("float_val", many(FLOAT)),
        6: ("double_val", many(DOUBLE)),
        7: ("int_val", many(INT)),
        8: ("string_val", many(BYTES)),
        9: ("scomplex_val", many(FLOAT)),
        10: ("int64_val", many(INT)),
        11: ("bool_val", many(BOOL)),
        12: ("dcomplex_val", many(DOUBLE)),
        13: ("half_val", many(INT)),
        16: ("uint32_val", many(UINT)),
        17: ("uint64_val", many(UINT)),
    },
)
ATTR = Message("AttrValue")
ATTRS = mapped(ATTR)
FUNCTION_NAME = Message("NameAttrList", {1: ("name", STRING), 2: ("attr", ATTRS)})
LIST = Message(
    "AttrValue.ListValue",
    {
        2: ("s", many(BYTES)),
        3: ("i", many(INT)),
        4: ("f", many(FLOAT)),
        5: ("b", many(BOOL)),
        6: ("type", many(INT)),
        7: ("shape", many(SHAPE)),
        8: ("tensor", many(TENSOR)),
        9: ("func", many(FUNCTION_NAME)),
    },
)
ATTR.fields.update(
    {
        1: ("list", LIST),
        2: ("s", BYTES),
        3: ("i", INT),
        4: ("f", FLOAT),
        5: ("b", BOOL),
        6: ("type", INT),
        7: ("shape", SHAPE),
        8: ("tensor", TENSOR),
        10: ("func", FUNCTION_NAME),
    }
)
NODE = Message(
    "NodeDef",
    {1: ("name", STRING), 2: ("op", STRING), 3: ("input", many(STRING)), 5: ("attr", ATTRS)},
)
ARGUMENT = Message("OpDef.ArgDef", {1: ("name", STRING), 3: ("type", INT)})
SIGNATURE = Message(
    "OpDef",
    {1: ("name", STRING), 2: ("input_arg", many(ARGUMENT)), 3: ("output_arg", many(ARGUMENT))},
)
FUNCTION = Message(
    "FunctionDef",
    {
        1: ("signature", SIGNATURE),
        3: ("node_def", many(NODE)),
        4: ("ret", mapped(STRING)),
        6: ("control_ret", mapped(STRING)),
    },
)
GRADIENT = Message("RegisteredGradient", {1: ("function", STRING), 2: ("kind", STRING)})
LIBRARY = Message(
    "FunctionDefLibrary", {1: ("function", many(FUNCTION)), 3: ("gradients", many(GRADIENT))}
)
GRAPH = Message("GraphDef", {1: ("node", many(NODE)), 2: ("library", LIBRARY)})

TENSOR_INFO = Message(
    "TensorInfo", {1: ("name", STRING), 2: ("dtype", INT), 3: ("tensor_shape", SHAPE)}
)
SIGNATURE_DEF = Message(
    "SignatureDef",
    {1: ("inputs", mapped(TENSOR_INFO)), 2: ("outputs", mapped(TENSOR_INFO))},
)
SAVER = Message("SaverDef", {1: ("filename_tensor_name", STRING), 3: ("restore_op_name", STRING)})
ASSET = Message("AssetFileDef", {1: ("tensor_info", TENSOR_INFO), 2: ("filename", STRING)})
NODE_LIST = Message("CollectionDef.NodeList", {1: ("value", many(STRING))})
COLLECTION = Message("CollectionDef", {1: ("node_list", NODE_LIST)})
META_INFO = Message("MetaInfoDef", {4: ("tags", many(STRING)), 5: ("tensorflow_version", STRING)})
META_GRAPH = Message(
    "MetaGraphDef",
    {
        1: ("meta_info_def", META_INFO),
        2: ("graph_def", GRAPH),
        3: ("saver_def", SAVER),
        4: ("collection_def", mapped(COLLECTION)),
        5: ("signature_def", mapped(SIGNATURE_DEF)),
        6: ("asset_file_def", many(ASSET)),
        7: ("object_graph_def", BYTES),
    },
)
SAVED_MODEL = Message("SavedModel", {2: ("meta_graphs", many(META_GRAPH))})
