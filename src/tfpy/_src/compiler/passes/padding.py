"""Padding with zeros becomes part of the convolution that reads it."""

from __future__ import annotations

from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.ops.convolution import conv2d, depthwise_conv2d
from tfpy._src.compiler.ops.movement import pad
from tfpy._src.compiler.passes.rewrite import Builder, rewrite


def absorb_padding(graph: Graph) -> Graph:
    """Rewrite `conv2d(pad(x))` as `conv2d(x)` with more padding. ::

        %2:float32[1,9,9,3] = pad(%0) padding=((0, 0), (0, 1), (0, 1), (0, 0)) …
        %3:float32[1,4,4,8] = conv2d(%2, %1) … padding=((0, 0), (0, 0))
    ->
        %2:float32[1,4,4,8] = conv2d(%0, %1) … padding=((0, 1), (0, 1))
    """
    return rewrite(graph, _absorb, around=(pad,))


def _absorb(builder: Builder, eqn: Eqn) -> int | None:
    if eqn.op not in (conv2d, depthwise_conv2d):
        return None
    x, filter_ = eqn.inputs
    padded = builder.producer(x, pad)
    if padded is None:
        return None
    by = dict(padded.attrs)
    batch, *spatial, channels = by["padding"]
    inside = batch == channels == (0, 0) and min(min(sides) for sides in spatial) >= 0
    if not inside or by["value"] != 0 or any(by["interior"]):
        return None
    attrs = dict(eqn.attrs)
    both = zip(attrs["padding"], spatial, strict=True)
    attrs["padding"] = tuple((low + more, high + most) for (low, high), (more, most) in both)
    return builder.apply(eqn.op, padded.inputs[0], filter_, **attrs)
