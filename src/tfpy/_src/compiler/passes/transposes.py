"""Transposes: absorption into matrix products, and movement towards the outputs."""

from __future__ import annotations

from collections.abc import Sequence

from tfpy._src.compiler.ir.aval import Shape
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.ir.op import Op
from tfpy._src.compiler.ops.concatenation import concat
from tfpy._src.compiler.ops.contraction import matmul
from tfpy._src.compiler.ops.movement import inverse_permutation, pad, strided_slice, transpose
from tfpy._src.compiler.passes.movement import keeps_order, reshaped
from tfpy._src.compiler.passes.reductions import REDUCTIONS
from tfpy._src.compiler.passes.rewrite import Builder, Rule, rewrite

Perm = tuple[int, ...]


def absorb_transposes(graph: Graph) -> Graph:
    """Turn transposes of the last two dimensions into flags of the adjacent matrix product.

    If a transpose also moves other dimensions, the flag replaces its exchange of the last two, so
    that the remaining transpose copies whole rows. ::

        %2:float32[4,3] = transpose(%0) perm=(1, 0)
        %3:float32[4,8] = matmul(%2, %1) transpose_a=False transpose_b=False
    ->
        %2:float32[4,8] = matmul(%0, %1) transpose_a=True transpose_b=False
    """
    return rewrite(graph, _absorb, around=(transpose,))


def _absorb(builder: Builder, eqn: Eqn) -> int | None:
    if eqn.op is transpose:
        return _transposed_product(builder, eqn)
    if eqn.op is not matmul:
        return None
    flags = dict(eqn.attrs)
    inputs = list(eqn.inputs)
    for at, flag in enumerate(("transpose_a", "transpose_b")):
        found = _without_exchange(builder, inputs[at])
        if found is not None:
            inputs[at] = found
            flags[flag] = not flags[flag]
    if tuple(inputs) == eqn.inputs:
        return None
    return builder.apply(matmul, *inputs, **flags)


def _without_exchange(builder: Builder, value: int) -> int | None:
    """Return `value` with its last two dimensions exchanged, if that moves less than `value`."""
    made = builder.producer(value, transpose)
    if made is None:
        return None
    perm = _perm(made)
    exchanged = (*perm[:-2], perm[-1], perm[-2])
    if exchanged == tuple(range(len(perm))):
        return made.inputs[0]
    if perm[-1] == len(perm) - 1 or exchanged[-1] != len(perm) - 1:
        return None
    return builder.apply(transpose, made.inputs[0], perm=exchanged)


def _transposed_product(builder: Builder, eqn: Eqn) -> int | None:
    """Rewrite the transpose of a product as the product of the transposes in reverse order."""
    product = builder.producer(eqn.inputs[0], matmul)
    perm = _perm(eqn)
    rank = len(perm)
    if product is None or not builder.read_once(eqn.inputs[0]):
        return None
    if perm != (*range(rank - 2), rank - 1, rank - 2):
        return None
    flags = dict(product.attrs)
    return builder.apply(
        matmul,
        *reversed(product.inputs),
        transpose_a=not flags["transpose_b"],
        transpose_b=not flags["transpose_a"],
    )


def _perm(eqn: Eqn) -> Perm:
    perm: Perm = dict(eqn.attrs)["perm"]
    return perm


def sink_transposes(graph: Graph) -> Graph:
    """Move transposes behind elementwise equations, pads, slices, concats and reductions.

    There they reach other transposes (`simplify_movement` joins them), matrix products or
    reductions, which absorb them. A transpose moves only if it has no other reader, so that none is
    added. ::

        %1:float32[2,3,8,8] = transpose(%0) perm=(0, 3, 1, 2)
        %2:float32[2,3,8,8] = relu(%1)
    ->
        %1:float32[2,8,8,3] = relu(%0)
        %2:float32[2,3,8,8] = transpose(%1) perm=(0, 3, 1, 2)
    """
    return rewrite(graph, _sink, around=(transpose,))


def _sink(builder: Builder, eqn: Eqn) -> int | None:
    if eqn.op.expr is not None:
        return _behind_elementwise(builder, eqn)
    rule = _RULES.get(eqn.op)
    return None if rule is None else rule(builder, eqn)


