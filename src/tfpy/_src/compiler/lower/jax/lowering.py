"""The lowering of a Graph to one function of JAX arrays, which XLA compiles and fuses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from jax import lax, numpy as jnp
from jax.scipy import special

from tfpy._src.base.dtypes import DEVICE_DTYPES, ROUNDED, WIDE, complex64, variant
from tfpy._src.base.errors import NotLowerable
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.graph import Eqn, Graph, bodies, refusal
from tfpy._src.compiler.ir.op import CONTROL, Op
from tfpy._src.compiler.lower.jax.expression import elementwise
from tfpy._src.compiler.lower.jax.table import NARROW, RULES, Rule


def zeta(x: Any, q: Any) -> Any:
    """Compute the zeta function.

    JAX supports q > 0. Below, the terms on both sides of 0 are sums for positive numbers.
    """
    below = lax.floor(q)
    sign = jnp.where(x % 2 == 0, 1.0, -1.0)
    outer = special.zeta(x, below + 1 - q) - special.zeta(x, 1 - q)
    mirrored = special.zeta(x, q - below) + sign * outer
    is_mirrored = (q < 0) & (q != below) & (x == lax.floor(x))
    return jnp.where(is_mirrored, mirrored, special.zeta(x, q))


def polygamma(order: Any, x: Any) -> Any:
    whole = (order >= 0) & (order == lax.floor(order))
    return jnp.where(whole, special.polygamma(order.astype(np.int64), x), np.nan)


DOUBLES: dict[str, Rule] = {
    "erf": lax.erf,
    "erfc": lax.erfc,
    "erfinv": lax.erf_inv,
    "ndtri": special.ndtri,
    "lgamma": lax.lgamma,
    "digamma": lax.digamma,
    "zeta": zeta,
    "polygamma": polygamma,
    "bessel_i0": special.i0,
    "bessel_i0e": special.i0e,
    "bessel_i1": special.i1,
    "bessel_i1e": special.i1e,
}


DTYPES = DEVICE_DTYPES | ROUNDED | {complex64, *WIDE}
"""Dtypes that JAX computes."""


def check(graph: Graph) -> None:
    """Raise NotLowerable unless each equation, also in inner Graphs, has a rule."""
    if any(graph.avals[v].dtype == variant for v in (*graph.inputs, *graph.outputs)):
        raise NotLowerable("lists of tensors cannot be inputs or outputs of a program")
    _check_equations(graph)


def _check_equations(graph: Graph) -> None:
    for eqn in graph.eqns:
        if refusal(graph, eqn) is not None:
            raise NotLowerable(f"{eqn.op.name} fails whenever it runs")
        if eqn.op.expr is None and eqn.op.name not in RULES:
            raise NotLowerable(f"{eqn.op.name} has no rule for JAX")
        for _, part in bodies(eqn.attrs):
            _check_part(part)


def _check_part(part: Graph) -> None:
    """Check the dtypes and rules of a part of control flow.

    The op table was queried for the outer Graph only.
    """
    for eqn in part.eqns:
        taken = DTYPES - ROUNDED if eqn.op.by_bits else DTYPES
        for value in (*eqn.inputs, *eqn.outputs):
            dtype = part.avals[value].dtype
            if dtype not in taken and dtype != variant:
                raise NotLowerable(f"{eqn.op.name} does not support {dtype.name} on JAX")
    _check_equations(part)


def has_control(graph: Graph) -> bool:
    """Return True if only tracing can determine whether the Graph can be lowered."""
    return any(eqn.op.family == CONTROL for eqn in graph.eqns)


def function_of(graph: Graph) -> Callable[..., list[Any]]:
    """Return a function that computes the Graph's outputs.

    Its arguments are arrays of the inputs' elements, in any shape.
    """

    def run(*arrays: Any) -> list[Any]:
        given = [
            lax.reshape(array, graph.avals[v].shape)
            for array, v in zip(arrays, graph.inputs, strict=True)
        ]
        return _apart(evaluated(graph, given), arrays)

    return run


def evaluated(graph: Graph, inputs: Sequence[Any]) -> list[Any]:
    """Return the outputs of a Graph for arrays of its inputs."""
    values: dict[int, Any] = dict(graph.constants)
    values.update(zip(graph.inputs, inputs, strict=True))
    for eqn in graph.eqns:
        if eqn.op.name == "while_loop":
            eqn = eqn._replace(attrs=(*eqn.attrs, ("rows", _rows_needed(graph, eqn))))
        values.update(zip(eqn.outputs, _results(graph, eqn, values), strict=True))
    return [values[v] for v in graph.outputs]


def _rows_needed(graph: Graph, loop: Eqn) -> dict[int, int]:
    """Return the number of rows of a loop's lists that are only stacked."""
    found = {}
    for position, value in enumerate(loop.outputs):
        readers = [eqn for eqn in graph.eqns if value in eqn.inputs]
        stacked = all(eqn.op.name == "list_stack" for eqn in readers)
        if readers and stacked and value not in graph.outputs:
            found[position] = max(dict(eqn.attrs)["count"] for eqn in readers)
    return found


def _results(graph: Graph, eqn: Eqn, values: Mapping[int, Any]) -> Sequence[Any]:
    op = eqn.op
    given = [values[v] for v in eqn.inputs]
    if op.family == CONTROL:  # constants among them determine lengths
        return RULES[op.name](*given, **dict(eqn.attrs))
    given = list(map(jnp.asarray, given))
    avals = [graph.avals[v] for v in eqn.inputs]
    outs = [graph.avals[v] for v in eqn.outputs]
    if outs[0].dtype in WIDE and op.name in DOUBLES:
        return [DOUBLES[op.name](*given)]
    if op.expr is not None:
        return [elementwise(op, given, avals, eqn.attrs, outs[0])]
    found = RULES[op.name](*map(_widened(op), given, avals), **dict(eqn.attrs))
    return list(map(_as, found if op.multiple else [found], outs))


def _widened(op: Op) -> Callable[[Any, Aval], Any]:
    """Return a function that converts low-precision floats to float32.

    It does nothing if the op only moves elements, or if its rule supports them.
    """

    def wide(array: Any, aval: Aval) -> Any:
        return array.astype("float32") if aval.dtype in ROUNDED else array

    stays = op.family == "movement" or op.by_bits or op.name in NARROW
    return (lambda array, aval: array) if stays else wide


def _as(array: Any, aval: Aval) -> Any:
    """Convert to the dtype of the record, whatever JAX is configured to."""
    return lax.convert_element_type(array, aval.dtype.as_numpy_dtype)


def _apart(outputs: Sequence[Any], inputs: Sequence[Any]) -> list[Any]:
    """Return outputs that share no arrays with inputs or each other.

    JAX returns an input that is also an output unchanged. Donating one of them would delete the
    other.
    """
    taken = [*map(id, inputs)]
    apart = []
    for output in outputs:
        apart.append(jnp.copy(output) if id(output) in taken else output)
        taken.append(id(output))
    return apart
