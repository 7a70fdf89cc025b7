"""The op `while_loop`: its evaluation and its gradient."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from tfpy._src.base import dtypes
from tfpy._src.compiler.ir.aval import Array, Aval
from tfpy._src.compiler.ir.evaluate import evaluate
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.ir.op import register
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.control.derivative import zero
from tfpy._src.functions.control.equations import closed_avals_of
from tfpy._src.functions.control.loop_run import LoopRun
from tfpy._src.functions.control.reverse_loop import loop_with_residuals, reverse_loop
from tfpy._src.functions.executor.control_op import ControlOp, Runner, carries_gradient
from tfpy._src.functions.executor.execution_hints import Usage
from tfpy._src.functions.executor.host_shadow import LoopMirror


def _while_infer(
    *avals: Aval, test: Graph, body: Graph, state: int, primal: Graph | None = None
) -> tuple[Aval, ...]:
    given = tuple(aval.closed for aval in avals)
    if closed_avals_of(test, test.inputs) != given or closed_avals_of(body, body.inputs) != given:
        raise ValueError("while_loop: test and body must have the loop's inputs")
    if closed_avals_of(test, test.outputs) != (Aval((), dtypes.bool),):
        raise ValueError("while_loop: the test must return a bool scalar")
    if closed_avals_of(body, body.outputs) != given[:state]:
        raise ValueError("while_loop: the body must return the avals of the state")
    return avals[:state]


def _while_ref(
    *arrays: Array, test: Graph, body: Graph, state: int, primal: Graph | None = None
) -> tuple[Array, ...]:
    values, fixed = list(arrays[:state]), arrays[state:]
    while evaluate(test, [*values, *fixed])[0]:
        values = evaluate(body, [*values, *fixed])
    return tuple(values)


def _while_host_operands(
    test: Graph, body: Graph, state: int, primal: Graph | None = None
) -> list[int]:
    return LoopMirror(test, body, state).needed


def _while_prepare(
    usage: Usage,
    eqn: Eqn,
    test: Graph,
    body: Graph,
    state: int,
    primal: Graph | None = None,
) -> Runner:
    return LoopRun(usage, eqn, test, body, state)


def _while_gradient(
    flowing: Sequence[Tensor | None],
    outputs: Sequence[Tensor],
    inputs: Sequence[Tensor],
    test: Graph,
    body: Graph,
    state: int,
    primal: Graph | None = None,
) -> Sequence[Tensor | None]:
    """Run the loop again with its states stored, and then run the reverse loop over them."""
    count, residuals = loop_with_residuals(inputs, test, body, state)
    seeds = [_seed(g, x) for g, x in zip(flowing, inputs[:state], strict=True)]
    return reverse_loop(count, residuals, seeds, inputs, body, state)


def _seed(gradient: Tensor | None, like: Tensor) -> Tensor | None:
    """Return the gradient that flows into a loop variable; None if the variable carries none."""
    if gradient is not None or not carries_gradient(like):
        return gradient
    return zero(like.aval)


while_loop = register(
    ControlOp(
        "while_loop",
        "control",
        _while_infer,
        _while_ref,
        multiple=True,
        prepare=_while_prepare,
        gradient=_while_gradient,
        host_operands=_while_host_operands,
        doc="""while_loop(*state, *fixed, test, body, state, primal): the last state.

    A loop that stores the states of another loop has that loop's body as `primal`. The variables of
    the other loop are its last ones.
    """,
    )
)
stateful_while_loop = register(
    dataclasses.replace(while_loop, name="stateful_while_loop", stateful=True, pure=while_loop)
)
