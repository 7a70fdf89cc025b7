"""Layer normalization and RMS normalization over the last axis, in their common forms.

Whatever the order of its products and sums, the result is (x - mean) * r * scale + offset. Here r
is the reciprocal root of the variance plus epsilon. So the equations after r are expanded to a sum
of products, which is compared with the expected sum.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from tfpy._src.compiler.ir.fusion import Pattern
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.ir.kernel import float_bits
from tfpy._src.compiler.lower.target import Target
from tfpy._src.compiler.ops.elementwise import (
    add,
    multiply,
    negative,
    real_div,
    reciprocal,
    rsqrt,
    sqrt,
    square,
    squared_difference,
    subtract,
)
from tfpy._src.compiler.ops.movement import reshape
from tfpy._src.compiler.passes.fuse.patterns import Finder, Found, fuse_around

Terms = dict[tuple[str, ...], float]
"""A sum of products: sorted names of factors -> coefficient."""

_FOLLOWED = (add, subtract, multiply, negative, real_div, reciprocal, reshape)
_MAX_TERMS = 8
_MAX_READERS = 24


def fuse_layer_norm(graph: Graph, target: Target) -> Graph:
    """Fuse (x - mean(x)) / sqrt(variance(x) + epsilon) * scale + offset.

    Without the mean it is RMS normalization (https://arxiv.org/abs/1910.07467). Scale and offset
    are vectors along the last axis, or absent. ::

        %5 = reduce_sum(%0)                   %19 = fusion(%0, %1, %2) kind=layer_norm
        ...                                     ...
        %19 = add(%18, %2)
    """
    return fuse_around(graph, target, ("layer_norm",), (sqrt, rsqrt), _normalization)


class _Statistics:
    """The rows and the mean to which a root of a variance belongs."""

    def __init__(self, finder: Finder, eqn: Eqn) -> None:
        self.eqn = eqn
        self.x = self.mean = -1
        self.epsilon = 0.0
        total = finder.producer(finder.unkept(eqn.inputs[0]), add)
        if total is None:
            return
        variance, number = total.inputs[0], finder.number(total.inputs[1])
        if number is None:
            variance, number = total.inputs[1], finder.number(total.inputs[0])
        squares = finder.row_mean(variance)
        if number is None or squares is None:
            return
        self.epsilon = number
        made = finder.producer(finder.rows(squares), squared_difference, square, multiply)
        if made is None:
            return
        first, second = made.inputs[0], made.inputs[-1]
        if made.op is squared_difference:
            self._deviation(finder, first, second)
        elif first == second:
            deviation = finder.producer(first, subtract)
            if deviation is not None:
                self._deviation(finder, *deviation.inputs)
            if self.x < 0:
                self.x = first

    def _deviation(self, finder: Finder, x: int, mean: int) -> None:
        total = finder.row_mean(mean)
        if total is not None and finder.rows(total) == x and finder.is_kept(mean, x):
            self.x, self.mean = x, mean


def _normalization(finder: Finder, eqn: Eqn, target: Target) -> Found | None:
    statistics = _Statistics(finder, eqn)
    x = statistics.x
    if x < 0:
        return None
    aval = finder.graph.avals[x]
    if not aval.dtype.is_floating or aval.dtype not in target.dtypes or not aval.size:
        return None
    products = _Products(finder, statistics)
    for root in reversed(products.roots()):
        operands = _scale_and_offset(finder, products.of(root), statistics)
        if operands is None or not products.is_whole(root):
            continue
        fused = finder.fused(
            root,
            "layer_norm",
            [x, *operands.values()],
            _pattern(finder, statistics, list(operands)),
        )
        if fused is not None:
            return fused
    return None


def _pattern(finder: Finder, statistics: _Statistics, operands: Iterable[str]) -> Pattern:
    *outer, n = finder.shape(statistics.x)
    epsilon = float_bits(statistics.epsilon)
    given = {"scale": "false", "offset": "false"} | dict.fromkeys(operands, "true")
    params = {"rows": math.prod(outer), "n": n, "epsilon_bits": epsilon}
    center = {"center": "true" if statistics.mean >= 0 else "false"}
    return Pattern(("x", *operands), tuple((params | center | given).items()))


class _Products:
    """Values after a root of the variance as sums of products of "x", "mean", "r" and others.

    A single row can have any shape with dimensions of size 1 in addition to its length.
    """

    def __init__(self, finder: Finder, statistics: _Statistics) -> None:
        self._finder = finder
        (self._root,) = statistics.eqn.outputs
        self._is_reciprocal = statistics.eqn.op is rsqrt
        self._x = statistics.x
        self._is_single = math.prod(finder.shape(self._x)[:-1]) == 1
        mean = self._unreshaped(statistics.mean)
        self._known: dict[int, Terms | None] = {
            self._x: {("x",): 1.0},
            mean: {("mean",): 1.0},
            self._root: {("r",): 1.0} if self._is_reciprocal else None,
        }
        self._inside = self._readers_of(self._root) | self._readers_of(mean)
        self._ours = self._inside | self._known.keys()

    def roots(self) -> list[int]:
        """Return the values that depend on the root of the variance, in order."""
        return sorted(self._readers_of(self._root))

    def is_whole(self, value: int) -> bool:
        """Return True if a value has the elements of all rows."""
        whole = self._finder.shape(self._x)
        return self._finder.shape(value) == whole or (
            self._is_single and math.prod(self._finder.shape(value)) == whole[-1]
        )

    def _unreshaped(self, value: int) -> int:
        """Return the value before reshapes that do not change the rows."""
        value = self._finder.unkept(value)
        while self._is_single and (eqn := self._finder.producer(value, reshape)) is not None:
            value = eqn.inputs[0]
        return value

    def of(self, value: int) -> Terms | None:
        """Return the value as a sum of products, or None if it is not one."""
        value = self._unreshaped(value)
        if value not in self._known:
            self._known[value] = self._multiplied_out(value)
        terms = self._known[value]
        return terms if terms is not None and len(terms) <= _MAX_TERMS else None

    def _readers_of(self, value: int) -> set[int]:
        found: set[int] = set()
        waiting = [value]
        while waiting and len(found) < _MAX_READERS:
            for eqn in self._finder.readers(waiting.pop(), *_FOLLOWED):
                waiting += set(eqn.outputs) - found
                found.update(eqn.outputs)
        return found

    def _multiplied_out(self, value: int) -> Terms | None:
        number = self._finder.number(value)
        if number is not None:
            return {(): number}
        if value not in self._inside:
            return {(str(value),): 1.0}
        eqn = self._finder.graph.eqns[self._finder.uses.producer[value]]
        if eqn.op is reshape or not self._is_by_rows(eqn):
            return None
        if eqn.op in (real_div, reciprocal):
            return self._divided(eqn)
        terms = [self.of(v) for v in eqn.inputs]
        if any(t is None for t in terms):
            return None
        first, second = terms[0] or {}, terms[-1] or {}
        if eqn.op is multiply:
            return _product(first, second)
        if eqn.op is negative:
            return _product({(): -1.0}, first)
        return _sum(first, second if eqn.op is add else _product({(): -1.0}, second))

    def _is_by_rows(self, eqn: Eqn) -> bool:
        """Return True if a row of x combines only with itself and vectors along it."""
        finder, outer = self._finder, self._finder.shape(self._x)[:-1]
        if self._is_single:
            return self._is_in_row(eqn)
        if finder.shape(eqn.outputs[0]) == outer:  # one element for each row
            return all(
                finder.shape(v) == outer if v in self._ours else finder.number(v) is not None
                for v in eqn.inputs
            )
        whole = (finder.shape(self._x), (*outer, 1))
        return all(finder.shape(v) in whole for v in eqn.inputs if v in self._ours)

    def _is_in_row(self, eqn: Eqn) -> bool:
        """Return True if an equation computes the single row, or one element from numbers."""
        finder, n = self._finder, self._finder.shape(self._x)[-1]
        size = math.prod(finder.shape(eqn.outputs[0]))
        return size == n or (
            size == 1 and all(v in self._ours or finder.number(v) is not None for v in eqn.inputs)
        )

    def _divided(self, eqn: Eqn) -> Terms | None:
        """Return a quotient if its divisor is the root itself, else None."""
        if self._is_reciprocal or self._unreshaped(eqn.inputs[-1]) != self._root:
            return None
        one: Terms = {(): 1.0}
        above = one if eqn.op is reciprocal else self.of(eqn.inputs[0])
        return None if above is None else _product(above, {("r",): 1.0})


def _sum(a: Terms, b: Terms) -> Terms:
    total = {key: a.get(key, 0.0) + b.get(key, 0.0) for key in a.keys() | b.keys()}
    return {key: number for key, number in total.items() if number}


def _product(a: Terms, b: Terms) -> Terms:
    total: Terms = {}
    for first, x in a.items():
        for second, y in b.items():
            total = _sum(total, {tuple(sorted((*first, *second))): x * y})
    return total


def _scale_and_offset(
    finder: Finder, terms: Terms | None, statistics: _Statistics
) -> dict[str, int] | None:
    """Return scale and offset if the terms are a normalization, else None."""
    if terms is None:
        return None
    operands: dict[str, int] = {}
    scales = {tuple(f for f in key if f not in ("x", "r")) for key in terms if "x" in key}
    offsets = [key for key in terms if not {"x", "mean", "r"} & set(key)]
    if len(scales) != 1 or len(offsets) > 1:
        return None
    (scale,) = scales
    expected = {tuple(sorted(("x", "r", *scale))): 1.0}
    if statistics.mean >= 0:
        expected[tuple(sorted(("mean", "r", *scale)))] = -1.0
    for name, factors in (("scale", scale), *(("offset", key) for key in offsets)):
        if len(factors) > 1 or (name == "offset" and len(factors) != 1):
            return None
        if factors:
            operands[name] = int(factors[0])
    if offsets:
        expected[offsets[0]] = 1.0
    if terms != expected:
        return None
    n = finder.shape(statistics.x)[-1]
    vectors = (finder.graph.avals[v] for v in operands.values())
    return operands if all(a.shape[-1:] == (n,) and a.size == n for a in vectors) else None
