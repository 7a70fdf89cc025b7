"""Rewriting of masks that select scores into masks that are added to scores."""

from __future__ import annotations

import numpy as np

from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.ops.casting import cast
from tfpy._src.compiler.ops.contraction import matmul
from tfpy._src.compiler.ops.elementwise import add, multiply, real_div
from tfpy._src.compiler.ops.logic import select
from tfpy._src.compiler.passes.common_subexpressions import merge_common_subexpressions
from tfpy._src.compiler.passes.rewrite import Builder, rewrite
from tfpy._src.compiler.passes.strides import REARRANGING

HIDDEN = -1e9
"""Numbers up to this one hide a score: any score is negligible next to them."""


def with_added_masks(graph: Graph) -> Graph:
    """Add a hiding number to a product instead of selecting it. ::

    %3:float32[2,5,5] = matmul(%0, %1) …              %3:float32[2,5,5] = matmul(%0, %1) …
    %4:float32[2,5,5] = select(%2, %3, -inf)    ->    %4:float32[5,5] = select(%2, 0.0, -inf)
                                                      %5:float32[2,5,5] = add(%3, %4)
    """
    return merge_common_subexpressions(rewrite(graph, _added, around=(select,)))


def _added(builder: Builder, eqn: Eqn) -> int | None:
    if eqn.op is not select or not builder.result(eqn).dtype.is_floating:
        return None
    condition, *sides = eqn.inputs
    for at, x in enumerate(sides):
        fill = builder.constant(sides[1 - at])
        if fill is None or fill.size != 1 or fill.item() > HIDDEN:
            continue
        if builder.aval(x).shape != builder.result(eqn).shape or not _is_product(builder, x):
            continue
        dtype = builder.aval(x).dtype
        numbers = [builder.add_constant(np.zeros((), dtype.as_numpy_dtype), dtype), sides[1 - at]]
        chosen = builder.apply(select, condition, *(numbers if at == 0 else numbers[::-1]))
        return builder.apply(add, x, chosen)
    return None


def _is_product(builder: Builder, value: int) -> bool:
    """Return True if a value is a product, possibly moved or scaled."""
    while (eqn := builder.producer(value, *REARRANGING, cast, multiply, real_div)) is not None:
        sizes = [builder.aval(v).size for v in eqn.inputs]
        value = eqn.inputs[sizes.index(max(sizes))]
    return builder.producer(value, matmul) is not None
