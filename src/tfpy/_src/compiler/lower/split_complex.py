"""The rewriting of complex64 values as pairs of float32 values.

Devices do not store complex numbers. A complex input becomes two inputs, the real part first, and
so does an output. Elementwise equations become one per component, because a complex expression is a
pair of real ones. Movement and sums apply to each component. A product of matrices becomes four
products, the product of a row becomes a tree of products.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src.base.dtypes import complex64, float32
from tfpy._src.base.errors import NotLowerable
from tfpy._src.base.source_locations import Line
from tfpy._src.compiler.ir import expr as ex
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.complex_expr import components, operands
from tfpy._src.compiler.ir.graph import Attrs, Eqn, Graph
from tfpy._src.compiler.ir.op import OPS, Op

Components = tuple[int, ...]


def split_complex(graph: Graph) -> Graph:
    """Return the Graph without complex values, or the same Graph if it has none.

    Raises:
        NotLowerable: If an equation has no rule.
    """
    if not any(aval.dtype.is_complex for aval in graph.avals):
        return graph
    return _Splitter(graph).result


class _Splitter:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.result = Graph()
        self.values: dict[int, Components] = {}
        self._line: Line | None = None  # of the equation that is split
        for value in graph.inputs:
            avals = self._avals(value)
            self.values[value] = tuple(self.result.add_input(a) for a in avals)
        for value, array in graph.constants.items():
            pieces = [array.real, array.imag] if self._is_complex(value) else [array]
            self.values[value] = tuple(
                self.result.add_constant(np.ascontiguousarray(piece), aval)
                for piece, aval in zip(pieces, self._avals(value), strict=True)
            )
        for eqn in graph.eqns:
            self._line = eqn.line
            (out,) = eqn.outputs
            self.values[out] = self._equation(eqn)
        self.result.outputs = [
            component for value in graph.outputs for component in self.values[value]
        ]

    def _is_complex(self, value: int) -> bool:
        return self.graph.avals[value].dtype.is_complex

    def _avals(self, value: int) -> list[Aval]:
        aval = self.graph.avals[value]
        return [Aval(aval.shape, float32)] * 2 if aval.dtype.is_complex else [aval]

    def _equation(self, eqn: Eqn) -> Components:
        (out,) = eqn.outputs
        if not any(self._is_complex(v) for v in (*eqn.inputs, out)):
            return (self._add(eqn.op, [self.values[v][0] for v in eqn.inputs], eqn.attrs),)
        if eqn.op.expr is not None:
            return self._elementwise(eqn)
        if eqn.op.by_component:
            return tuple(self._by_component(eqn, number) for number in (0, 1))
        if eqn.op is OPS["matmul"]:
            return self._matmul(eqn)
        if eqn.op is OPS["reduce_prod"]:
            return self._product(eqn, **dict(eqn.attrs))
        raise NotLowerable(f"{eqn.op.name} does not support complex numbers")

    def _add(self, op: Op, inputs: Sequence[int], attrs: Attrs = ()) -> int:
        return self.result.add_eqn(op, inputs, attrs, self._line)

    def _by_component(self, eqn: Eqn, number: int) -> int:
        inputs = [self._component(value, number) for value in eqn.inputs]
        return self._add(eqn.op, inputs, _component_of(eqn.attrs, number))

    def _component(self, value: int, number: int) -> int:
        found = self.values[value]
        return found[number] if len(found) == 2 else found[0]

    def _matmul(self, eqn: Eqn) -> Components:
        (a, c), (b, d) = (self.values[v] for v in eqn.inputs)
        ab, cd, ad, cb = (
            self._add(eqn.op, pair, eqn.attrs) for pair in ((a, b), (c, d), (a, d), (c, b))
        )
        return self._add(OPS["subtract"], [ab, cd]), self._add(OPS["add"], [ad, cb])

    def _product(self, eqn: Eqn, axes: tuple[int, int]) -> Components:
        """Return the product of a row: its halves are multiplied until one factor is left."""
        (value,), (out,) = eqn.inputs, eqn.outputs
        shape = self.graph.avals[value].shape
        n = math.prod(shape[slice(*axes)])
        outer, inner = math.prod(shape[: axes[0]]), math.prod(shape[axes[1] :])
        factors = self._each("reshape", self.values[value], shape=(outer, n, inner))
        if n == 0:
            aval = Aval((outer, 1, inner), float32)
            ones = np.ones(aval.shape, np.float32)
            factors = tuple(self.result.add_constant(v, aval) for v in (ones, 0 * ones))
        while n > 1:
            half = n // 2
            reals = (*self._rows(factors, 0, half), *self._rows(factors, half, half))
            a, b = operands([complex64] * 2)
            product = self._components_of(
                "multiply", a * b, reals, [Aval((outer, half, inner), float32)] * 2
            )
            if n % 2:
                rest = self._rows(factors, n - 1, 1)
                pairs = zip(product, rest, strict=True)
                product = tuple(self._add(OPS["concat"], both, (("axis", 1),)) for both in pairs)
            factors, n = product, n - half
        return self._each("reshape", factors, shape=self.graph.avals[out].shape)

    def _rows(self, components: Components, first: int, count: int) -> Components:
        outer, _, inner = self.result.avals[components[0]].shape
        begin, size = (0, first, 0), (outer, count, inner)
        return self._each("strided_slice", components, begin=begin, size=size, strides=(1, 1, 1))

    def _each(self, name: str, components: Components, **attrs: Any) -> Components:
        return tuple(self._add(OPS[name], [c], tuple(attrs.items())) for c in components)

    def _elementwise(self, eqn: Eqn) -> Components:
        (out,) = eqn.outputs
        reals = [component for v in eqn.inputs for component in self.values[v]]
        kinds = [self.graph.avals[v].dtype for v in eqn.inputs]
        assert eqn.op.expr is not None
        dtype = self.graph.avals[out].dtype
        root = ex.applied(eqn.op.expr, operands(kinds), eqn.attrs, dtype)
        return self._components_of(eqn.op.name, root, reals, self._avals(out))

    def _components_of(
        self, name: str, root: Any, reals: Sequence[int], avals: list[Aval]
    ) -> Components:
        """Add one equation for each component of an expression over the values `reals`."""
        found = []
        for component, aval in zip(components(root), avals, strict=True):
            used = _inputs_of(component)
            found.append(self._add(_derived(name, component, used, aval), [reals[i] for i in used]))
        return tuple(found)


def _component_of(attrs: Attrs, number: int) -> Attrs:
    """Return the attributes for one component; a fill value is replaced by its component."""

    def component(value: Any) -> Any:
        whole = complex(value)
        return whole.imag if number else whole.real

    return tuple((k, component(v) if k == "value" else v) for k, v in attrs)


def _inputs_of(root: ex.Expr) -> list[int]:
    """Return the numbers of the inputs that an expression reads, in ascending order."""
    found = [one.value for one in ex.linearize(root)[0] if one.op == "input"]
    return sorted({int(number) for number in found if number is not None})


def _derived(name: str, root: ex.Expr, used: Sequence[int], aval: Aval) -> Op:
    """Return an op for one component of a complex result."""

    def expression(*reals: ex.Expr) -> ex.Expr:
        return _substituted(root, dict(zip(used, reals, strict=True)), {})

    def infer(*avals: Aval) -> Aval:
        return aval

    def ref(*arrays: Any) -> Any:
        raise NotImplementedError(f"a component of {name} can only be lowered, not evaluated")

    return Op(name, "elementwise", infer, ref, expr=expression)


def _substituted(e: ex.Expr, inputs: dict[int, ex.Expr], known: dict[int, ex.Expr]) -> ex.Expr:
    """Return the expression with other inputs. Shared nodes stay shared."""
    found = known.get(id(e))
    if found is None:
        if e.op == "input":
            assert isinstance(e.value, int)
            found = inputs[e.value]
        elif e.args:
            args = tuple(_substituted(a, inputs, known) for a in e.args)
            found = ex.Expr(e.op, e.dtype, args, e.value)
        else:
            found = e
        known[id(e)] = found
    return found
