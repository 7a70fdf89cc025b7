"""Calls of `tf.io.parse_example` and its relatives, which succeed or raise errors."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import tensorflow

Case = Callable[[Any], Any]


def names(tf: Any) -> Any:
    """Return short names of a library's functions and classes."""
    io = tf.io
    return SimpleNamespace(
        tf=tf,
        pe=io.parse_example,
        ps=io.parse_single_example,
        pq=io.parse_sequence_example,
        p1=io.parse_single_sequence_example,
        F=io.FixedLenFeature,
        S=io.FixedLenSequenceFeature,
        V=io.VarLenFeature,
        R=io.RaggedFeature,
        SP=io.SparseFeature,
    )


def feature(values: Any) -> Any:
    """Return a feature of integers, floats or bytes. It is not set for None."""
    train = tensorflow.train
    if values is None:
        return train.Feature()
    if values and isinstance(values[0], float):
        return train.Feature(float_list=train.FloatList(value=values))
    if values and isinstance(values[0], bytes):
        return train.Feature(bytes_list=train.BytesList(value=values))
    return train.Feature(int64_list=train.Int64List(value=values))


def features(values: dict[str, Any]) -> Any:
    return tensorflow.train.Features(feature={k: feature(v) for k, v in values.items()})


def ex(**values: Any) -> bytes:
    """Return a serialized example."""
    message = tensorflow.train.Example(features=features(values))
    return message.SerializeToString(deterministic=True)


def sq(context: dict[str, Any], lists: dict[str, Any] | None = None) -> bytes:
    """Return a serialized sequence example."""
    steps = {k: {"feature": [feature(x) for x in v]} for k, v in (lists or {}).items()}
    message = tensorflow.train.SequenceExample(
        context=features(context), feature_lists={"feature_list": steps}
    )
    return message.SerializeToString(deterministic=True)


A = ex(a=[1, 2], f=[1.5, 2.5], s=[b"x", b"yz"])
B = ex(a=[3, 4], f=[3.5, 4.5], s=[b"", b"w"])
C, D, N = ex(), ex(a=[5], v=[1, 2, 3]), ex(a=None)

