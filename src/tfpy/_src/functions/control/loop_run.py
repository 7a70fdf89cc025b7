"""Runs a ``while_loop`` equation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tfpy._src.backends import registry
from tfpy._src.backends.event_loop import give_turn
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.executor.control_op import PartsRunner
from tfpy._src.functions.executor.executable import Executable
from tfpy._src.functions.executor.execution_hints import Usage
from tfpy._src.functions.executor.host_shadow import LoopMirror


class LoopRun(PartsRunner):
    """One loop: its test and its body, compiled. Weights that it does not change are theirs, too.

    On devices the host computes by itself what it can of the test; see ``host_shadow.py``.
    """

    def __init__(
        self, usage: Usage, operands: Sequence[int], test: Graph, body: Graph, state: int
    ) -> None:
        changing = [p for p in range(state) if body.outputs[p] != body.inputs[p]]

        def of(part: Graph) -> Usage:
            inside = usage.within(part, operands)
            return replace(inside, weights=inside.weights - {part.inputs[p] for p in changing})

        self.test = Executable(test, of(test))
        carried = {value: p for p, value in enumerate(body.inputs[:state])}
        self.body = Executable(body, replace(of(body), carried=carried))
        self.state = state
        self.mirror = LoopMirror(test, body, state)

    def __call__(self, *inputs: Tensor) -> list[Tensor]:
        state, fixed = list(inputs[: self.state]), inputs[self.state :]
        known = self._known(inputs)
        while self._goes_on([*state, *fixed], known):
            state = self.body.run([*state, *fixed])
            self._advance(state, known)
        return state

    async def run_async(self, *inputs: Tensor) -> list[Tensor]:
        state, fixed = list(inputs[: self.state]), inputs[self.state :]
        known = self._known(inputs)
        while self._goes_on([*state, *fixed], known):
            state = await self.body.run_async([*state, *fixed])
            self._advance(state, known)
            await give_turn()
        return state

    def _known(self, inputs: tuple[Tensor, ...]) -> dict[int, Any] | None:
        """The arrays, by position, that the mirror starts from; None where there is no mirror."""
        if registry.active_backend().on_host:
            return None
        for p in self.mirror.needed:
            keep_on_host(inputs[p])
        return {p: inputs[p].host_view() for p in self.mirror.needed}

    def _goes_on(self, inputs: list[Tensor], known: dict[int, Any] | None) -> bool:
        test = self.mirror.test
        if known and test is not None:
            places = self.test.graph.inputs
            (holds,) = test.compute({v: known[places.index(v)] for v in test.inputs})
            return bool(holds)
        (go_on,) = self.test.run(inputs)
        return bool(go_on.host_view())

    def _advance(self, state: list[Tensor], known: dict[int, Any] | None) -> None:
        """The mirrored state of the next iteration, which its tensors then have on the host."""
        if known is None:
            return
        step = self.mirror.step
        places = self.body.graph.inputs
        arrays = step.compute({v: known[places.index(v)] for v in step.inputs})
        for p, array in zip(self.mirror.state, arrays, strict=True):
            known[p] = array
            state[p].storage.remember(array)


def keep_on_host(tensor: Tensor) -> None:
    """Reads a small tensor from the device, once."""
    tensor.storage.remember(tensor.storage.to_host())
