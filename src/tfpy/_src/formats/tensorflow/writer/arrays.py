"""Primitives for movement, reductions and indexing as nodes of TensorFlow graphs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.dtypes import DType
from tfpy._src.compiler.ir.op import OPS
from tfpy._src.compiler.ir.sizes import OpenSize, is_open, is_unranked
from tfpy._src.formats.graph_writing.blocks import block_indices
from tfpy._src.formats.graph_writing.emitter import BOOL, FLOAT, INT, NodeValue, unsupported
from tfpy._src.formats.graph_writing.open_sizes import Edge, edges
from tfpy._src.formats.tensorflow.writer.nodes import Nodes, record, refuse

refuse(
    "TensorFlow.js has no such operation",
    "scatter_prod scatter_max scatter_min cumulative_logsumexp as_string string_lower string_upper "
    "string_strip string_length substr string_join reduce_join unsorted_segment_join "
    "regex_full_match string_to_hash_bucket string_to_hash_bucket_strong string_to_number "
    "unicode_transcode",
)
refuse(
    "TensorFlow.js has no linear algebra",
    "matrix_solve triangular_solve cholesky det sign_det log_abs_det qr svd eigh eig lu "
    "lu_permutation expm sqrtm logm",
)
refuse(
    "TensorFlow.js has no such special function",
    "igamma igammac igamma_grad_a random_gamma_grad betainc",
)
refuse(
    "the values come from tfpy's random generator; pass random numbers as arguments instead",
    "random_fine_uniform random_bits random_int random_state_of_seed random_state_advanced "
    "random_gamma random_poisson random_binomial random_permutation",
)


@record("reshape")
def _reshape(w: Nodes, x: NodeValue, *, shape: Sequence[int]) -> NodeValue:
    return x if tuple(shape) == x.shape else w.reshape(x, shape)


@record("broadcast_to")
def _broadcast_to(w: Nodes, x: NodeValue, *, shape: Sequence[int]) -> NodeValue:
    if x.dtype == BOOL:  # TensorFlow.js cannot broadcast bools
        return w.cast(_broadcast_to(w, w.cast(x, INT), shape=shape), BOOL)
    return w.op("BroadcastTo", x, w.sizes(shape), Tidx=INT)


@record("transpose")
def _transpose(w: Nodes, x: NodeValue, *, perm: Sequence[int]) -> NodeValue:
    return w.op("Transpose", x, w.integers(perm))


@record("strided_slice")
def _strided_slice(w: Nodes, x: NodeValue, *, begin: Any, size: Any, strides: Any) -> NodeValue:
    return sliced(w, x, edges(x.shape, begin, size, strides), strides)


def sliced(w: Nodes, x: NodeValue, ends: Sequence[Edge], strides: Sequence[int]) -> NodeValue:
    """Slice a value. An end of None includes the rest of the axis."""
    end_mask = sum((end is None) << axis for axis, (_, end) in enumerate(ends))
    return w.op(
        "StridedSlice", x, w.integers([first for first, _ in ends]),
        w.integers([end or 0 for _, end in ends]), w.integers(strides), begin_mask=0,
        end_mask=end_mask, ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0,
    )  # fmt: skip


def padded(w: Nodes, x: NodeValue, padding: Any, value: Any) -> NodeValue:
    """Pad a value with a constant border."""
    pairs = np.array([[int(a), int(b)] for a, b in padding], np.int32)
    return w.op("PadV2", x, pairs, w.number(value, x))


@record("pad")
def _pad(w: Nodes, x: NodeValue, *, padding: Any, interior: Any, value: Any) -> NodeValue:
    if is_open(padding):
        raise unsupported("pad", "the sizes of the border must be known")
    if any(interior):
        return _spread(w, x, padding, interior, value)
    shape = x.shape
    if any(min(pair) < 0 for pair in padding):
        begin = tuple(max(-low, 0) for low, _ in padding)
        size = tuple(
            n + min(low, 0) + min(high, 0) if low < 0 or high < 0 else n
            for n, (low, high) in zip(shape, padding, strict=True)
        )
        x = _strided_slice(w, x, begin=begin, size=size, strides=(1,) * len(size))
        padding = tuple((max(low, 0), max(high, 0)) for low, high in padding)
    if not any(low or high for low, high in padding):
        return x
    return padded(w, x, padding, value)


def _spread(w: Nodes, x: NodeValue, padding: Any, interior: Any, value: Any) -> NodeValue:
    """Insert values between elements: pad each element to a run, and cut the last run."""
    shape = list(x.shape)
    for axis, between in enumerate(interior):
        if between:
            wide = [*shape[: axis + 1], 1, *shape[axis + 1 :]]
            runs = [[0, 0]] * len(wide)
            runs[axis + 1] = [0, between]
            x = padded(w, w.reshape(x, wide), runs, value)
            shape[axis] *= between + 1
            x = w.reshape(x, shape)
    again = tuple((a, b - n) for (a, b), n in zip(padding, interior, strict=True))
    x = NodeValue(x.name, x.dtype, type(w.result[0])(tuple(shape), x.dtype))
    return _pad(w, x, padding=again, interior=(0,) * len(shape), value=value)


@record("concat")
def _concat(w: Nodes, *values: NodeValue, axis: int) -> NodeValue:
    if len(values) == 1:
        return values[0]
    return w.op("ConcatV2", *values, np.int32(axis), N=len(values))


_REDUCTIONS = {
    "reduce_sum": "Sum", "reduce_prod": "Prod", "reduce_max": "Max", "reduce_min": "Min",
    "reduce_any": "Any", "reduce_all": "All",
}  # fmt: skip


def _reduction(op: str) -> Any:
    def write(w: Nodes, x: NodeValue, *, axes: tuple[int, int]) -> NodeValue:
        axis: Any = w.integers(range(*axes))
        if is_unranked(x.shape) and axes == (0, x.rank):
            axis = w.op("Range", np.int32(0), w.op("Rank", x, dtype=dtypes.int32), np.int32(1))
        return w.op(op, x, axis, keep_dims=False)

    return write


for _name, _op in _REDUCTIONS.items():
    record(_name)(_reduction(_op))


@record("matmul")
def _matmul(
    w: Nodes, a: NodeValue, b: NodeValue, *, transpose_a: bool, transpose_b: bool
) -> NodeValue:
    if a.rank == b.rank == 2:
        return w.op("MatMul", a, b, transpose_a=bool(transpose_a), transpose_b=bool(transpose_b))
    if a.dtype.is_complex:
        raise unsupported("matmul", "TensorFlow.js does not support products of complex matrices")
    return w.op("BatchMatMulV2", a, b, adj_x=bool(transpose_a), adj_y=bool(transpose_b))


@record("gather")
def _gather(
    w: Nodes,
    x: NodeValue,
    indices: NodeValue,
    *,
    axis: int,
    batch_dims: int,
    sparse_gradient: bool = False,
    role: str = "",
) -> NodeValue:
    return w.op("GatherV2", x, indices, np.int32(axis), batch_dims=int(batch_dims))


@record("segment_sum")
def _segment_sum(w: Nodes, data: NodeValue, ids: NodeValue, *, segments: int) -> NodeValue:
    # Rows with negative ids are dropped: they go to an additional row, which is sliced off.
    inner = data.shape[ids.rank :]
    negative = w.op("Less", ids, w.number(0, ids), dtype=BOOL)
    where = w.op("SelectV2", negative, w.number(int(segments), ids), ids, dtype=INT)
    rows = w.reshape(where, (math.prod(ids.shape), 1))
    flat = w.reshape(data, (math.prod(ids.shape), *inner))
    summed = w.op("ScatterNd", rows, flat, w.sizes((segments + 1, *inner)), dtype=data.dtype)
    return sliced(w, summed, [(0, segments), *[(0, None)] * len(inner)], [1] * (1 + len(inner)))


@record("scatter_update")
def _scatter_update(w: Nodes, x: NodeValue, ids: NodeValue, updates: NodeValue) -> NodeValue:
    rows = w.reshape(ids, (math.prod(ids.shape), 1))
    flat = w.reshape(updates, (math.prod(ids.shape), *x.shape[1:]))
    return w.op("TensorScatterUpdate", x, rows, flat)


@record("dynamic_update_slice")
def _dynamic_update_slice(
    w: Nodes, x: NodeValue, updates: NodeValue, starts: NodeValue
) -> NodeValue:
    at = block_indices(w, x, updates, starts, "Maximum", "Minimum", "AddV2")
    return w.op("TensorScatterUpdate", x, at, w.reshape(updates, (math.prod(updates.shape),)))


@record("ravel_index")
def _ravel_index(w: Nodes, indices: NodeValue, *, dims: Sequence[int]) -> NodeValue:
    strides = w.integers([math.prod(map(int, dims[i + 1 :])) for i in range(len(dims))])
    return w.op("Sum", w.op("Mul", indices, strides), w.integers([indices.rank - 1]),
                keep_dims=False)  # fmt: skip


@record("range")
def _range(w: Nodes, *, start: float, delta: float, count: int, dtype: DType) -> NodeValue:
    if not isinstance(count, OpenSize):
        return w.constant(OPS["range"].ref(start=start, delta=delta, count=count, dtype=dtype))
    product = w.source.sizes.product(count)
    assert product is not None
    steps = w.op("Range", w.number(0, INT), w.scalar(w.product(product)), w.number(1, INT))
    scaled = w.op("Mul", w.cast(steps, dtype), w.number(delta, dtype))
    return w.op("AddV2", scaled, w.number(start, dtype))


def _extreme(op: str) -> Any:
    def write(w: Nodes, x: NodeValue, *, axis: int) -> NodeValue:
        dtype = w.result[0].dtype
        return w.op(op, x, np.int32(axis), dtype=dtype, Tidx=INT, output_type=dtype)

    return write


record("argmax")(_extreme("ArgMax"))
record("argmin")(_extreme("ArgMin"))


@record("argsort")
def _argsort(w: Nodes, x: NodeValue, *, k: int, descending: bool) -> NodeValue:
    if isinstance(k, OpenSize):
        raise unsupported("argsort", "the size of the sorted axis must be known")
    keys = x if descending else w.op("Neg", x)
    return w.several("TopKV2", [keys, w.number(int(k), INT)], [x.dtype, INT], sorted=True)[1]


@record("largest")
def _largest(w: Nodes, x: NodeValue, *, k: int) -> NodeValue:
    if isinstance(k, OpenSize):
        raise unsupported("largest", "the number of elements must be known")
    return w.several("TopKV2", [x, w.number(int(k), INT)], [x.dtype, INT], sorted=False)[1]


@record("permute")
def _permute(w: Nodes, x: NodeValue, order: NodeValue) -> NodeValue:
    last = x.rank - 1
    return w.op("GatherV2", x, order, np.int32(last), batch_dims=last)


@record("searchsorted")
def _searchsorted(w: Nodes, sequence: NodeValue, values: NodeValue, *, right: bool) -> NodeValue:
    rows = math.prod(values.shape[:-1])
    given = [w.reshape(v, (rows, v.shape[-1])) for v in (sequence, values)]
    op = "UpperBound" if right else "LowerBound"
    found = w.op(op, *given, dtype=INT, out_type=INT)
    return w.reshape(found, values.shape)


def _cumulative(op: str) -> Any:
    def write(w: Nodes, x: NodeValue, *, axis: int, exclusive: bool, reverse: bool) -> NodeValue:
        return w.op(op, x, np.int32(axis), exclusive=bool(exclusive), reverse=bool(reverse))

    return write


record("cumsum")(_cumulative("Cumsum"))
record("cumprod")(_cumulative("Cumprod"))


@record("dft")
def _dft(w: Nodes, real: NodeValue, *imag: NodeValue, axis: int, inverse: bool) -> NodeValue:
    # FFT works on the last axis, and the real and imaginary parts are stacked on the first axis.
    zeros = imag[0] if imag else w.op("ZerosLike", real)
    x = w.op("Complex", real, zeros, dtype=_COMPLEX)
    rank, n = real.rank, real.shape[axis]
    perm = [i for i in range(rank) if i != axis] + [axis]
    back = [perm.index(i) for i in range(rank)]
    turned = x if axis == rank - 1 else w.op("Transpose", x, w.integers(perm))
    found = w.op("IFFT" if inverse else "FFT", turned)
    parts = []
    for op in ("Real", "Imag"):
        part = w.op(op, found, dtype=FLOAT)
        if inverse:
            part = w.op("Mul", part, w.number(int(n), FLOAT))
        if axis != rank - 1:
            part = w.op("Transpose", part, w.integers(back))
        parts.append(part)
    return w.op("Pack", *parts, N=2, axis=0)


_COMPLEX = dtypes.complex64


def _random(op: str) -> Any:
    def write(w: Nodes, *state: NodeValue, shape: Sequence[int]) -> NodeValue:
        return w.several(op, [w.sizes(shape)], [FLOAT], dtype=FLOAT, seed=0, seed2=0)[0]

    return write


record("random_uniform")(_random("RandomUniform"))
record("random_normal")(_random("RandomStandardNormal"))
record("random_truncated_normal")(_random("TruncatedNormal"))


@record("regex_replace")
def _regex_replace(
    w: Nodes, x: NodeValue, *, pattern: str, rewrite: str, replace_global: bool
) -> NodeValue:
    return w.op("StaticRegexReplace", x, pattern=pattern, rewrite=rewrite,
                replace_global=bool(replace_global))  # fmt: skip


@record("string_to_hash_bucket_fast")
def _hash_bucket(w: Nodes, x: NodeValue, *, num_buckets: int) -> NodeValue:
    found = w.op("StringToHashBucketFast", x, dtype=_INT64, num_buckets=int(num_buckets))
    dtype = w.result[0].dtype
    return w.op("Cast", found, dtype=dtype, SrcT=_INT64, DstT=dtype)


_INT64 = DType("int64", 8, 9)
