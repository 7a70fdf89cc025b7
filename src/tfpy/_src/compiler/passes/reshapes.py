"""Movement of reshapes behind their readers, so that kernels and their epilogues are adjacent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tfpy._src.compiler.ir.aval import Shape
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.ops.movement import reshape
from tfpy._src.compiler.passes.movement import reshaped
from tfpy._src.compiler.passes.reductions import REDUCTIONS
from tfpy._src.compiler.passes.rewrite import Builder, rewrite


def sink_reshapes(graph: Graph) -> Graph:
    """Move reshapes that add dimensions behind elementwise equations and reductions.

    Reshapes are free, but a reshape between a matrix product and its bias prevents their fusion. ::

        %3:float32[20,32] = matmul(%0, %1) …
        %4:float32[2,10,32] = reshape(%3) shape=(2, 10, 32)
        %5:float32[2,10,32] = add(%4, %2)
    ->
        %3:float32[20,32] = matmul(%0, %1) …
        %4:float32[20,32] = add(%3, %2)
        %5:float32[2,10,32] = reshape(%4) shape=(2, 10, 32)
    """
    return rewrite(graph, _sink, around=(reshape,))


def _sink(builder: Builder, eqn: Eqn) -> int | None:
    if eqn.op.expr is not None:
        return _behind_elementwise(builder, eqn)
    return _behind_reduction(builder, eqn) if eqn.op in REDUCTIONS else None


def _source(builder: Builder, value: int) -> Shape | None:
    """Return the shape before the reshape that made `value`, if it has fewer dimensions."""
    made = builder.producer(value, reshape)
    if made is None:
        return None
    shape = builder.aval(made.inputs[0]).shape
    return shape if len(shape) < builder.aval(value).rank and 0 not in shape else None


def _behind_elementwise(builder: Builder, eqn: Eqn) -> int | None:
    sources = [_source(builder, value) for value in eqn.inputs]
    if not any(source is not None for source in sources):
        return None
    shape = builder.result(eqn).shape
    for value, source in zip(eqn.inputs, sources, strict=True):
        if source is None or builder.aval(value).shape != shape:
            continue
        shapes = [_before(builder.aval(v).shape, shape, source) for v in eqn.inputs]
        found = [one for one in shapes if one is not None]
        if len(found) == len(shapes):
            pairs = zip(eqn.inputs, found, strict=True)
            inputs = [reshaped(builder, v, one) for v, one in pairs]
            return reshaped(builder, builder.add(eqn.op, inputs, eqn.attrs), shape)
    return None


def _before(operand: Shape, shape: Shape, source: Shape) -> Shape | None:
    """Return the shape that broadcasts to `source` as `operand` broadcasts to `shape`."""
    full = (*[1] * (len(shape) - len(operand)), *operand)
    found: list[int] = []
    for (begin, end), dims in _groups(shape, source):
        if full[begin:end] == shape[begin:end]:
            found += dims
        elif all(n == 1 for n in full[begin:end]):
            found += [1] * len(dims)
        else:
            return None
    while found and found[0] == 1 and len(found) > len(operand):
        del found[0]
    return tuple(found)


def _behind_reduction(builder: Builder, eqn: Eqn) -> int | None:
    (x,) = eqn.inputs
    source = _source(builder, x)
    if source is None:
        return None
    first, last = dict(eqn.attrs)["axes"]
    axes: list[int] = []
    done = 0
    for (begin, end), dims in _groups(builder.aval(x).shape, source):
        if first <= begin and end <= last:
            axes += range(done, done + len(dims))
        elif begin < last and first < end:
            return None
        done += len(dims)
    if not axes:
        return None
    smaller = reshaped(builder, x, source)
    reduced = builder.apply(eqn.op, smaller, axes=(axes[0], axes[-1] + 1))
    return reshaped(builder, reduced, builder.result(eqn).shape)


def _groups(shape: Shape, source: Shape) -> Iterator[tuple[tuple[int, int], Sequence[int]]]:
    """Yield the shortest runs of axes of `shape` with as many elements as a run of `source`.

    Each item is the axes as `(begin, end)`, and the sizes of the run in `source`.
    """
    begin = start = 0
    while begin < len(shape) or start < len(source):
        end, stop = min(begin + 1, len(shape)), min(start + 1, len(source))
        count = shape[begin] if begin < end else 1
        wanted = source[start] if start < stop else 1
        while count != wanted:
            if count < wanted:
                count, end = count * shape[end], end + 1
            else:
                wanted, stop = wanted * source[stop], stop + 1
        yield (begin, end), source[start:stop]
        begin, start = end, stop