VALUES: list[Case] = [
    lambda t: t.pe(
        [A, B], {"a": t.F([2], t.tf.int64), "f": t.F([2], t.tf.float32), "s": t.F([2], t.tf.string)}
    ),
    lambda t: t.pe([A, B], {"a": t.F((2, 1), t.tf.int64)}),
    lambda t: t.pe([D], {"a": t.F([], t.tf.int64)}),
    lambda t: t.pe([D], {"a": t.F(1, t.tf.int64)}),
    lambda t: t.pe([D], {"a": t.F((), t.tf.int64)}),
    lambda t: t.pe([A, C], {"a": t.F([2], t.tf.int64, [8, 9])}),
    lambda t: t.pe([A, N], {"a": t.F([2], t.tf.int64, default_value=[8, 9])}),
    lambda t: t.pe([A, C], {"s": t.F([2], t.tf.string, ["p", "q"])}),
    lambda t: t.pe([A, C], {"f": t.F([2], t.tf.float32, [1, 2])}),
    lambda t: t.pe([A, B, D, C], {"a": t.V(t.tf.int64), "v": t.V(t.tf.int64)}),
    lambda t: t.pe([A, B, D, C], {"s": t.V(t.tf.string)}),
    lambda t: t.pe([C], {"s": t.V(t.tf.string)}),
    lambda t: t.pe(
        t.tf.zeros([0], t.tf.string),
        {
            "s": t.V(t.tf.string),
            "a": t.F([2], t.tf.int64),
            "q": t.S([], t.tf.int64, allow_missing=True),
            "r": t.R(t.tf.int64),
        },
    ),
    lambda t: t.pe([A, D, C], {"a": t.S([], t.tf.int64, allow_missing=True)}),
    lambda t: t.pe([A, D, C], {"a": t.S([], t.tf.int64, allow_missing=True, default_value=7)}),
    lambda t: t.pe([A, B], {"a": t.S([2], t.tf.int64, allow_missing=True)}),
    lambda t: t.pe([A, D], {"s": t.S([], t.tf.string, True, "pad")}),
    lambda t: t.pe([A, D], {"a": t.R(t.tf.int64), "v": t.R(t.tf.int64)}),
    lambda t: t.pe([A, D], {"a": t.R(t.tf.int64, row_splits_dtype=t.tf.int64)}),
    lambda t: t.pe([A, D], {"x": t.R(t.tf.string, value_key="s")}),
    lambda t: t.pe(
        [
            ex(v=[3, 1, 4, 1, 5, 9], s1=[0, 2, 3, 3, 6], s2=[0, 2, 3, 4]),
            ex(v=[2, 7, 1, 8, 2, 8, 1], s1=[0, 3, 4, 5, 7], s2=[0, 1, 1, 4]),
        ],
        {
            "f1": t.R(t.tf.int64, "v"),
            "f2": t.R(t.tf.int64, "v", [t.R.RowSplits("s1")]),
            "f3": t.R(t.tf.int64, "v", [t.R.RowSplits("s2"), t.R.RowSplits("s1")]),
        },
    ),
    lambda t: t.ps(
        ex(v=[3, 1, 4, 1, 5, 9], s1=[0, 2, 3, 3, 6], s2=[0, 2, 3, 4]),
        {
            "f1": t.R(t.tf.int64, "v"),
            "f2": t.R(t.tf.int64, "v", [t.R.RowSplits("s1")]),
            "f3": t.R(t.tf.int64, "v", [t.R.RowSplits("s2"), t.R.RowSplits("s1")]),
        },
    ),
    lambda t: t.pe(
        [ex(v=[3, 1, 4, 1], l=[1, 3]), ex(v=[2, 7], l=[0, 2, 0])],
        {"x": t.R(t.tf.int64, "v", [t.R.RowLengths("l")])},
    ),
    lambda t: t.pe(
        [ex(v=[3, 1, 4, 1], l=[0, 3]), ex(v=[2, 7], l=[0, 2, 2])],
        {"x": t.R(t.tf.int64, "v", [t.R.RowStarts("l")])},
    ),
    lambda t: t.pe(
        [ex(v=[3, 1, 4, 1], l=[0, 4]), ex(v=[2, 7], l=[0, 2, 2])],
        {"x": t.R(t.tf.int64, "v", [t.R.RowLimits("l")])},
    ),
    lambda t: t.pe(
        [ex(v=[3, 1, 4, 1], l=[0, 0, 1, 2]), ex(v=[2, 7], l=[1, 1])],
        {"x": t.R(t.tf.int64, "v", [t.R.ValueRowIds("l")])},
    ),
    lambda t: t.pe(
        [ex(v=[3, 1, 4, 1]), ex(v=[2, 7])], {"x": t.R(t.tf.int64, "v", [t.R.UniformRowLength(2)])}
    ),
    lambda t: t.pe(
        [ex(v=[3, 1, 4, 1], l=[1, 1]), ex(v=[2, 7], l=[1])],
        {"x": t.R(t.tf.int64, "v", [t.R.RowLengths("l"), t.R.UniformRowLength(2)])},
    ),
    lambda t: t.pe(
        [ex(v=[3, 1, 4, 1], l=[1, 1, 1, 1]), ex(v=[2, 7], l=[2, 0])],
        {"x": t.R(t.tf.int64, "v", [t.R.UniformRowLength(2), t.R.RowLengths("l")])},
    ),
    lambda t: t.ps(
        ex(v=[3, 1, 4, 1], l=[1, 3]), {"x": t.R(t.tf.int64, "v", [t.R.RowLengths("l")])}
    ),
    lambda t: t.ps(ex(v=[3, 1, 4, 1], l=[0, 3]), {"x": t.R(t.tf.int64, "v", [t.R.RowStarts("l")])}),
    lambda t: t.ps(ex(v=[3, 1, 4, 1], l=[0, 4]), {"x": t.R(t.tf.int64, "v", [t.R.RowLimits("l")])}),
    lambda t: t.ps(
        ex(v=[3, 1, 4, 1], l=[0, 0, 1, 2]), {"x": t.R(t.tf.int64, "v", [t.R.ValueRowIds("l")])}
    ),
    lambda t: t.ps(ex(v=[3, 1, 4, 1]), {"x": t.R(t.tf.int64, "v", [t.R.UniformRowLength(2)])}),
    lambda t: t.ps(
        ex(v=[3, 1, 4, 1], l=[1, 1, 1, 1]),
        {"x": t.R(t.tf.int64, "v", [t.R.UniformRowLength(2), t.R.RowLengths("l")])},
    ),
    lambda t: t.ps(
        ex(v=[3, 1, 4, 1], l=[1, 1]),
        {"x": t.R(t.tf.int64, "v", [t.R.RowLengths("l"), t.R.UniformRowLength(2)])},
    ),
    lambda t: t.pe(
        [ex(i=[3, 1], w=[1.5, 2.5]), ex(i=[0], w=[9.5])], {"x": t.SP("i", "w", t.tf.float32, 10)}
    ),
    lambda t: t.pe(
        [ex(i=[3, 1], w=[1.5, 2.5]), ex(i=[0], w=[9.5])],
        {"x": t.SP("i", "w", t.tf.float32, 10, True)},
    ),
    lambda t: t.pe(
        [ex(i=[3, 1], j=[0, 1], w=[1.5, 2.5]), ex(i=[0], j=[1], w=[9.5])],
        {"x": t.SP(["i", "j"], "w", t.tf.float32, [10, 2])},
    ),
    lambda t: t.ps(
        ex(i=[3, 1], j=[0, 1], w=[1.5, 2.5]), {"x": t.SP(["i", "j"], "w", t.tf.float32, [10, 2])}
    ),
    lambda t: t.ps(ex(i=[3, 1], w=[1.5, 2.5]), {"x": t.SP("i", "w", t.tf.float32, 10)}),
    lambda t: t.ps(
        ex(i=[3, 1], w=[1.5, 2.5]), {"x": t.SP("i", "w", t.tf.float32, 10), "w": t.V(t.tf.float32)}
    ),
    lambda t: t.ps(
        A,
        {
            "a": t.F([2], t.tf.int64),
            "s": t.V(t.tf.string),
            "f": t.S([], t.tf.float32, allow_missing=True),
        },
    ),
    lambda t: t.ps(A, {"f": t.S([2], t.tf.float32, allow_missing=True)}),
    lambda t: t.ps(
        C,
        {
            "f": t.S([2], t.tf.float32, allow_missing=True),
            "s": t.V(t.tf.string),
            "r": t.R(t.tf.string),
        },
    ),
    lambda t: t.ps(C, {"a": t.F([], t.tf.int64, 5)}),
    lambda t: t.ps("", {"a": t.V(t.tf.int64)}),
    lambda t: t.pe(
        A, {"a": t.F([2], t.tf.int64), "s": t.V(t.tf.string), "r": t.R(t.tf.float32, "f")}
    ),
    lambda t: t.R(t.tf.int64),
    lambda t: t.F([2], t.tf.int64),
    lambda t: t.S([2], t.tf.int64),
    lambda t: t.V(t.tf.int64),
    lambda t: t.SP("i", "v", t.tf.float32, 3),
    lambda t: t.pe([A], {"a": t.V(t.tf.int64), "x": t.SP("a", "f", t.tf.float32, 10)}),
    lambda t: t.pe([A + ex(a=[7, 8])], {"a": t.F([2], t.tf.int64)}),
    lambda t: t.ps(A + ex(a=[7, 8]), {"a": t.F([2], t.tf.int64)}),
    lambda t: t.pe([ex(a=[7, 8]) + b"\x12\x01a"], {"a": t.F([2], t.tf.int64)}),
    lambda t: t.ps(ex(a=[7, 8]) + b"\x18\x05", {"a": t.F([2], t.tf.int64)}),
    lambda t: t.ps(
        b"\x0a\x0f\x0a\x0d\x0a\x01a\x12\x08\x1a\x06\x08\x01\x08\x02\x08\x03", {"a": t.V(t.tf.int64)}
    ),
    lambda t: t.ps(
        b"\x0a\x13\x0a\x11\x0a\x01a\x12\x0c\x12\x0a\x0d\x00\x00\x80\x3f\x0d\x00\x00\x00\x40",
        {"a": t.V(t.tf.float32)},
    ),
    lambda t: t.p1(
        sq({"c": [1]}, {"x": [[1, 2], [3]]}), {"c": t.V(t.tf.int64)}, {"x": t.R(t.tf.int64)}
    ),
    lambda t: t.p1(sq({"c": [1]}, {"x": [[1], [3]]}), None, {"x": t.S([], t.tf.int64)}),
    lambda t: t.p1(
        sq({"c": [1]}, {}),
        None,
        {
            "x": t.S([], t.tf.int64, allow_missing=True),
            "y": t.V(t.tf.int64),
            "z": t.R(t.tf.float32),
        },
    ),
    lambda t: t.p1(sq({"c": [1]}, {"x": [[1], None]}), None, {"x": t.V(t.tf.int64)}),
    lambda t: t.p1(sq({"c": [1]}, {"x": [[1], []]}), None, {"x": t.R(t.tf.int64)}),
    lambda t: t.p1(sq({"c": [1]}), {"d": t.F([], t.tf.float32, 2.5)}),
    lambda t: t.pq(
        [sq({"c": [1]}, {"x": [[1, 2], [3]]}), sq({"c": [5, 6]}, {"x": [[5]]})],
        {"c": t.V(t.tf.int64)},
        {"x": t.R(t.tf.int64)},
    ),
    lambda t: t.pq(
        [sq({"c": [1]}, {"x": [[1, 2], [3]]}), sq({"c": [5, 6]}, {"x": [[5]]})],
        {"c": t.R(t.tf.int64)},
        {"x": t.V(t.tf.int64)},
    ),
    lambda t: t.pq(
        [sq({"c": [1]}, {"x": [[1], [3]]}), sq({"c": [5, 6]}, {})],
        None,
        {"x": t.S([], t.tf.int64, allow_missing=True)},
    ),
    lambda t: t.pq([sq({"c": [1]}), sq({"c": [5]})], {"c": t.F([], t.tf.int64)}),
    lambda t: t.pq(sq({"c": [1]}), {"c": t.F([], t.tf.int64)}),
    lambda t: t.tf.function(
        lambda x: t.pe(x, {"a": t.F([2], t.tf.int64), "f": t.F([2], t.tf.float32)})
    )(t.tf.constant([A, B])),
    lambda t: t.tf.function(
        lambda x: t.ps(x, {"a": t.F([2], t.tf.int64), "s": t.F([2], t.tf.string)})
    )(t.tf.constant(A)),
    lambda t: t.tf.function(lambda x: t.ps(x, {"a": t.V(t.tf.int64), "f": t.F([2], t.tf.float32)}))(
        t.tf.constant(A)
    ),
    lambda t: t.tf.function(lambda x: t.pe(x, {"a": t.R(t.tf.int64)}))(t.tf.constant([A, D])),
    lambda t: list(
        t.tf.data.Dataset.from_tensor_slices([A, B]).map(
            lambda x: t.ps(
                x,
                {
                    "a": t.F([2], t.tf.int64),
                    "f": t.F([2], t.tf.float32),
                    "s": t.F([2], t.tf.string),
                },
            )
        )
    ),
    lambda t: str(
        t.tf.data.Dataset.from_tensor_slices([A, B])
        .map(lambda x: t.ps(x, {"a": t.F([2], t.tf.int64), "f": t.F([2], t.tf.float32)}))
        .element_spec
    ),
    lambda t: str(
        t.tf.data.Dataset.from_tensor_slices([A, B])
        .batch(2)
        .map(lambda x: t.pe(x, {"a": t.F([2], t.tf.int64)}))
        .element_spec
    ),
    lambda t: str(
        t.tf.data.Dataset.from_tensor_slices([A, B])
        .map(lambda x: t.ps(x, {"a": t.V(t.tf.int64)}))
        .element_spec
    ),
    lambda t: list(
        t.tf.data.Dataset.from_tensor_slices([A, D, C]).map(
            lambda x: t.ps(x, {"a": t.V(t.tf.int64)})
        )
    ),
    lambda t: list(
        t.tf.data.Dataset.from_tensor_slices([A, D, C]).map(
            lambda x: t.ps(x, {"a": t.S([], t.tf.int64, True)})
        )
    ),
    lambda t: list(
        t.tf.data.Dataset.from_tensor_slices([A, D, C])
        .map(lambda x: t.ps(x, {"a": t.S([], t.tf.int64, True)})["a"])
        .padded_batch(3)
    ),
    lambda t: list(
        t.tf.data.Dataset.from_tensor_slices([A, D, C])
        .map(lambda x: t.tf.sparse.to_dense(t.ps(x, {"a": t.V(t.tf.int64)})["a"]))
        .padded_batch(3)
    ),
    lambda t: list(
        t.tf.data.Dataset.from_tensor_slices([A, D, C])
        .batch(2)
        .map(lambda x: t.pe(x, {"a": t.V(t.tf.int64)}))
    ),
    lambda t: list(
        t.tf.data.Dataset.from_tensor_slices([A, D, C])
        .batch(2)
        .map(lambda x: t.pe(x, {"a": t.R(t.tf.int64)}))
    ),
    lambda t: list(
        t.tf.data.Dataset.from_tensor_slices([A, B, A])
        .batch(2)
        .map(lambda x: t.pe(x, {"a": t.F([2], t.tf.int64)})["a"] * 2)
    ),
]
