"""The messages of ONNX files (`onnx.proto`) that tfpy reads."""

from __future__ import annotations

from tfpy._src.formats.encodings.protobuf import (
    BYTES,
    DOUBLE,
    FLOAT,
    INT,
    STRING,
    UINT,
    Message,
    many,
)

PAIR = Message("StringStringEntryProto", {1: ("key", STRING), 2: ("value", STRING)})
TENSOR = Message(
    "TensorProto",
    {
        1: ("dims", many(INT)),
        2: ("data_type", INT),
        3: ("segment", Message("Segment", {1: ("begin", INT), 2: ("end", INT)})),
        4: ("float_data", many(FLOAT)),
        5: ("int32_data", many(INT)),
        6: ("string_data", many(BYTES)),
        7: ("int64_data", many(INT)),
        8: ("name", STRING),
        9: ("raw_data", BYTES),
        10: ("double_data", many(DOUBLE)),
        11: ("uint64_data", many(UINT)),
        13: ("external_data", many(PAIR)),
        14: ("data_location", INT),
    },
)
SPARSE_TENSOR = Message(
    "SparseTensorProto",
    {1: ("values", TENSOR), 2: ("indices", TENSOR), 3: ("dims", many(INT))},
)
_DIM = Message("Dimension", {1: ("dim_value", INT), 2: ("dim_param", STRING)})
SHAPE = Message("TensorShapeProto", {1: ("dim", many(_DIM))})
TYPE = Message("TypeProto")
TYPE.fields.update(
    {
        1: ("tensor", Message("Tensor", {1: ("elem_type", INT), 2: ("shape", SHAPE)})),
        4: ("sequence", Message("Sequence", {1: ("elem_type", TYPE)})),
        9: ("optional", Message("Optional", {1: ("elem_type", TYPE)})),
    }
)
VALUE_INFO = Message("ValueInfoProto", {1: ("name", STRING), 2: ("type", TYPE)})
ATTRIBUTE = Message("AttributeProto")
NODE = Message(
    "NodeProto",
    {
        1: ("input", many(STRING)),
        2: ("output", many(STRING)),
        3: ("name", STRING),
        4: ("op_type", STRING),
        5: ("attribute", many(ATTRIBUTE)),
        7: ("domain", STRING),
        8: ("overload", STRING),
    },
)
GRAPH = Message(
    "GraphProto",
    {
        1: ("node", many(NODE)),
        2: ("name", STRING),
        5: ("initializer", many(TENSOR)),
        11: ("input", many(VALUE_INFO)),
        12: ("output", many(VALUE_INFO)),
        15: ("sparse_initializer", many(SPARSE_TENSOR)),
    },
)
ATTRIBUTE.fields.update(
    {
        1: ("name", STRING),
        2: ("f", FLOAT),
        3: ("i", INT),
        4: ("s", BYTES),
        5: ("t", TENSOR),
        6: ("g", GRAPH),
        7: ("floats", many(FLOAT)),
        8: ("ints", many(INT)),
        9: ("strings", many(BYTES)),
        10: ("tensors", many(TENSOR)),
        11: ("graphs", many(GRAPH)),
        14: ("tp", TYPE),
        15: ("type_protos", many(TYPE)),
        20: ("type", INT),
        21: ("ref_attr_name", STRING),
        22: ("sparse_tensor", SPARSE_TENSOR),
        23: ("sparse_tensors", many(SPARSE_TENSOR)),
    }
)
OPSET = Message("OperatorSetIdProto", {1: ("domain", STRING), 2: ("version", INT)})
FUNCTION = Message(
    "FunctionProto",
    {
        1: ("name", STRING),
        4: ("input", many(STRING)),
        5: ("output", many(STRING)),
        6: ("attribute", many(STRING)),
        7: ("node", many(NODE)),
        9: ("opset_import", many(OPSET)),
        10: ("domain", STRING),
        11: ("attribute_proto", many(ATTRIBUTE)),
        13: ("overload", STRING),
    },
)
MODEL = Message(
    "ModelProto",
    {
        1: ("ir_version", INT),
        2: ("producer_name", STRING),
        7: ("graph", GRAPH),
        8: ("opset_import", many(OPSET)),
        14: ("metadata_props", many(PAIR)),
        25: ("functions", many(FUNCTION)),
    },
)
