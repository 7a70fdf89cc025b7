"""The op `custom_gradient`, which represents custom gradients and `tf.stop_gradient` in Graphs.

Parts of control flow are differentiated equation by equation. This equation returns its first
inputs unchanged, and its gradient is a separate Graph. Passes remove it before a Graph is compiled.
"""

from __future__ import annotations

from collections.abc import Sequence

from tfpy._src.compiler.ir.aval import Array, Aval
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.compiler.ir.op import GRADIENT, register
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.control.derivative import applied, zero
from tfpy._src.functions.executor.control_op import ControlOp, scattered

Backward = Graph | Exception | None
"""A Graph from output gradients and captured values to input gradients. An exception if tracing
that Graph failed; None if no gradient flows."""


def _infer(
    *avals: Aval, count: int, given: int, backward: Backward, wanted: tuple[int, ...]
) -> tuple[Aval, ...]:
    return avals[:count]


def _ref(
    *arrays: Array, count: int, given: int, backward: Backward, wanted: tuple[int, ...]
) -> tuple[Array, ...]:
    return arrays[:count]


def _execute(
    *tensors: Tensor, count: int, given: int, backward: Backward, wanted: tuple[int, ...]
) -> Sequence[Tensor]:
    return tensors[:count]


def _gradient(
    flowing: Sequence[Tensor | None],
    outputs: Sequence[Tensor],
    inputs: Sequence[Tensor],
    count: int,
    given: int,
    backward: Backward,
    wanted: tuple[int, ...],
) -> Sequence[Tensor | None]:
    if isinstance(backward, Exception):
        raise backward
    if backward is None:
        return [None] * len(inputs)
    pairs = zip(flowing, outputs, strict=True)
    seeds = [zero(y.aval) if g is None else g for g, y in pairs if y.dtype.is_differentiable]
    found = applied(backward, [*seeds, *inputs[count + given :]])
    return scattered(len(inputs), [count + i for i in wanted], found)


custom_gradient = register(
    ControlOp(
        "custom_gradient",
        "control",
        _infer,
        _ref,
        multiple=True,
        execute=_execute,
        gradient=_gradient,
        annotates=GRADIENT,
        doc="""custom_gradient(*results, *inputs, *captured, …): the first `count` inputs.

    The Graph `backward` computes the gradients of the `wanted` ones among the `given` inputs.
    """,
    )
)
