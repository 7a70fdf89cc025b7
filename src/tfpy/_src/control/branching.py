"""The equations ``cond`` and ``while_loop``: how they run, and their gradients."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy._src import dtypes
from tfpy._src.control.derivative import derivative, zero
from tfpy._src.core.tensor import Tensor
from tfpy._src.ir.evaluate import evaluate
from tfpy._src.ir.graph import Aval, Graph
from tfpy._src.ir.op import Op, register
from tfpy._src.run.control_op import ControlOp, Runner, carries_gradient, scattered
from tfpy._src.run.usage import Usage

Array = np.ndarray[Any, Any]


def avals_of(graph: Graph, values: Sequence[int]) -> tuple[Aval, ...]:
    return tuple(graph.avals[v] for v in values)


# cond


def _cond_infer(index: Aval, *avals: Aval, branches: tuple[Graph, ...]) -> tuple[Aval, ...]:
    results = {avals_of(b, b.outputs) for b in branches}
    if len(results) != 1 or any(avals_of(b, b.inputs) != avals for b in branches):
        raise ValueError("cond: the branches differ in their inputs or outputs")
    return results.pop()


def has_effects(*graphs: Graph) -> bool:
    """Whether Graphs have equations that must not be left out or repeated."""
    return any(eqn.op.stateful for graph in graphs for eqn in graph.eqns)


def chosen(index: Any, branches: Sequence[Any]) -> Any:
    """The branch of a number, or of a bool: (false, true)."""
    at = int(index)
    return branches[at if 0 <= at < len(branches) else -1]


def _cond_ref(index: Array, *arrays: Array, branches: tuple[Graph, ...]) -> tuple[Array, ...]:
    return tuple(evaluate(chosen(index, branches), arrays))


def _cond_prepare(usage: Usage, operands: Sequence[int], branches: tuple[Graph, ...]) -> Runner:
    from tfpy._src.run.executable import Executable

    compiled = [Executable(branch, usage.within(branch, operands[1:])) for branch in branches]

    def run(index: Tensor, *tensors: Tensor) -> list[Tensor]:
        found: list[Tensor] = chosen(index.host_view(), compiled).run(tensors)
        return found

    return run


def _cond_gradient(
    flowing: Sequence[Tensor | None],
    outputs: Sequence[Tensor],
    inputs: Sequence[Tensor],
    branches: tuple[Graph, ...],
) -> Sequence[Tensor | None]:
    index, *operands = inputs
    flows = [i for i, g in enumerate(flowing) if g is not None]
    wanted = [i for i, x in enumerate(operands) if carries_gradient(x)]
    backs = tuple(derivative(b, flows, wanted) for b in branches)
    seeds = [g for g in flowing if g is not None]
    found = apply_cond([index, *operands, *seeds], backs)
    return scattered(len(operands) + 1, [w + 1 for w in wanted], found)


cond = ControlOp(
    "cond",
    "control",
    _cond_infer,  # type: ignore[arg-type]
    _cond_ref,
    multiple=True,
    prepare=_cond_prepare,
    gradient=_cond_gradient,
    steered_by=lambda **_: (0,),
    doc="cond(index, *inputs, branches): the outputs of one of the branches.",
)


# while_loop


def _while_infer(
    *avals: Aval, test: Graph, body: Graph, state: int, noting: Graph | None = None
) -> tuple[Aval, ...]:
    if avals_of(test, test.inputs) != avals or avals_of(body, body.inputs) != avals:
        raise ValueError("while_loop: test and body must take the loop's inputs")
    if avals_of(test, test.outputs) != (Aval((), dtypes.bool),):
        raise ValueError("while_loop: the test must give a bool scalar")
    if avals_of(body, body.outputs) != avals[:state]:
        raise ValueError("while_loop: the body must give what it takes of the state")
    return avals[:state]


def _while_ref(
    *arrays: Array, test: Graph, body: Graph, state: int, noting: Graph | None = None
) -> tuple[Array, ...]:
    values, fixed = list(arrays[:state]), arrays[state:]
    while evaluate(test, [*values, *fixed])[0]:
        values = evaluate(body, [*values, *fixed])
    return tuple(values)


def _while_steered_by(
    test: Graph, body: Graph, state: int, noting: Graph | None = None
) -> list[int]:
    from tfpy._src.run.mirror import LoopMirror

    return LoopMirror(test, body, state).needed


def _while_prepare(
    usage: Usage,
    operands: Sequence[int],
    test: Graph,
    body: Graph,
    state: int,
    noting: Graph | None = None,
) -> Runner:
    from tfpy._src.control.loop_run import LoopRun

    return LoopRun(usage, operands, test, body, state)


def _while_gradient(
    flowing: Sequence[Tensor | None],
    outputs: Sequence[Tensor],
    inputs: Sequence[Tensor],
    test: Graph,
    body: Graph,
    state: int,
    noting: Graph | None = None,
) -> Sequence[Tensor | None]:
    """Runs the loop again, noting what each iteration began with, and then back over the notes."""
    from tfpy._src.control.reverse_loop import noted_loop, reverse_loop

    count, notes = noted_loop(inputs, test, body, state)
    seeds = [_seed(g, x) for g, x in zip(flowing, inputs[:state], strict=True)]
    return reverse_loop(count, notes, seeds, inputs, body, state)


def _seed(gradient: Tensor | None, like: Tensor) -> Tensor | None:
    """What flows into a variable of the loop; None where nothing can."""
    if gradient is not None or not carries_gradient(like):
        return gradient
    return zero(like.aval)


while_loop = ControlOp(
    "while_loop",
    "control",
    _while_infer,  # type: ignore[arg-type]
    _while_ref,
    multiple=True,
    prepare=_while_prepare,
    gradient=_while_gradient,
    steered_by=_while_steered_by,
    doc="""while_loop(*state, *fixed, test, body, state, noting): the state after the iterations.

    ``noting`` is the body of the loop of which this one notes the states; that one's variables are
    its last ones.
    """,
)


stateful_cond = dataclasses.replace(cond, name="stateful_cond", stateful=True)
stateful_while_loop = dataclasses.replace(while_loop, name="stateful_while_loop", stateful=True)

for _op in (cond, while_loop, stateful_cond, stateful_while_loop):
    register(_op)

PURE: dict[Op, ControlOp] = {stateful_cond: cond, stateful_while_loop: while_loop}
"""The op to use where nothing within has effects."""


def apply_cond(operands: Sequence[Tensor], branches: tuple[Graph, ...]) -> list[Tensor]:
    """Adds a ``cond`` equation: of the stateful kind if a branch has effects."""
    op = stateful_cond if has_effects(*branches) else cond
    return op.apply(operands, branches=branches)


def apply_loop(
    operands: Sequence[Tensor], test: Graph, body: Graph, state: int, noting: Graph | None = None
) -> list[Tensor]:
    """Adds a ``while_loop`` equation: of the stateful kind if it has effects."""
    op = stateful_while_loop if has_effects(test, body) else while_loop
    return op.apply(operands, test=test, body=body, state=state, noting=noting)
