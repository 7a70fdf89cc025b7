"""Merging of consecutive reductions."""

from __future__ import annotations

from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.ir.op import in_family
from tfpy._src.compiler.ops.elementwise import negative, subtract
from tfpy._src.compiler.ops.reduction import reduce_sum
from tfpy._src.compiler.passes.algebra import is_number, uniform
from tfpy._src.compiler.passes.rewrite import Builder, rewrite

REDUCTIONS = in_family("reduction")


def merge_reductions(graph: Graph) -> Graph:
    """Join reductions of adjacent axes, as in the mean of a loss that is itself a sum. ::

        %1:float32[128] = reduce_sum(%0) axes=(1, 2)
        %2:float32[128] = negative(%1)
        %3:float32[] = reduce_sum(%2) axes=(0, 1)
    ->
        %1:float32[] = reduce_sum(%0) axes=(0, 2)
        %2:float32[] = negative(%1)

    Sums may differ in rounding.
    """
    return rewrite(graph, _merge, around=REDUCTIONS)


def _merge(builder: Builder, eqn: Eqn) -> int | None:
    if eqn.op not in REDUCTIONS:
        return None
    (x,) = eqn.inputs
    made = builder.producer(x)
    if made is None or not builder.read_once(x):
        return None
    if made.op is not eqn.op:
        return _behind_sign(builder, eqn, made) if eqn.op is reduce_sum else None
    (source,) = made.inputs
    axes = _joined(dict(made.attrs)["axes"], dict(eqn.attrs)["axes"])
    return None if axes is None else builder.apply(eqn.op, source, axes=axes)


def _behind_sign(builder: Builder, eqn: Eqn, made: Eqn) -> int | None:
    """Move a sum before a change of sign, `-x` or `0.0 - x`, if `x` is also a sum."""
    *zero, source = made.inputs
    if made.op is subtract:
        changes_sign = is_number(uniform(builder, zero[0]), 0.0) and not builder.aval(zero[0]).shape
    else:
        changes_sign = made.op is negative
    if not changes_sign or builder.producer(source, reduce_sum) is None:
        return None
    return builder.apply(made.op, *zero, builder.apply(reduce_sum, source, **dict(eqn.attrs)))


def _joined(inner: tuple[int, int], outer: tuple[int, int]) -> tuple[int, int] | None:
    """Return the run of axes that two reductions drop.

    `outer` counts the axes that `inner` keeps.
    """
    begin, end = outer
    if not begin <= inner[0] <= end:
        return None
    return begin, end + inner[1] - inner[0]