def _movable(builder: Builder, value: int) -> Eqn | None:
    """Return the transpose that defines `value`, if it has no other reader."""
    return builder.producer(value, transpose) if builder.read_once(value) else None


def _behind_elementwise(builder: Builder, eqn: Eqn) -> int | None:
    perm = _common_perm(builder, eqn.inputs)
    if perm is None:
        return None
    shape = tuple(builder.result(eqn).shape)
    back = inverse_permutation(perm)
    inputs = []
    for value in eqn.inputs:
        before = _before(builder, value, perm, back)
        if before is None:
            return None
        inputs.append(before)
    moved = builder.add(eqn.op, inputs, eqn.attrs)
    if tuple(builder.aval(moved).shape[p] for p in perm) != shape:
        return None
    return builder.apply(transpose, moved, perm=perm)


def _common_perm(builder: Builder, values: Sequence[int]) -> Perm | None:
    """Return the permutation of the transposed operands, if it is the same for all of them."""
    perms = {_perm(made) for value in values if (made := _movable(builder, value)) is not None}
    return perms.pop() if len(perms) == 1 else None


def _before(builder: Builder, value: int, perm: Perm, back: Perm) -> int | None:
    """Return the value that the transpose turns into `value`.

    It must exist or be a reshape of `value`.
    """
    made = builder.producer(value, transpose)
    if made is not None and _perm(made) == perm:
        return made.inputs[0]
    shape = builder.aval(value).shape
    if len(shape) > len(perm):
        return None
    full: Shape = (*[1] * (len(perm) - len(shape)), *shape)
    if not keeps_order(full, back):
        return None
    return value if not shape else reshaped(builder, value, tuple(full[p] for p in back))


def _behind_pad(builder: Builder, eqn: Eqn) -> int | None:
    return _with_axes_of(builder, eqn, ("padding", "interior"))


def _behind_slice(builder: Builder, eqn: Eqn) -> int | None:
    return _with_axes_of(builder, eqn, ("begin", "size", "strides"))


def _with_axes_of(builder: Builder, eqn: Eqn, names: Sequence[str]) -> int | None:
    """Move an equation before the transpose. Its attributes `names` have an entry per axis."""
    made = _movable(builder, eqn.inputs[0])
    if made is None:
        return None
    perm = _perm(made)
    back = inverse_permutation(perm)
    attrs = dict(eqn.attrs)
    attrs |= {name: tuple(attrs[name][p] for p in back) for name in names}
    moved = builder.apply(eqn.op, made.inputs[0], **attrs)
    return builder.apply(transpose, moved, perm=perm)


def _behind_concat(builder: Builder, eqn: Eqn) -> int | None:
    made = [_movable(builder, value) for value in eqn.inputs]
    perms = {None if one is None else _perm(one) for one in made}
    perm = perms.pop()
    if perms or perm is None:
        return None
    sources = [one.inputs[0] for one in made if one is not None]
    moved = builder.apply(concat, *sources, axis=perm[dict(eqn.attrs)["axis"]])
    return builder.apply(transpose, moved, perm=perm)


def _behind_reduction(builder: Builder, eqn: Eqn) -> int | None:
    """Move a reduction before the transpose, if the reduced axes are adjacent there."""
    made = _movable(builder, eqn.inputs[0])
    if made is None:
        return None
    perm = _perm(made)
    begin, end = dict(eqn.attrs)["axes"]
    reduced = sorted(perm[begin:end])
    if not reduced or reduced != list(range(reduced[0], reduced[-1] + 1)):
        return None
    moved = builder.apply(eqn.op, made.inputs[0], axes=(reduced[0], reduced[-1] + 1))
    rest = [p for p in perm if p not in reduced]
    order = tuple(sorted(rest).index(p) for p in rest)
    if order == tuple(range(len(order))):
        return moved
    return builder.apply(transpose, moved, perm=order)


_RULES: dict[Op, Rule] = {
    concat: _behind_concat,
    pad: _behind_pad,
    strided_slice: _behind_slice,
    **dict.fromkeys(REDUCTIONS, _behind_reduction),
}
