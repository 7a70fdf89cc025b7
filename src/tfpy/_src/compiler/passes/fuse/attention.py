"""Attention: softmax(scale * q k^T + mask) v, in its common forms.

In the equations, transposes move heads to the front and back. The kernel takes strides instead, and
reads and writes the layouts of q, k, v and the result before and after these transposes. So no
elements are moved.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tfpy._src.compiler.ir.aval import Shape
from tfpy._src.compiler.ir.fusion import Pattern
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.ir.kernel import Param, float_bits
from tfpy._src.compiler.ir.op import Op
from tfpy._src.compiler.ir.strides import broadcast_strides, merge
from tfpy._src.compiler.lower.target import Target
from tfpy._src.compiler.ops.casting import cast
from tfpy._src.compiler.ops.contraction import matmul
from tfpy._src.compiler.ops.elementwise import add, exp, multiply, real_div
from tfpy._src.compiler.ops.logic import select
from tfpy._src.compiler.passes.fuse.masks import with_added_masks
from tfpy._src.compiler.passes.fuse.patterns import Finder, Found, fuse_around
from tfpy._src.compiler.passes.fuse.softmax import softmax_of
from tfpy._src.compiler.passes.strides import (
    REARRANGING,
    REPEATING,
    Walk,
    dense,
    regrouped,
    spread,
    stride_of,
    walks_into,
    walks_within,
)

LEVELS = 2
"""Number of batch dimensions that the kernel supports, e.g. examples and heads."""


def fuse_attention(graph: Graph, target: Target) -> Graph:
    """Fuse the products, the softmax between them and the movement of heads. ::

        %3 = transpose(%0); %4 = transpose(%1)       %9 = fusion(%0, %1, %2) kind=attention
        %5 = matmul(%3, %4) transpose_b=True           ...
        ... %6 = softmax(%5) ...
        %7 = transpose(%2)
        %8 = matmul(%6, %7)
        %9 = transpose(%8)

    The supported forms use `tf.matmul` or `tf.einsum`. They may have a scale (a factor or divisor
    of the scores, or a number that multiplies q or k), heads (several may share keys), and a mask.
    The mask is added or selects scores. It may select again after the softmax, so that rows without
    visible scores become zeros.
    """
    if "attention" not in target.kernels:
        return graph
    added = with_added_masks(graph)
    fused = fuse_around(added, target, ("attention",), (exp,), _attention_of)
    return graph if fused is added else fused


@dataclass(frozen=True)
class _Matrices:
    """A batch of matrices that is read from `value`."""

    value: int
    batch: Walk
    """Loops through the batch, or none if all matrices are the same."""
    sizes: tuple[int, int]
    strides: tuple[int, int]
    """Strides of rows and columns, like `sizes`."""
    factor: float = 1.0
    """Factor from the elements of `value` to the elements of the matrices."""

    def turned(self) -> _Matrices:
        return replace(self, sizes=self.sizes[::-1], strides=self.strides[::-1])


@dataclass(frozen=True)
class _Scores:
    """The operand of softmax: factor * scale * q k^T + mask."""

    q: _Matrices
    k: _Matrices
    factor: float
    scaling: str = "none"
    scale: int | None = None
    mask: int | None = None


def _attention_of(finder: Finder, exponential: Eqn, target: Target) -> Found | None:
    rows = softmax_of(finder, exponential, target)
    return None if rows is None else _attention(finder, *rows)


def _attention(finder: Finder, x: int, softmax: int) -> Found | None:
    """Return the fusion around the softmax of the scores `x`."""
    if len(finder.shape(x)) < 2:
        return None
    scores = _masked(finder, x)
    zeroed = None if scores is None else _zeroed(finder, softmax, scores.mask)
    values = _values(finder, softmax if zeroed is None else zeroed[0])
    if scores is None or values is None or not scores.q.sizes[1] or not values[0].sizes[1]:
        return None
    v, product, is_turned = values
    for out in _results(finder, product, is_turned):
        optional = {"mask": scores.mask, "scale": scores.scale}
        operands = {"q": scores.q.value, "k": scores.k.value, "v": v.value}
        operands |= {name: value for name, value in optional.items() if value is not None}
        params = _params(finder, x, scores, v, out)
        if params is None or len({*operands.values()}) < len(operands):
            continue
        if zeroed is not None:
            params["blind"] = "zero"
        pattern = Pattern(tuple(operands), tuple(params.items()))
        read = [*operands.values(), *([] if zeroed is None else [zeroed[1]])]
        found = finder.fused(out.value, "attention", read, pattern)
        if found is not None:
            return found
    return None


def _params(
    finder: Finder, x: int, scores: _Scores, v: _Matrices, out: _Matrices
) -> dict[str, Param] | None:
    """Return the kernel's parameters, or None if the batch has too many dimensions."""
    *batch, m, n = finder.shape(x)
    places = {"q": scores.q, "k": scores.k, "v": v, "out": out}
    if scores.mask is not None:
        *ahead, row, column = broadcast_strides(finder.shape(scores.mask), finder.shape(x))
        walk = tuple(zip(batch, ahead, strict=True))
        places["mask"] = _Matrices(scores.mask, walk, (m, n), (row, column))
    levels = _levels({name: place.batch for name, place in places.items()})
    if levels is None:
        return None
    outer, inner = levels.sizes
    params: dict[str, Param] = {"outer": outer, "inner": inner, "m": m, "n": n}
    params |= {"depth": scores.q.sizes[1], "width": v.sizes[1]}
    if levels.group > 1:
        params["group"] = levels.group
    for name, place in places.items():
        params[f"{name}_strides"] = (*levels.strides[name], *place.strides)
    params["masked"] = "false" if scores.mask is None else "true"
    params["scaling"] = scores.scaling
    params["factor_bits"] = float_bits(scores.factor)
    return params


