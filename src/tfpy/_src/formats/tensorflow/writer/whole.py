"""Primitives as nodes of TensorFlow's graphs that TensorFlow.js does not have, for SavedModels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.formats.graph_writing.control_parts import with_fixed
from tfpy._src.formats.graph_writing.emitter import (
    BOOL,
    FED,
    INT,
    FormatTable,
    NodeValue,
    unsupported,
)
from tfpy._src.formats.tensorflow.writer.nodes import TABLE, Nodes

SAVED = FormatTable("a SavedModel")
SAVED.records.update(TABLE.records)
SAVED.refused.update(TABLE.refused)
record = SAVED.record

_INT64 = DType("int64", 8, 9)
_STRING = dtypes.string
_SAME = {
    "bitwise_and": "BitwiseAnd",
    "bitwise_or": "BitwiseOr",
    "bitwise_xor": "BitwiseXor",
    "left_shift": "LeftShift",
    "right_shift": "RightShift",
    "nextafter": "NextAfter",
    "erfinv": "Erfinv",
    "ndtri": "Ndtri",
    "lgamma": "Lgamma",
    "digamma": "Digamma",
    "zeta": "Zeta",
    "polygamma": "Polygamma",
    "bessel_i0": "BesselI0",
    "bessel_i0e": "BesselI0e",
    "bessel_i1": "BesselI1",
    "bessel_i1e": "BesselI1e",
    "igamma": "Igamma",
    "igammac": "Igammac",
    "betainc": "Betainc",
    "cholesky": "Cholesky",
    "det": "MatrixDeterminant",
    "matrix_solve": "MatrixSolve",
    "sqrtm": "MatrixSquareRoot",
}
"""Operations of TensorFlow with the same inputs. Their only attribute is the dtype."""


def _same(op: str) -> Callable[..., NodeValue]:
    return lambda w, *values: w.op(op, *values)


for _name, _op in _SAME.items():
    record(_name)(_same(_op))


@record("triangular_solve")
def _triangular_solve(w: Nodes, a: NodeValue, b: NodeValue, *, lower: bool) -> NodeValue:
    return w.op("MatrixTriangularSolve", a, b, lower=bool(lower))


@record("sign_det")
def _sign_det(w: Nodes, x: NodeValue) -> NodeValue:
    return w.several("LogMatrixDeterminant", [x], [x.dtype, x.dtype])[0]


@record("log_abs_det")
def _log_abs_det(w: Nodes, x: NodeValue) -> NodeValue:
    return w.several("LogMatrixDeterminant", [x], [x.dtype, x.dtype])[1]


def _packed(w: Nodes, parts: Sequence[NodeValue]) -> NodeValue:
    """Concatenate the elements of all parts, as decompositions return them."""
    return w.joined([w.op("Reshape", part, w.integers([-1])) for part in parts])


@record("qr")
def _qr(w: Nodes, x: NodeValue, *, full: bool) -> NodeValue:
    return _packed(w, w.several("Qr", [x], [x.dtype] * 2, full_matrices=bool(full)))


@record("svd")
def _svd(w: Nodes, x: NodeValue, *, full: bool) -> NodeValue:
    found = w.several("Svd", [x], [x.dtype] * 3, compute_uv=True, full_matrices=bool(full))
    return _packed(w, found)


@record("eigh")
def _eigh(w: Nodes, x: NodeValue) -> NodeValue:
    return _packed(w, w.several("SelfAdjointEigV2", [x], [x.dtype] * 2, compute_v=True))


@record("bitcast")
def _bitcast(w: Nodes, x: NodeValue, *, dtype: DType) -> NodeValue:
    return w.op("Bitcast", x, dtype=dtype, type=dtype)


@record("cumulative_logsumexp")
def _logsumexp(w: Nodes, x: NodeValue, *, axis: int, exclusive: bool, reverse: bool) -> NodeValue:
    return w.op(
        "CumulativeLogsumexp", x, np.int32(axis), exclusive=bool(exclusive), reverse=bool(reverse)
    )


# Loops


@record("while_loop", "stateful_while_loop")
def _while_loop(
    w: Nodes, *values: NodeValue, test: Graph, body: Graph, state: int, primal: Any = None
) -> list[NodeValue]:
    """Write a loop that counts its iterations, because TensorFlow's gradients read the number."""
    scalar = Aval((), INT)
    whole = with_fixed(w, body, state)
    types = [INT, INT, *(value.dtype for value in values)]

    def taken(inner: Nodes) -> list[NodeValue]:
        inner.inputs += [NodeValue(name, INT, scalar) for name in ("iteration", "most")]
        return inner.inputs[:]

    def counted(inner: Nodes) -> list[NodeValue]:
        iteration, most = taken(inner)
        found = [inner.op("AddV2", iteration, np.int32(1)), inner.op("Identity", most)]
        return [NodeValue(value.name, INT, scalar) for value in found]

    def tested(inner: Nodes) -> list[NodeValue]:
        taken(inner)
        return []

    found = w.several(
        "StatelessWhile", [w.number(0, INT), w.number(-1, INT), *values], types, T=types,
        cond=w.function(test, values, "test", tested),
        body=w.function(whole, values, "body", counted),
    )  # fmt: skip
    return found[2 : 2 + state]


