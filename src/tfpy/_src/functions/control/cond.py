"""The op `cond`: its evaluation and its gradient."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from typing import Any

from tfpy._src.compiler.ir.aval import Array, Aval, merged
from tfpy._src.compiler.ir.evaluate import evaluate
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.ir.op import register
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.control.derivative import derivative
from tfpy._src.functions.control.equations import apply_cond, avals_of, closed_avals_of
from tfpy._src.functions.executor.control_op import (
    ControlOp,
    PartsRunner,
    carries_gradient,
    scattered,
)
from tfpy._src.functions.executor.executable import Executable
from tfpy._src.functions.executor.execution_hints import Usage


def _cond_infer(index: Aval, *avals: Aval, branches: tuple[Graph, ...]) -> tuple[Aval, ...]:
    results = {closed_avals_of(b, b.outputs) for b in branches}
    given = tuple(aval.closed for aval in avals)
    if len(results) != 1 or any(closed_avals_of(b, b.inputs) != given for b in branches):
        raise ValueError("cond: the branches have different inputs or outputs")
    columns = zip(*(avals_of(b, b.outputs) for b in branches), strict=True)
    return tuple(itertools.starmap(merged, columns))


def chosen(index: Any, branches: Sequence[Any]) -> Any:
    """Return the branch with a number, or for a bool from the pair (false, true)."""
    at = int(index)
    return branches[at if 0 <= at < len(branches) else -1]


def _cond_ref(index: Array, *arrays: Array, branches: tuple[Graph, ...]) -> tuple[Array, ...]:
    return tuple(evaluate(chosen(index, branches), arrays))


class CondRun(PartsRunner):
    """A conditional with compiled branches."""

    def __init__(self, usage: Usage, eqn: Eqn, branches: tuple[Graph, ...]) -> None:
        self.branches = [Executable(b, usage.within(b, eqn.inputs[1:])) for b in branches]

    def __call__(self, *tensors: Tensor) -> list[Tensor]:
        branch: Executable = chosen(tensors[0].host_view(), self.branches)
        return branch.run(tensors[1:])

    async def run_async(self, *tensors: Tensor) -> list[Tensor]:
        index = await tensors[0].storage.to_host_async()
        branch: Executable = chosen(index.item(), self.branches)
        return await branch.run_async(tensors[1:])


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


cond = register(
    ControlOp(
        "cond",
        "control",
        _cond_infer,
        _cond_ref,
        multiple=True,
        prepare=CondRun,
        gradient=_cond_gradient,
        host_operands=lambda **_: (0,),
        doc="cond(index, *inputs, branches): the outputs of the branch with number `index`.",
    )
)
stateful_cond = register(dataclasses.replace(cond, name="stateful_cond", stateful=True, pure=cond))
