"""A Graph as one function of JAX arrays, which XLA compiles and fuses as a whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jax import lax, numpy as jnp

from tfpy._src.base.dtypes import DEVICE_DTYPES, ROUNDED, WIDE, complex64, variant
from tfpy._src.base.errors import NotLowerable
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.graph import Eqn, Graph, bodies, refusal
from tfpy._src.compiler.ir.op import CONTROL, Op
from tfpy._src.compiler.lower.jax.doubles import DOUBLES
from tfpy._src.compiler.lower.jax.expression import elementwise
from tfpy._src.compiler.lower.jax.table import NARROW, RULES

DTYPES = DEVICE_DTYPES | ROUNDED | {complex64, *WIDE}
"""What is computed with JAX."""


def check(graph: Graph) -> None:
    """Raises NotLowerable unless there is a rule for each equation, and for those of its parts."""
    if any(graph.avals[v].dtype == variant for v in (*graph.inputs, *graph.outputs)):
        raise NotLowerable("a list of tensors comes from elsewhere, or is needed there")
    _check_equations(graph)


def _check_equations(graph: Graph) -> None:
    for eqn in graph.eqns:
        if refusal(graph, eqn) is not None:
            raise NotLowerable(f"{eqn.op.name}: fails whenever it runs")
        if eqn.op.expr is None and eqn.op.name not in RULES:
            raise NotLowerable(f"{eqn.op.name}: no rule for JAX")
        for _, part in bodies(eqn.attrs):
            _check_part(part)


def _check_part(part: Graph) -> None:
    """What the op table tells of a whole Graph nobody has asked of the parts of control flow."""
    for eqn in part.eqns:
        taken = DTYPES - ROUNDED if eqn.op.by_bits else DTYPES
        for value in (*eqn.inputs, *eqn.outputs):
            dtype = part.avals[value].dtype
            if dtype not in taken and dtype != variant:
                raise NotLowerable(f"{eqn.op.name}: no {dtype.name} on JAX")
    _check_equations(part)


def has_control(graph: Graph) -> bool:
    """Whether only tracing it tells whether it can be lowered."""
    return any(eqn.op.family == CONTROL for eqn in graph.eqns)


def function_of(graph: Graph) -> Callable[..., list[Any]]:
    """What gives the Graph's outputs for arrays of its inputs' elements, in whatever shape."""

    def run(*arrays: Any) -> list[Any]:
        given = [
            lax.reshape(array, graph.avals[v].shape)
            for array, v in zip(arrays, graph.inputs, strict=True)
        ]
        return _apart(evaluated(graph, given), arrays)

    return run


def evaluated(graph: Graph, inputs: Sequence[Any]) -> list[Any]:
    """The outputs of a Graph for arrays of its inputs."""
    values: dict[int, Any] = dict(graph.constants)
    values.update(zip(graph.inputs, inputs, strict=True))
    for eqn in graph.eqns:
        if eqn.op.name == "while_loop":
            eqn = eqn._replace(attrs=(*eqn.attrs, ("rows", _rows_needed(graph, eqn))))
        values.update(zip(eqn.outputs, _results(graph, eqn, values), strict=True))
    return [values[v] for v in graph.outputs]


def _rows_needed(graph: Graph, loop: Eqn) -> dict[int, int]:
    """Of the lists that a loop gives those that are only stacked: how many rows of them."""
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
    if op.family == CONTROL:  # constants among them tell lengths
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
    """What is rounded is computed as float32, unless it only moves or the rule takes it."""

    def wide(array: Any, aval: Aval) -> Any:
        return array.astype("float32") if aval.dtype in ROUNDED else array

    stays = op.family == "movement" or op.by_bits or op.name in NARROW
    return (lambda array, aval: array) if stays else wide


def _as(array: Any, aval: Aval) -> Any:
    """In the dtype that the record says, whatever JAX is configured to."""
    return lax.convert_element_type(array, aval.dtype.as_numpy_dtype)


def _apart(outputs: Sequence[Any], inputs: Sequence[Any]) -> list[Any]:
    """Outputs that are arrays of their own: JAX hands an input that is an output on as it is, and
    who donates one would lose the other."""
    taken = [*map(id, inputs)]
    apart = []
    for output in outputs:
        apart.append(jnp.copy(output) if id(output) in taken else output)
        taken.append(id(output))
    return apart