# Strings


@record("string_lower")
def _lower(w: Nodes, x: NodeValue, *, encoding: str) -> NodeValue:
    return w.several("StringLower", [x], [_STRING], encoding=encoding)[0]


@record("string_upper")
def _upper(w: Nodes, x: NodeValue, *, encoding: str) -> NodeValue:
    return w.several("StringUpper", [x], [_STRING], encoding=encoding)[0]


@record("string_strip")
def _strip(w: Nodes, x: NodeValue) -> NodeValue:
    return w.op("StringStrip", x)


@record("string_length")
def _length(w: Nodes, x: NodeValue, *, unit: str) -> NodeValue:
    return w.op("StringLength", x, dtype=INT, unit=unit)


@record("substr")
def _substr(w: Nodes, x: NodeValue, at: NodeValue, length: NodeValue, *, unit: str) -> NodeValue:
    return w.op("Substr", x, at, length, unit=unit)


@record("string_join")
def _join(w: Nodes, *values: NodeValue, separator: str) -> NodeValue:
    return w.op("StringJoin", *values, N=len(values), separator=separator)


@record("reduce_join")
def _reduce_join(w: Nodes, x: NodeValue, *, axes: Sequence[int], separator: str) -> NodeValue:
    return w.op("ReduceJoin", x, w.integers(axes), keep_dims=False, separator=separator)


@record("unsorted_segment_join")
def _segment_join(
    w: Nodes, x: NodeValue, ids: NodeValue, *, segments: int, separator: str
) -> NodeValue:
    return w.op("UnsortedSegmentJoin", x, ids, w.integers([segments])[0], separator=separator)


@record("regex_full_match")
def _full_match(w: Nodes, x: NodeValue, *, pattern: str) -> NodeValue:
    return w.op("StaticRegexFullMatch", x, dtype=BOOL, pattern=pattern)


@record("as_string")
def _as_string(w: Nodes, x: NodeValue, **attrs: Any) -> NodeValue:
    return w.op("AsString", x, dtype=_STRING, **attrs)


@record("string_to_number")
def _to_number(w: Nodes, x: NodeValue, *, out_type: DType) -> NodeValue:
    return w.op("StringToNumber", x, dtype=out_type, out_type=out_type)


@record("unicode_transcode")
def _transcode(w: Nodes, x: NodeValue, **attrs: Any) -> NodeValue:
    return w.op("UnicodeTranscode", x, **attrs)


@record("string_to_hash_bucket")
def _hash_bucket(w: Nodes, x: NodeValue, *, num_buckets: int) -> NodeValue:
    found = w.op("StringToHashBucket", x, dtype=_INT64, num_buckets=int(num_buckets))
    return w.cast(found, w.result[0].dtype)


@record("string_to_hash_bucket_strong")
def _strong(w: Nodes, x: NodeValue, *, num_buckets: int, key: Sequence[int]) -> NodeValue:
    found = w.op(
        "StringToHashBucketStrong", x, dtype=_INT64, num_buckets=int(num_buckets),
        key=[int(part) for part in key],
    )  # fmt: skip
    return w.cast(found, w.result[0].dtype)


# Random numbers


def is_fed(w: Nodes, state: NodeValue) -> bool:
    """Return True if the state of a generator is new in each call."""
    makers = {name: node for node in w.nodes for name in node.outputs}
    todo, seen = [state.name], set()
    while todo:
        name = todo.pop()
        if name == FED:
            return True
        node = makers.get(name)
        if node is not None and name not in seen:
            seen.add(name)
            todo += node.inputs
    return False


def _random(op: str) -> Callable[..., NodeValue]:
    written = TABLE.records[op]

    def write(w: Nodes, *state: NodeValue, shape: Sequence[int]) -> NodeValue:
        _check_fed(w, op, state)
        found: NodeValue = written(w, *state, shape=shape)
        return found

    return write


def _check_fed(w: Nodes, op: str, state: Sequence[NodeValue]) -> None:
    if not is_fed(w, state[0]):
        raise unsupported(
            op,
            "the values follow from a seed in tfpy, and TensorFlow would compute others. Pass "
            "random numbers as arguments, or use tf.random functions without a seed",
        )


for _name in ("random_uniform", "random_normal", "random_truncated_normal"):
    record(_name)(_random(_name))


@record("random_int")
def _random_int(w: Nodes, *values: NodeValue, shape: Sequence[int]) -> NodeValue:
    *state, low, high = values
    _check_fed(w, "random_int", state)
    given = [w.sizes(shape), w.cast(low, INT), w.cast(high, INT)]
    found = w.several("RandomUniformInt", given, [INT], Tout=INT, seed=0, seed2=0)[0]
    return w.cast(found, w.result[0].dtype)
