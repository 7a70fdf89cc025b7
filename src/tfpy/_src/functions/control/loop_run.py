"""The execution of a `while_loop` equation."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

from tfpy._src.backends import registry
from tfpy._src.backends.event_loop import give_turn
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.executor.control_op import PartsRunner
from tfpy._src.functions.executor.executable import Executable
from tfpy._src.functions.executor.execution_hints import Usage
from tfpy._src.functions.executor.host_shadow import LoopMirror, Mirror

WATCHER: ContextVar[Callable[[Sequence[Tensor]], Awaitable[bool]] | None] = ContextVar(
    "WATCHER", default=None
)
"""A function that awaited loops call with their state after each iteration, or None.

The loop ends when it returns False. A tensor of the state that it keeps is copied by the next
iteration instead of being overwritten.
"""


class LoopRun(PartsRunner):
    """A loop with compiled test and body. Weights that the loop does not change stay weights.

    On a device, the host computes small values of the test itself; see `host_shadow.py`.
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
        self.body = Executable(body, replace(of(body), carried=carried, spent=True))
        self.state = state
        self.mirror = LoopMirror(test, body, state)

    def __call__(self, *inputs: Tensor) -> list[Tensor]:
        state, fixed = list(inputs[: self.state]), inputs[self.state :]
        for tensor in self._mirrored(inputs):
            tensor.storage.remember(tensor.storage.to_host())
        known = self._known(inputs)
        while self._goes_on([*state, *fixed], known):
            state = self.body.run([*state, *fixed])
            self._advance(state, known)
        return state

    async def run_async(self, *inputs: Tensor) -> list[Tensor]:
        """Run the loop, with turns of the event loop and awaited reads.

        The function in `WATCHER` receives the state after each iteration, and can end the loop.
        """
        watcher = WATCHER.get()
        state, fixed = list(inputs[: self.state]), inputs[self.state :]
        for tensor in self._mirrored(inputs):
            tensor.storage.remember(await tensor.storage.to_host_async())
        known = self._known(inputs)
        while await self._goes_on_async([*state, *fixed], known):
            state = await self.body.run_async([*state, *fixed])
            self._advance(state, known)
            if watcher is not None and not await watcher(state):
                break
            await give_turn()
        return state

    def _mirrored(self, inputs: tuple[Tensor, ...]) -> list[Tensor]:
        """Return the inputs that the host must know; none on backends without a mirror."""
        if registry.active_backend().on_host:
            return []
        return [inputs[p] for p in self.mirror.needed]

    def _known(self, inputs: tuple[Tensor, ...]) -> dict[int, Any] | None:
        """Return the mirror's initial arrays by position; None on backends without a mirror."""
        if registry.active_backend().on_host:
            return None
        return {p: inputs[p].host_view() for p in self.mirror.needed}

    def _goes_on(self, inputs: list[Tensor], known: dict[int, Any] | None) -> bool:
        if known and self.mirror.test is not None:
            return self._mirrored_test(self.mirror.test, known)
        (go_on,) = self.test.run(inputs)
        return bool(go_on.host_view())

    async def _goes_on_async(self, inputs: list[Tensor], known: dict[int, Any] | None) -> bool:
        if known and self.mirror.test is not None:
            return self._mirrored_test(self.mirror.test, known)
        (go_on,) = await self.test.run_async(inputs)
        return bool(await go_on.storage.to_host_async())

    def _mirrored_test(self, test: Mirror, known: dict[int, Any]) -> bool:
        places = self.test.graph.inputs
        (holds,) = test.compute({v: known[places.index(v)] for v in test.inputs})
        return bool(holds)

    def _advance(self, state: list[Tensor], known: dict[int, Any] | None) -> None:
        """Compute the next iteration's mirrored state, and attach it to the state's tensors."""
        if known is None:
            return
        step = self.mirror.step
        places = self.body.graph.inputs
        arrays = step.compute({v: known[places.index(v)] for v in step.inputs})
        for p, array in zip(self.mirror.state, arrays, strict=True):
            known[p] = array
            state[p].storage.remember(array)
