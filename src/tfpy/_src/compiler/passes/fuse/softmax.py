"""Softmax and log-softmax over the last axis, as composed from primitives."""

from __future__ import annotations

import math

from tfpy._src.compiler.ir.fusion import Pattern
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.lower.target import Target
from tfpy._src.compiler.ops.elementwise import exp, log, real_div, subtract
from tfpy._src.compiler.ops.reduction import reduce_max, reduce_sum
from tfpy._src.compiler.passes.fuse.patterns import Finder, Found, fuse_around


def fuse_softmax(graph: Graph, target: Target) -> Graph:
    """Fuse exp(x - max) / sum(exp(x - max)), or its logarithm. ::

    %1 = reduce_max(%0)                   %7 = fusion(%0) kind=softmax
    %2 = reshape(%1)                        ...
    %3 = subtract(%0, %2)
    %4 = exp(%3)
    %5 = reduce_sum(%4)
    %6 = reshape(%5)
    %7 = real_div(%4, %6)
    """
    return fuse_around(graph, target, ("softmax", "log_softmax"), (exp,), _softmax_of)


def softmax_of(finder: Finder, exponential: Eqn, target: Target) -> tuple[int, int] | None:
    """Return x and softmax(x), if the equation is the exponential in it."""
    x = _shifted(finder, exponential, target)
    root = None if x is None else _quotient(finder, exponential.outputs[0])
    return None if x is None or root is None else (x, root)


def _shifted(finder: Finder, exponential: Eqn, target: Target) -> int | None:
    """Return the x of exp(x - max), if the device stores its dtype."""
    difference = finder.producer(exponential.inputs[0], subtract)
    if difference is None:
        return None
    x, largest = difference.inputs
    if finder.row_reduction(largest, reduce_max) != (x, 1.0) or not finder.is_kept(largest, x):
        return None
    aval = finder.graph.avals[x]
    floats = aval.dtype.is_floating and aval.dtype in target.dtypes
    return x if floats and aval.size else None


def _softmax_of(finder: Finder, exponential: Eqn, target: Target) -> Found | None:
    x = _shifted(finder, exponential, target)
    if x is None:
        return None
    shape = finder.shape(x)
    rows, n = math.prod(shape[:-1]), shape[-1]
    pattern = Pattern(("x",), (("rows", rows), ("n", n)))
    for kind, root in (
        ("softmax", _quotient(finder, exponential.outputs[0])),
        ("log_softmax", _difference(finder, exponential.outputs[0], exponential.inputs[0])),
    ):
        if root is not None and kind in target.kernels:
            return finder.fused(root, kind, [x], pattern)
    return None


def _quotient(finder: Finder, e: int) -> int | None:
    """Return the quotient e / sum(e)."""
    for eqn in finder.readers(e, real_div):
        below = eqn.inputs[1]
        if eqn.inputs[0] == e and _is_sum(finder, below, e) and finder.is_kept(below, e):
            return eqn.outputs[0]
    return None


def _difference(finder: Finder, e: int, shifted: int) -> int | None:
    """Return the difference shifted - log(sum(e))."""
    for eqn in finder.readers(shifted, subtract):
        logarithm = finder.producer(finder.unkept(eqn.inputs[1]), log)
        if eqn.inputs[0] != shifted or logarithm is None or not finder.is_kept(eqn.inputs[1], e):
            continue
        if _is_sum(finder, logarithm.inputs[0], e):
            return eqn.outputs[0]
    return None


def _is_sum(finder: Finder, value: int, e: int) -> bool:
    return finder.row_reduction(value, reduce_sum) == (e, 1.0)
