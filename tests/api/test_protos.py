"""Messages of Protocol Buffers: `tf.train.Example` and its parts, and TensorProto."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow
from api.same import same
from google.protobuf import json_format, text_format
from hypothesis import given, settings, strategies as st

import tfpy

Case = Callable[[Any], Any]


def outcome(case: Case, tf: Any) -> tuple[str, str]:
    """Return the kind of a result and its text, or the class of an error and its message."""
    try:
        found = case(tf)
    except Exception as error:  # any class; it must be the same
        text = re.sub(r"<class '[\w.]*\.(\w+)'>", r"<\1>", str(error))
        return type(error).__name__, re.sub(r"('?)(google\._upb\._message\.)", r"\1", text)
    if isinstance(found, np.ndarray):
        return str(found.dtype), repr(found.tolist())
    return "", repr(found)


def ints(tf: Any, *values: Any) -> Any:
    return tf.train.Int64List(value=values)


def feature(tf: Any, *values: Any) -> Any:
    return tf.train.Feature(int64_list=ints(tf, *values))


def example(tf: Any, **features: Any) -> Any:
    return tf.train.Example(features=tf.train.Features(feature=features))


def encoded(message: Any) -> bytes:
    return message.SerializeToString(deterministic=True)


def steps(message: Any, *calls: Callable[[Any], Any]) -> tuple[Any, ...]:
    """Return the results of calls with a message, the message and its encoding."""
    results = [repr(call(message)) for call in calls]
    return (*results, repr(message), message.SerializeToString(deterministic=True))


CONSTRUCTION: list[Case] = [
    lambda tf: ints(tf, 1, np.int32(2), tf.constant(3), -(2**63)),
    lambda tf: ints(tf, 1, True),
    lambda tf: ints(tf, 1.5),
    lambda tf: ints(tf, "a"),
    lambda tf: ints(tf, None),
    lambda tf: ints(tf, 2**63),
    lambda tf: ints(tf, np.bool_(True)),
    lambda tf: tf.train.Int64List(value=3),
    lambda tf: tf.train.Int64List(value=np.arange(3)),
    lambda tf: tf.train.Int64List(value=tf.constant([1, 2])),
    lambda tf: tf.train.Int64List(value=None),
    lambda tf: tf.train.Int64List(val=[1]),
    lambda tf: tf.train.Int64List([1]),
    lambda tf: tf.train.FloatList(value=[1, True, 0.1, 1e40, float("nan"), -1e-50, 1e10, 1 / 3]),
    lambda tf: tf.train.FloatList(
        value=[16777217, 1e-45, 1e7, 12345678, 123456.789, np.float16(1)]
    ),
    lambda tf: tf.train.FloatList(value=["a"]),
    lambda tf: tf.train.FloatList(value=[1j]),
    lambda tf: tf.train.FloatList(value=[10**400]),
    lambda tf: tf.train.BytesList(value=[b"a\x00\xff\n\"'\\\t\r\x1f\x7f?", "é".encode()]),
    lambda tf: tf.train.BytesList(value=["a"]),
    lambda tf: tf.train.BytesList(value="abc"),
    lambda tf: tf.train.BytesList(value=[bytearray(b"a")]),
    lambda tf: tf.train.BytesList(value=np.array([b"a", b"bc"])),
    lambda tf: tf.train.Feature(int64_list=[1]),
    lambda tf: tf.train.Feature(int64_list={"value": [1, 2]}),
    lambda tf: tf.train.Feature(int64_list=tf.train.FloatList()),
    lambda tf: tf.train.Feature(int64_list=ints(tf, 1), float_list=tf.train.FloatList(value=[2])),
    lambda tf: tf.train.Feature(kind=1),
    lambda tf: tf.train.Example(features={"feature": {"b": {"int64_list": {"value": [1]}}}}),
    lambda tf: tf.train.Example(features=3),
    lambda tf: tf.train.Features(feature={b"a": feature(tf)}),
    lambda tf: tf.train.Features(feature={b"\xff": feature(tf)}),
    lambda tf: tf.train.Features(feature={"\ud800": feature(tf)}),
    lambda tf: tf.train.Features(feature={"a": 3}),
    lambda tf: tf.train.Features(feature={"a": ints(tf)}),
    lambda tf: tf.train.Features.FeatureEntry(key="a", value=feature(tf, 1)),
    lambda tf: tf.train.FeatureList(feature=[feature(tf), feature(tf, 1), {"float_list": {}}]),
    lambda tf: tf.train.SequenceExample(
        context={"feature": {"n": feature(tf, 2)}},
        feature_lists={"feature_list": {"x": {"feature": [feature(tf, 1), feature(tf, 300)]}}},
    ),
    lambda tf: tf.train.JobDef(name='w\né\x01"', tasks={2: "b", 0: "a:1"}),
    lambda tf: tf.train.Features(
        feature={k: {} for k in ("", "a", "b", "ab", "é", "a\0")}
    ).ByteSize(),
    lambda tf: encoded(tf.train.Features(feature={k: {} for k in ("", "a", "b", "ab", "é")})),
    lambda tf: encoded(tf.train.JobDef(tasks=dict.fromkeys((-1, 0, 300, -5), ""))),
    lambda tf: tf.train.JobDef(name=b"\xff"),
    lambda tf: tf.train.JobDef(tasks={2**31: "a"}),
    lambda tf: tf.train.ClusterDef(job=[tf.train.JobDef(name="w")]),
    lambda tf: setattr(tf.train.Example(), "features", tf.train.Features()),
    lambda tf: setattr(tf.train.Example(), "nope", 1),
    lambda tf: setattr(ints(tf), "value", [1]),
    lambda tf: hash(example(tf)),
]

USES: list[Case] = [
    lambda tf: steps(tf.train.Example(), lambda e: e.features.feature["a"], lambda e: "a" in e),
    lambda tf: steps(
        tf.train.Example(),
        lambda e: e.features.feature["a"].int64_list.value.append(3),
        lambda e: e.features.feature["a"].WhichOneof("kind"),
        lambda e: e.features.feature["a"].float_list.value.extend([1, 2]),
        lambda e: e.features.feature["a"].WhichOneof("kind"),
    ),
    *(
        lambda tf, call=call: steps(
            tf.train.Example(), lambda e: call(tf, e), lambda e: e.HasField("features")
        )
        for call in (
            lambda tf, e: e.features.Clear(),
            lambda tf, e: e.features.CopyFrom(tf.train.Features()),
            lambda tf, e: e.features.MergeFrom(tf.train.Features()),
            lambda tf, e: e.features.ParseFromString(b""),
            lambda tf, e: e.features.SetInParent(),
            lambda tf, e: e.features.feature.get("a"),
            lambda tf, e: e.features.feature.clear(),
            lambda tf, e: list(e.features.feature),
            lambda tf, e: e.features.feature["a"].int64_list.value.extend([]),
            lambda tf, e: list(e.features.feature["a"].int64_list.value),
            lambda tf, e: e.features.feature["a"].int64_list.value.sort(),
            lambda tf, e: e.features.feature.__setitem__("a", feature(tf)),
            lambda tf, e: e.features.feature.__delitem__("a"),
            lambda tf, e: e.features.feature.setdefault("a"),
            lambda tf, e: e.features.feature.update({"a": feature(tf)}),
            lambda tf, e: e.features.feature.get_or_create("a"),
            lambda tf, e: (e.features.feature["a"], e.features.feature.pop("a")),
            lambda tf, e: e.features.feature.MergeFrom(
                tf.train.Features(feature={"a": feature(tf, 1)}).feature
            ),
            lambda tf, e: e.features.feature["a"].int64_list.value.append("x"),
            lambda tf, e: e.HasField("nope"),
            lambda tf, e: e.WhichOneof("nope"),
            lambda tf, e: e.ClearField("nope"),
            lambda tf, e: e.CopyFrom(feature(tf)),
            lambda tf, e: e.MergeFrom(3),
        )
    ),
    lambda tf: steps(feature(tf, 1), lambda f: f.ClearField("kind"), lambda f: f.HasField("kind")),
    lambda tf: ints(tf).HasField("value"),
    lambda tf: (ints(tf, 1) == ints(tf, 1), ints(tf, 1) == ints(tf, 2), ints(tf) == 3),
    lambda tf: tf.train.FloatList(value=[float("nan")]) == tf.train.FloatList(value=[float("nan")]),
    lambda tf: tf.train.FloatList(value=[0.0]) == tf.train.FloatList(value=[-0.0]),
    lambda tf: (example(tf) == tf.train.Example(), bool(tf.train.Example())),
    lambda tf: [(d.name, d.number, v) for d, v in example(tf, a=feature(tf, 1)).ListFields()],
    lambda tf: (example(tf).ByteSize(), example(tf).IsInitialized(), ints(tf, 1).ByteSize()),
    lambda tf: (tf.train.Example.FEATURES_FIELD_NUMBER, tf.train.Example.DESCRIPTOR.full_name),
    lambda tf: [copy.copy(example(tf, a=feature(tf))), copy.deepcopy(example(tf, a=feature(tf)))],
    lambda tf: pickle.loads(pickle.dumps(example(tf, a=feature(tf, 1)))),
    lambda tf: repr(example(tf, a=feature(tf, 1)).features.feature),
    lambda tf: tf.train.JobDef().tasks[3],
    lambda tf: steps(tf.train.JobDef(name="a"), lambda j: setattr(j, "name", "")),
    *(
        lambda tf, call=call: call(tf, example(tf, a=feature(tf, 1, 2)))
        for call in (
            lambda tf, e: text_format.MessageToString(e, as_one_line=True),
            lambda tf, e: text_format.MessageToString(e, use_short_repeated_primitives=True),
            lambda tf, e: text_format.Parse(text_format.MessageToString(e), tf.train.Example()),
            lambda tf, e: text_format.Parse(text_format.MessageToString(e), e) == e,
            lambda tf, e: text_format.Merge('features { feature { key: "a" } }', e),
            lambda tf, e: text_format.Parse("nothing: 1", e),
            lambda tf, e: text_format.Parse("features: 1", e),
            lambda tf, e: text_format.Parse("int64_list {} float_list {}", tf.train.Feature()),
            lambda tf, e: json_format.MessageToJson(e),
            lambda tf, e: json_format.MessageToDict(e, preserving_proto_field_name=True),
            lambda tf, e: json_format.Parse(json_format.MessageToJson(e), tf.train.Example()) == e,
            lambda tf, e: json_format.ParseDict({"nothing": 1}, e),
            lambda tf, e: json_format.ParseDict({"int64List": {}, "floatList": {}}, feature(tf)),
            lambda tf, e: json_format.ParseDict({"dtype": "DT_INT8"}, tf.make_tensor_proto(1)),
            lambda tf, e: json_format.MessageToDict(tf.make_tensor_proto([1.5, 2.5])),
            lambda tf, e: [
                (f.type, f.cpp_type, f.json_name, f.default_value, f.is_extension, f.index)
                for d in (tf.train.Feature.DESCRIPTOR, tf.train.JobDef.DESCRIPTOR)
                for f in d.fields
            ],
        )
    ),
    *(
        lambda tf, call=call: (lambda m: (call(m.value), list(m.value)))(ints(tf, 1, 5, 3))
        for call in (
            lambda v: v[1:],
            lambda v: v[5],
            lambda v: v["a"],
            lambda v: v.pop(),
            lambda v: v.pop(0),
            lambda v: v.remove(7),
            lambda v: v.remove(5),
            lambda v: v.insert(-1, 9),
            lambda v: v.insert(100, 9),
            lambda v: (v == [1, 5, 3], v == (1, 5, 3), v == v),
            lambda v: v.extend(3),
            lambda v: v.extend(v),
            lambda v: v.append(2**63),
            lambda v: v.__setitem__(slice(0, 2), [7, 8, 9]),
            lambda v: v.__setitem__(-1, 5),
            lambda v: v.__setitem__(0, "a"),
            lambda v: v.__delitem__(slice(0, 2)),
            lambda v: v.sort(reverse=True),
            lambda v: v.reverse(),
            lambda v: v.clear(),
            lambda v: np.asarray(v, np.float32),
        )
    ),
    *(
        lambda tf, call=call: steps(
            tf.train.FeatureList(feature=[feature(tf, 1)]), lambda m: call(tf, m.feature)
        )
        for call in (
            lambda tf, v: v.append(3),
            lambda tf, v: v.append(ints(tf)),
            lambda tf, v: v.add(int64_list=ints(tf, 3)),
            lambda tf, v: v.add().float_list.value.append(1),
            lambda tf, v: v.insert(0, feature(tf, 7)),
            lambda tf, v: v[0].int64_list.value.append(4),
            lambda tf, v: v.pop().int64_list,
            lambda tf, v: v == [feature(tf, 1)],
        )
    ),
]  # fmt: skip

ENCODINGS = [
    ("Example", b"abc"),
    ("Example", "abc"),
    ("Example", b"\x0a\x05a"),
    ("Example", b"\xff"),
    ("Example", b"\x12\x01a\x18\x05\x25\x01\x00\x00\x00"),
    ("Example", b"\x18\x05\x0a\x00\x12\x01a"),
    ("Example", b"\x1b\x08\x01\x1c"),
    ("Example", b"\x1b\x08\x01"),
    ("Example", b"\x0a\x0c\x0a\x0a\x0a\x01a\x12\x05\x0a\x03\x0a\x01b" * 2),
    ("Int64List", b"\x08\x05\x0a\x02\x01\x02\x08\x07"),
    ("Int64List", b"\x0a\x02\x01\x82"),
    ("Int64List", b"\x0d\x02\x01\x82\x00"),
    ("Int64List", b"\x08" + b"\xff" * 9 + b"\x01"),
    ("Int64List", b"\x08" + b"\xff" * 10 + b"\x01"),
    ("FloatList", b"\x0a\x03\x01\x82\x00"),
    ("FloatList", b"\x0d\x00\x00\x80\x3f\x0a\x04\x00\x00\x00\x40"),
    ("Feature", b"\x0a\x03\x0a\x01b\x1a\x03\x0a\x01\x01"),
    ("Feature", b"\x0a\x03\x0a\x01b\x0a\x03\x0a\x01\x01"),
    ("Features", b"\x0a\x03\x0a\x01a"),
    (
        "Features",
        b"\x0a\x0a\x0a\x01a\x12\x05\x0a\x03\x0a\x01b\x0a\x0a\x0a\x01a\x12\x05\x0a\x03\x0a\x01c",
    ),
    ("JobDef", b"\x0a\x01\xff"),
    ("JobDef", b"\x12\x03\x12\x01a"),
    ("JobDef", b"\x12\x02\x08\x05"),
]  # fmt: skip


@pytest.mark.parametrize("cases", [CONSTRUCTION, USES], ids=["construction", "uses"])
def test_messages(cases: list[Case]) -> None:
    for number, case in enumerate(cases):
        assert outcome(case, tfpy) == outcome(case, tensorflow), number


@pytest.mark.parametrize(("kind", "data"), ENCODINGS)
def test_encodings(kind: str, data: Any) -> None:
    def read(tf: Any) -> Any:
        message = getattr(tf.train, kind).FromString(data)
        merged = copy.deepcopy(message)
        merged.MergeFromString(data)
        message.DiscardUnknownFields()
        texts = [m.SerializeToString(deterministic=True) for m in (merged, message)]
        return merged, message, texts

    assert outcome(read, tfpy) == outcome(read, tensorflow)


INTEGERS = st.integers(-(2**63), 2**63 - 1)
KEYS = st.text(max_size=3)
VALUES = st.one_of(
    st.lists(st.binary(max_size=3), max_size=3).map(lambda v: {"bytes_list": {"value": v}}),
    st.lists(st.floats(), max_size=3).map(lambda v: {"float_list": {"value": v}}),
    st.lists(INTEGERS, max_size=3).map(lambda v: {"int64_list": {"value": v}}),
    st.just({}),
)  # fmt: skip
FEATURES = st.dictionaries(KEYS, VALUES, max_size=3).map(lambda v: {"feature": v})
LISTS = st.dictionaries(
    KEYS, st.lists(VALUES, max_size=2).map(lambda v: {"feature": v}), max_size=2
)


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(FEATURES, LISTS, FEATURES)
def test_random_messages(context: Any, lists: Any, more: Any) -> None:
    def of(tf: Any) -> tuple[Any, bytes]:
        kind = tf.train.SequenceExample
        message = kind(context=context, feature_lists={"feature_list": lists})
        message.MergeFrom(kind(context=more))
        return message, message.SerializeToString(deterministic=True)

    (mine, data), (theirs, wanted) = of(tfpy), of(tensorflow)
    assert data == wanted
    assert mine.ByteSize() == len(wanted)
    again = tfpy.train.SequenceExample.FromString(wanted)
    assert again == mine
    for ours, other in ((mine.context, theirs.context), (again.context, theirs.context)):
        for name, value in other.feature.items():
            assert repr(ours.feature[name]) == repr(value)


@settings(max_examples=100, deadline=None, derandomize=True, database=None)
@given(st.binary(max_size=12))
def test_random_bytes(data: bytes) -> None:
    """Check that any bytes are accepted or rejected as by protobuf."""

    def read(tf: Any) -> Any:
        return tf.train.Features.FromString(data).SerializeToString(deterministic=True)

    assert outcome(read, tfpy) == outcome(read, tensorflow)


NUMBERS = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4")
ARRAYS: list[Any] = [
    *(np.array([1, 2], kind) for kind in NUMBERS),
    *(np.array([[1]], kind) for kind in NUMBERS),
    *(np.array([-1, -2], kind) for kind in ("i1", "i2", "i4", "i8", "f8", "c8", "c16")),
    *(np.array([250], "u1"), np.array(-1, "i2"), np.array([1j], "c8"), np.array([True, False])),
    *(3, 3.5, True, "abc", b"abc", 1j, 2**40, [2**40, 1], [[1.0, 2], [3, 4]], ["a", b"b\x00"], []),
    *(np.array(["a", "b"]), np.array([b"a"]), np.array(["a", b"c"], object)),
    np.zeros((0, 3), "f4"),
    *(None, [1, None], [1, [2]], bytearray(b"ab"), [True, 2]),
]  # fmt: skip
ARGUMENTS: list[Case] = [
    lambda tf: tf.make_tensor_proto(1, shape=[2, 2]),
    lambda tf: tf.make_tensor_proto([1, 2], shape=[2, 2]),
    lambda tf: tf.make_tensor_proto([1, 2, 3, 4], shape=[2, 2]),
    lambda tf: tf.make_tensor_proto([1, 2, 3, 4, 5], shape=[2, 2]),
    lambda tf: tf.make_tensor_proto([1, 2, 3, 4], shape=[2, 2], verify_shape=True),
    lambda tf: tf.make_tensor_proto(1, shape=[2, 2], allow_broadcast=True),
    lambda tf: tf.make_tensor_proto([1, 2], shape=[2, 2], allow_broadcast=True),
    lambda tf: tf.make_tensor_proto(1, allow_broadcast=True, verify_shape=True),
    lambda tf: tf.make_tensor_proto(1.5, dtype=tf.int32),
    lambda tf: tf.make_tensor_proto("a", dtype=tf.float32),
    lambda tf: tf.make_tensor_proto(1, dtype=tf.string),
    lambda tf: tf.make_tensor_proto(1, dtype=tf.bool),
    lambda tf: tf.make_tensor_proto([1, 2], dtype=tf.bfloat16),
    lambda tf: tf.make_tensor_proto(1, dtype=tf.bfloat16),
    lambda tf: tf.make_tensor_proto([1.5], dtype=tf.half),
    lambda tf: tf.make_tensor_proto([1, 2], dtype=np.int64),
    lambda tf: tf.make_tensor_proto([1, 2], dtype=9),
    lambda tf: tf.make_tensor_proto([True, False], dtype=tf.int32),
    lambda tf: tf.make_tensor_proto(np.array([1.5]), dtype=tf.int32),
    lambda tf: tf.make_tensor_proto([], dtype=tf.int32, shape=[0, 2]),
    lambda tf: tf.make_tensor_proto(tf.constant([[1, 2]])),
    lambda tf: tf.make_tensor_proto(tf.constant("a")),
]


def test_tensor_protos() -> None:
    def made(value: Any) -> list[Case]:
        def array(tf: Any) -> Any:
            message = tf.make_tensor_proto(value)
            return message, encoded(message), tf.make_ndarray(message).tolist()

        return [array, lambda tf: tf.make_ndarray(tf.make_tensor_proto(value)).dtype.name]

    for number, case in enumerate([*(c for value in ARRAYS for c in made(value)), *ARGUMENTS]):
        assert outcome(case, tfpy) == outcome(case, tensorflow), number


KINDS = [
    *("int8", "uint8", "int16", "uint16", "int32", "uint32", "uint64"),
    *("float16", "bfloat16", "float32", "complex64", "bool"),
]


@same
def test_serialized_tensors(tf: Any) -> Any:
    values = [tf.cast([[0, 1, 2]], getattr(tf, kind)) for kind in KINDS]
    values += [tf.constant("a"), tf.constant([["a", "b\0"]]), tf.zeros([2, 0]), tf.constant(3)]
    data = [tf.io.serialize_tensor(x) for x in values]
    return [
        data,
        [tf.io.parse_tensor(d, x.dtype) for d, x in zip(data, values, strict=True)],
        tf.function(tf.io.serialize_tensor)(values[0]),
        [
            tf.io.parse_tensor(encoded(tf.make_tensor_proto(v, shape=[2, 2])), kind)
            for v, kind in ((7, tf.int32), ([1.5], tf.float32), (["a"], tf.string))
        ],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"dtype": 3}, r"Type mismatch between parsed tensor \(int32\) and dtype \(float\)"),
        ({"dtype": 99}, "Cannot parse tensor"),
        ({"dtype": 1, "tensor_shape": {"dim": [{"size": 2}]}, "tensor_content": b"abc"}, "Cannot"),
        ({"dtype": 1, "tensor_shape": {"dim": [{"size": -2}]}}, "Cannot parse tensor"),
        ({"dtype": 1, "tensor_shape": {"dim": [{"size": 1 << 40}]}}, "Cannot parse tensor"),
    ],
)
def test_refused_tensors(fields: dict[str, Any], text: str) -> None:
    for tf in (tfpy, tensorflow):
        message = type(tf.make_tensor_proto(1))(**fields)
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            tf.io.parse_tensor(encoded(message), tf.float32)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Could not parse"):
            tf.io.parse_tensor(b"abc", tf.float32)
        with pytest.raises(tf.errors.InvalidArgumentError, match="to be a scalar"):
            tf.io.parse_tensor([b"abc"], tf.float32)
