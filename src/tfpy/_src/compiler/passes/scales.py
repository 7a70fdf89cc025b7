"""Folding of batch normalization and other scales into the weights of the layer before them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from tfpy._src.compiler.ir.aval import Shape
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.ir.op import Op
from tfpy._src.compiler.ops.contraction import matmul
from tfpy._src.compiler.ops.convolution import conv2d, depthwise_conv2d
from tfpy._src.compiler.ops.elementwise import add, multiply, negative, real_div, subtract
from tfpy._src.compiler.ops.movement import reshape, transpose
from tfpy._src.compiler.passes.movement import reshaped
from tfpy._src.compiler.passes.prelude import WeightOnly
from tfpy._src.compiler.passes.rewrite import Builder, rewrite


def fold_scales(graph: Graph, weights: Collection[int] = ()) -> Graph:
    """Move factors and shifts that depend on weights only into filters and biases.

    `conv2d(x, w) * s + b`, which is batch normalization in inference, becomes `conv2d(x, w * s) +
    b`: w * s is computed once (by `split_prelude`, or constant folding). A single number, as in
    attention, moves through reshapes, transposes and products of activations until it reaches
    weights. Results differ by rounding. ::

        %4:float32[1,8,8,4] = conv2d(%0, %1) …        %4:float32[3,3,2,4] = multiply(%1, %2)
        %5:float32[1,8,8,4] = multiply(%4, %2)   ->   %5:float32[1,8,8,4] = conv2d(%0, %4) …
        %6:float32[1,8,8,4] = add(%5, %3)             %6:float32[1,8,8,4] = add(%5, %3)

    Args:
        weights: Positions in `graph.inputs` of values that count as weights in addition to
            constants.
    """
    fixed: list[WeightOnly] = []

    def rule(builder: Builder, eqn: Eqn) -> int | None:
        if not fixed:
            fixed.append(WeightOnly(builder.graph, weights))
        return _Folder(builder, fixed[0]).fold(eqn)

    return rewrite(graph, rule, around=_PRODUCTS)


_PRODUCTS = (conv2d, depthwise_conv2d, matmul)


@dataclass(frozen=True)
class _Scale:
    """`op(x, value)`. `value` is a number or, with `channels`, a vector along the last axis."""

    op: Op
    value: int
    channels: int | None


@dataclass(frozen=True)
class _Folder:
    builder: Builder
    fixed: WeightOnly

    def fold(self, eqn: Eqn) -> int | None:
        if eqn.op not in (multiply, real_div, add, subtract):
            return None
        out = self.builder.result(eqn)
        x, y = eqn.inputs
        if x in self.fixed and eqn.op in (multiply, add):
            x, y = y, x
        if x in self.fixed or y not in self.fixed or not out.dtype.is_floating:
            return None
        if self.builder.aval(x) != out:
            return None
        if eqn.op in (add, subtract):
            return self._shift(eqn.op, x, y)
        scale = self._scale(eqn.op, y, out.shape)
        return None if scale is None else self._scaled(x, scale)

    def _scale(self, op: Op, value: int, shape: Shape) -> _Scale | None:
        aval = self.builder.aval(value)
        if aval.size == 1:
            return _Scale(op, reshaped(self.builder, value, ()), None)
        channels = shape[-1]
        if aval.size == channels == aval.shape[-1]:
            return _Scale(op, reshaped(self.builder, value, (channels,)), channels)
        return None

    def _scaled(self, x: int, scale: _Scale) -> int | None:
        """Scale `x` by changing weights only, or return None if that is not possible."""
        if x in self.fixed:
            return self.builder.apply(scale.op, x, scale.value)
        eqn = self.builder.producer(x)
        if eqn is None or not self.builder.read_once(x):
            return None
        if eqn.op in (add, subtract):
            return self._scaled_inputs(eqn, (0, 1), scale)
        if eqn.op in (reshape, transpose):
            kept = scale.channels is None or self._keeps_channels(eqn)
            return self._scaled_inputs(eqn, (0,), scale) if kept else None
        if eqn.op in _PRODUCTS:
            return self._scaled_product(eqn, scale)
        return None

    def _scaled_inputs(self, eqn: Eqn, which: tuple[int, ...], scale: _Scale) -> int | None:
        inputs = list(eqn.inputs)
        for at in which:
            found = self._scaled(inputs[at], scale)
            if found is None:
                return None
            inputs[at] = found
        return self.builder.add(eqn.op, inputs, eqn.attrs)

    def _keeps_channels(self, eqn: Eqn) -> bool:
        """Return True if a reshape or transpose preserves the last axis."""
        operand, out = self.builder.aval(eqn.inputs[0]), self.builder.result(eqn)
        if eqn.op is transpose:
            return bool(dict(eqn.attrs)["perm"][-1] == out.rank - 1)
        return operand.shape[-1:] == out.shape[-1:]

    def _scaled_product(self, eqn: Eqn, scale: _Scale) -> int | None:
        x, filter_ = eqn.inputs
        if filter_ in self.fixed:
            factor = self._as_filter(eqn, scale)
            scaled = None if factor is None else self.builder.apply(scale.op, filter_, factor)
            return None if scaled is None else self.builder.add(eqn.op, [x, scaled], eqn.attrs)
        if scale.channels is not None:
            return None
        for at in (0, 1):
            found = self._scaled_inputs(eqn, (at,), scale)
            if found is not None:
                return found
        return None

    def _as_filter(self, eqn: Eqn, scale: _Scale) -> int | None:
        """Return the scale in the shape that broadcasts over the filter's output channels."""
        if scale.channels is None:
            return scale.value
        if self.builder.result(eqn).shape[-1] != scale.channels:
            return None
        if eqn.op is depthwise_conv2d:
            return reshaped(self.builder, scale.value, self.builder.aval(eqn.inputs[1]).shape[2:])
        if eqn.op is matmul and dict(eqn.attrs)["transpose_b"]:
            return reshaped(self.builder, scale.value, (scale.channels, 1))
        return scale.value

    def _shift(self, op: Op, x: int, bias: int) -> int | None:
        """Move a bias next to its product.

        `(p + b) - c` becomes `p + (b - c)`, and `(p + y) + c` becomes `(p + c) + y`.
        """
        if self._is_product(x):
            if op is add:
                return None
            return self.builder.apply(add, x, self.builder.apply(negative, bias))
        inner = self.builder.producer(x, add)
        if inner is None or not self.builder.read_once(x):
            return None
        for product, other in (inner.inputs, inner.inputs[::-1]):
            if not self._is_product(product):
                continue
            if other in self.fixed:
                return self.builder.apply(add, product, self.builder.apply(op, other, bias))
            if self.builder.aval(product) == self.builder.aval(x):
                return self.builder.apply(add, self.builder.apply(op, product, bias), other)
        return None

    def _is_product(self, x: int) -> bool:
        while (alias := self.builder.producer(x, reshape)) is not None:
            x = alias.inputs[0]
        return self.builder.producer(x, *_PRODUCTS) is not None