@dataclass(frozen=True)
class _Levels:
    """The batch as `LEVELS` dimensions, and the strides of each operand along them."""

    sizes: Sequence[int]
    strides: Mapping[str, Sequence[int]]
    group: int = 1
    """Number of adjacent heads along the inner dimension that share a k and a v. The strides of k
    and v step from one group to the next."""


def _levels(walks: Mapping[str, Walk]) -> _Levels | None:
    for dims in ([size for size, _ in walk] for walk in walks.values()):
        strides = [_along(walk, dims) for walk in walks.values()]
        whole = [one for one in strides if one is not None]
        if len(whole) < len(strides):
            continue
        merged, found = merge(dims, whole)
        named = dict(zip(walks, found, strict=True))
        if len(merged) <= LEVELS:
            ahead = LEVELS - len(merged)
            named = {name: [*[0] * ahead, *one] for name, one in named.items()}
            return _Levels([*[1] * ahead, *merged], named)
        if len(merged) == LEVELS + 1 and (grouped := _grouped(merged, named)) is not None:
            return grouped
    return None


def _grouped(dims: Sequence[int], strides: Mapping[str, Sequence[int]]) -> _Levels | None:
    """Merge the last two dimensions if k and v stay the same along the last one."""
    *ahead, heads, group = dims
    found = {}
    for name, (*before, own, last) in strides.items():
        if (last != 0) if name in "kv" else (own != group * last):
            return None
        found[name] = [*before, own if name in "kv" else last]
    return _Levels([*ahead, heads * group], found, group)


def _along(walk: Walk, dims: Sequence[int]) -> list[int] | None:
    """Return the strides of a walk along dimensions into which it can be cut, else None."""
    if not any(stride for _, stride in walk):
        return [0] * len(dims)
    if math.prod(size for size, _ in walk) != math.prod(dims):
        return None
    strides = [stride_of(own) for own in regrouped(walk, dims) or ()]
    whole = [one for one in strides if one is not None]
    return whole if len(whole) == len(dims) else None


