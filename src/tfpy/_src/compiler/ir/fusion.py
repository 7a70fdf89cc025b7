"""The equation `fusion`: several equations of a Graph that a device runs as one kernel.

As in XLA, a fusion has a Graph, its body: the equation's inputs are the body's inputs, its output
is the body's only output. So the reference evaluator needs no other definition, and passes print,
check and rewrite a body like any Graph.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.evaluate import evaluate
from tfpy._src.compiler.ir.graph import Attrs, Eqn, Graph, bodies, spelled
from tfpy._src.compiler.ir.kernel import KernelCall, Param
from tfpy._src.compiler.ir.op import COMPILER, Op, register

LOOP = "loop"
"""Kind of elementwise equations: one expression, evaluated at each element of the output."""

EPILOGUE = "epilogue"
"""Kind of one equation with a kernel, followed by elementwise equations."""

PROLOGUE = "prologue"
"""Kind of elementwise equations that compute the operand of one equation with a kernel.
Elementwise equations may also follow it."""

_MAX_OPS = 4  # names that are printed per fusion


@dataclass(frozen=True)
class Pattern:
    """The kernel that computes a body: the names of its operands and its parameters.

    The kernel may ignore the last inputs of the body.
    """

    inputs: tuple[str, ...]
    params: tuple[tuple[str, Param], ...]


def _infer(*avals: Aval, body: Graph, kind: str, pattern: Pattern | None = None) -> Aval:
    expected = tuple(body.avals[value] for value in body.inputs)
    if avals != expected:
        given, wanted = (", ".join(map(str, side)) for side in (avals, expected))
        raise ValueError(
            f"fusion {kind}: the body expects ({wanted}), but the operands are ({given})"
        )
    (output,) = body.outputs
    return body.avals[output]


def _ref(*arrays: Any, body: Graph, kind: str, pattern: Pattern | None = None) -> Any:
    return evaluate(body, arrays)[0]


def _kernel(*avals: Aval, body: Graph, kind: str, pattern: Pattern) -> KernelCall:
    return KernelCall(kind, pattern.inputs, dict(pattern.params))


fusion = register(
    Op(
        "fusion",
        COMPILER,
        _infer,
        _ref,
        kernel=_kernel,
        doc="""fusion(*inputs, body, kind[, pattern]): the equations of `body` as one equation.

        `kind` is `LOOP`, `EPILOGUE` or `PROLOGUE`, or the name of the kernel that `pattern` calls.
        """,
    )
)


def name_of(eqn: Eqn) -> str:
    """Return the names of an equation's ops; a fusion has several."""
    ops = [e.op.name for e in _inner(eqn)]
    if len(ops) > _MAX_OPS:
        return f"{'+'.join(ops[: _MAX_OPS - 1])}+…+{ops[-1]} ({len(ops)} ops)"
    return "+".join(ops)


def _inner(eqn: Eqn) -> Iterator[Eqn]:
    if eqn.op is not fusion:
        yield eqn
    else:
        for _, body in bodies(eqn.attrs):
            for inner in body.eqns:
                yield from _inner(inner)


def is_elementwise(op: Op) -> bool:
    """Return True if an output element is an expression of one element of each input."""
    return op.expr is not None or op.viewed


def is_scalar_constant(graph: Graph, value: int) -> bool:
    """Return True if the value is a one-element constant, which expressions contain as a number."""
    return value in graph.constants and graph.avals[value].size == 1


def fuse(
    graph: Graph,
    members: Iterable[Eqn],
    kind: str,
    operands: Sequence[int] = (),
    pattern: Pattern | None = None,
) -> Eqn:
    """Return a fusion that replaces `members`, which are in order.

    The last one computes the result.

    Scalar constants that elementwise equations read become constants of the body. With a pattern,
    all constants that are not its operands do. Equal bodies are the same Graph, which must not be
    changed, so that results derived from it can be cached.

    Args:
        operands: First inputs of the fusion. The others follow in the order in which the members
            read them.
    """
    body = Graph()
    inner: dict[int, int] = {}
    inputs: list[int] = []

    def enter(value: int, may_fold: bool) -> None:
        if value in inner:
            return
        known = pattern is not None and value not in operands and value in graph.constants
        if known or (may_fold and is_scalar_constant(graph, value)):
            inner[value] = body.add_constant(graph.constants[value], graph.avals[value])
        else:
            inner[value] = body.add_input(graph.avals[value])
            inputs.append(value)

    members = list(members)
    made = {value for eqn in members for value in eqn.outputs}
    read = [v for eqn in members if not is_elementwise(eqn.op) for v in eqn.inputs]
    for value in (*operands, *(v for v in read if v not in made)):
        enter(value, may_fold=False)
    for eqn in members:
        for value in eqn.inputs:
            enter(value, may_fold=True)
        (out,) = eqn.outputs
        read_here = tuple([inner[v] for v in eqn.inputs])
        inner[out] = body.add_value(graph.avals[out])
        body.eqns.append(Eqn(eqn.op, read_here, (inner[out],), eqn.attrs))
    (result,) = members[-1].outputs
    body.outputs = [inner[result]]
    body = _bodies.setdefault(_key(body), body)
    attrs: Attrs = (("body", body), ("kind", kind))
    if pattern is not None:
        attrs += (("pattern", pattern),)
    return Eqn(fusion, tuple(inputs), (result,), attrs, members[-1].line)


_bodies: weakref.WeakValueDictionary[Any, Graph] = weakref.WeakValueDictionary()


def _key(body: Graph) -> Any:
    """Return a key that is equal for equal bodies."""
    constants = tuple((value, array.tobytes()) for value, array in body.constants.items())
    attrs = tuple([spelled(eqn.attrs) for eqn in body.eqns])
    numbers = tuple(body.inputs), tuple(body.outputs)
    return tuple(body.avals), tuple(body.eqns), attrs, constants, numbers