def _masked(finder: Finder, x: int) -> _Scores | None:
    """Return the scores `x`, with an added mask as a separate operand."""
    total = finder.producer(x, add)
    if total is None:
        return _product(finder, x)
    for value, mask in (total.inputs, total.inputs[::-1]):
        scores = _product(finder, value) if finder.shape(value) == finder.shape(x) else None
        if scores is not None:
            return replace(scores, mask=mask)
    return None


def _product(finder: Finder, x: int) -> _Scores | None:
    """Return q and k if `x` is their product.

    The product may be moved, multiplied or divided by numbers, and scaled by one tensor with one
    element.
    """
    chain: list[Eqn] = []
    factor, scaling, scale = 1.0, "none", None
    source = x
    while (eqn := finder.producer(source, *REARRANGING, cast, multiply, real_div)) is not None:
        chain.insert(0, eqn)
        source = eqn.inputs[0]
        if eqn.op in REARRANGING or _is_of_floats(finder, eqn):
            continue
        found = None if eqn.op is cast else _scale_of(finder, eqn)
        if found is None:
            return None
        source, number, tensor = found
        if tensor is None:
            factor = factor / number if eqn.op is real_div else factor * number
        elif scale is None:
            scaling, scale = "divide" if eqn.op is real_div else "multiply", tensor
        else:
            return None
    product = finder.producer(source, matmul)
    walks = walks_within(finder.graph, source, chain)
    if product is None or walks is None:
        return None
    sides = _sides(finder.shape(x), walks, finder.shape(source)[-2:])
    if sides is None:
        return None
    flags = dict(product.attrs)
    left, right = product.inputs
    batch = finder.shape(source)[:-2]
    a = _matrices(finder, left, batch, flags["transpose_a"])
    b = _matrices(finder, right, batch, flags["transpose_b"])
    q, k = (a, b.turned()) if sides == (0, 1) else (b.turned(), a)
    return _Scores(q, k, factor * q.factor * k.factor, scaling, scale)


def _is_of_floats(finder: Finder, eqn: Eqn) -> bool:
    """Return True if the equation casts floats to floats. The kernel computes in float32."""
    dtypes = [finder.graph.avals[v].dtype for v in (*eqn.inputs, *eqn.outputs)]
    return eqn.op is cast and all(dtype.is_floating for dtype in dtypes)


def _scale_of(finder: Finder, eqn: Eqn) -> tuple[int, float, int | None] | None:
    """Return the operand that an equation scales, and the number or one-element tensor."""
    sides = (eqn.inputs,) if eqn.op is real_div else (eqn.inputs, eqn.inputs[::-1])
    for value, scale in sides:
        if finder.shape(value) != finder.shape(eqn.outputs[0]):
            continue
        number = finder.number(scale)
        if finder.graph.avals[scale].size == 1 and number != 0:
            return value, number or 1.0, scale if number is None else None
    return None


def _sides(shape: Shape, walks: tuple[Walk, ...], matrix: Shape) -> tuple[int, int] | None:
    """Return the dimensions of dense matrices that are the last two of `shape`.

    The result is None unless the batch is in order.
    """
    for sides in ((0, 1), (1, 0)):
        whole = dense((*shape[:-2], *matrix))
        expected = (*whole[:-2], *(whole[-2:][side] for side in sides))
        if walks == expected and shape[-2:] == tuple(matrix[side] for side in sides):
            return sides
    return None


def _matrices(
    finder: Finder, value: int, batch: Shape, is_transposed: bool, may_scale: bool = True
) -> _Matrices:
    """Return the operand `value` of a product with this batch, in the layout of its source."""
    ops = (*REARRANGING, *REPEATING, *([multiply] if may_scale else []))
    chain = _chain_behind(finder, value, ops, only=True)
    while True:
        source = chain[0].inputs[0] if chain else value
        found = _placed(finder, source, value, batch, walks_within(finder.graph, source, chain))
        if found is not None:
            break
        chain.pop(0)
    factor = math.prod(finder.number(s.inputs[1]) or 0.0 for s in chain if s.op is multiply)
    found = replace(found, factor=factor)
    return found.turned() if is_transposed else found


def _placed(
    finder: Finder, source: int, value: int, batch: Shape, walks: tuple[Walk, ...] | None
) -> _Matrices | None:
    """Return the matrices of `value`, broadcast to a batch, in `source`.

    The result is None unless rows and columns have one stride there.
    """
    if walks is None:
        return None
    *ahead, rows, columns = walks
    row, column = stride_of(rows), stride_of(columns)
    if row is None or column is None:
        return None
    shape = finder.shape(value)
    loops = tuple(loop for walk in spread(ahead, shape[:-2], batch) for loop in walk)
    return _Matrices(source, loops, (shape[-2], shape[-1]), (row, column))


def _chain_behind(finder: Finder, value: int, ops: Sequence[Op], only: bool = False) -> list[Eqn]:
    """Return the consecutive equations of these ops that compute `value`, in order.

    Args:
        only: If True, stop at values with other readers.
    """
    chain: list[Eqn] = []
    while (eqn := finder.producer(value, *ops)) is not None:
        if eqn.op is multiply and finder.number(eqn.inputs[1]) is None:
            break
        if only and finder.only_reader(value) is None:
            break
        chain.insert(0, eqn)
        value = eqn.inputs[0]
    return chain


def _zeroed(finder: Finder, softmax: int, mask: int | None) -> tuple[int, int] | None:
    """Return the softmax with zeros where the mask's condition hides it, and the condition.

    The result is None if the softmax has other readers.
    """
    chosen = finder.only_reader(softmax)
    made = None if mask is None else finder.producer(mask, select)
    if chosen is None or chosen.op is not select or made is None:
        return None
    condition, x, zero = chosen.inputs
    shows = x == softmax and finder.number(zero) == 0 and finder.number(made.inputs[1]) == 0
    return (chosen.outputs[0], condition) if shows and condition == made.inputs[0] else None


def _values(finder: Finder, softmax: int) -> tuple[_Matrices, int, bool] | None:
    """Return v, its product with the softmax, and whether the product is the transposed one."""
    value, chain = softmax, list[Eqn]()
    while (eqn := finder.only_reader(value)) is not None:
        if eqn.op not in REARRANGING and not _is_of_floats(finder, eqn):
            break
        chain.append(eqn)
        (value,) = eqn.outputs
    if eqn is None or eqn.op is not matmul or eqn.inputs.count(value) != 1:
        return None
    *batch, m, n = finder.shape(softmax)
    at = eqn.inputs.index(value)
    flags = (dict(eqn.attrs)["transpose_a"], dict(eqn.attrs)["transpose_b"])
    walks = walks_into(finder.graph, chain, value)
    sides = None if walks is None else _sides((*batch, m, n), walks, finder.shape(value)[-2:])
    # The sum is over the columns of a and the rows of b.
    if sides is None or sides[1] != (1 - at) ^ flags[at]:
        return None
    (product,) = eqn.outputs
    own = finder.shape(product)[:-2]
    v = _matrices(finder, eqn.inputs[1 - at], own, flags[1 - at], may_scale=False)
    return v.turned() if at else v, product, at == 1


def _results(finder: Finder, product: int, is_turned: bool) -> Iterator[_Matrices]:
    """Yield the layouts in which the product may be written, the last of its movements first."""
    forms: list[tuple[int, list[Eqn]]] = [(product, [])]
    value, chain = product, list[Eqn]()
    while (eqn := finder.only_reader(value)) is not None and eqn.op in REARRANGING:
        chain = [*chain, eqn]
        (value,) = eqn.outputs
        forms.append((value, chain))
    for value, steps in reversed(forms):
        if steps and steps[-1].op.is_alias:
            continue
        walks = walks_into(finder.graph, steps, value)
        found = _placed(finder, value, product, finder.shape(product)[:-2], walks)
        if found is not None:
            yield found.turned() if is_turned else found
