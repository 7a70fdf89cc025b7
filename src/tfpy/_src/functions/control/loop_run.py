"""The execution of a `while_loop` equation."""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, Protocol

from tfpy._src.backends import registry
from tfpy._src.backends.abilities import AsyncReads
from tfpy._src.backends.event_loop import give_turn
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.control.undecided import Question, Undecided
from tfpy._src.functions.executor.control_op import PartsRunner
from tfpy._src.functions.executor.executable import Executable
from tfpy._src.functions.executor.execution_hints import Usage
from tfpy._src.functions.executor.host_shadow import LoopMirror


class Watcher(Protocol):
    """An observer of a loop, which can end it.

    Devices run a few further iterations before they have answered. The tensor that the observer
    chooses is copied by the next iteration instead of being overwritten.
    """

    def choose(self, state: Sequence[Tensor]) -> Tensor | None:
        """Return the tensor of the state to read after an iteration, or None."""

    def see(self, values: Array) -> bool:
        """Receive the values of the tensor, in the order of the iterations.

        Returns:
            False to end the loop with the state of this iteration.
        """


WATCHER: ContextVar[Watcher | None] = ContextVar("WATCHER", default=None)
"""The observer of awaited loops, or None."""

_MOST_BYTES = 2**20
"""Maximum size of the results that a loop which runs ahead copies in each iteration."""


class LoopRun(PartsRunner):
    """A loop with compiled test and body. Weights that the loop does not change stay weights.

    On a device, the host computes small values of the test itself; see `host_shadow.py`.
    """

    def __init__(self, usage: Usage, eqn: Eqn, test: Graph, body: Graph, state: int) -> None:
        changing = [p for p in range(state) if body.outputs[p] != body.inputs[p]]

        def of(part: Graph) -> Usage:
            inside = usage.within(part, eqn.inputs)
            return replace(inside, weights=inside.weights - {part.inputs[p] for p in changing})

        self.test = Executable(test, of(test))
        carried = {value: p for p, value in enumerate(body.inputs[:state])}
        self.body = Executable(body, replace(of(body), carried=carried, spent=True))
        self.state = state
        self.mirror = LoopMirror(test, body, state)
        self.unread = {p for p, v in enumerate(eqn.outputs) if v in usage.unread}
        """Positions of the state's tensors that nothing reads after the loop."""
        results = (p for p in range(state) if p not in self.unread)
        is_small = sum(body.avals[body.outputs[p]].nbytes for p in results) <= _MOST_BYTES
        is_pure = not any(inner.op.stateful for inner in (*test.eqns, *body.eqns))
        self.can_run_ahead = is_small and is_pure
        """True if a superfluous iteration has no effect, and the results are small."""

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

        The observer in `WATCHER` receives a tensor of each iteration, and can end the loop.
        """
        watcher = WATCHER.get()
        state, fixed = list(inputs[: self.state]), inputs[self.state :]
        for tensor in self._mirrored(inputs):
            tensor.storage.remember(await tensor.storage.to_host_async())
        known = self._known(inputs)
        backend = registry.active_backend()
        waits = isinstance(backend, AsyncReads) and backend.answers_late
        run = self._run_ahead if waits and self.can_run_ahead else self._run_in_turn
        running = run(state, fixed, known, watcher)
        del inputs, state  # the first iteration may overwrite the initial state
        return await running

    async def _run_in_turn(
        self,
        state: list[Tensor],
        fixed: Sequence[Tensor],
        known: dict[int, Any] | None,
        watcher: Watcher | None,
    ) -> list[Tensor]:
        """Run the loop, and begin an iteration when it is known to be needed."""
        while await self._goes_on_async([*state, *fixed], known):
            state = await self.body.run_async([*state, *fixed])
            self._advance(state, known)
            for question in _questions(watcher, state):
                if not question.decide(await question.tensor.storage.to_host_async()):
                    return state
            await give_turn()
        return state

    async def _run_ahead(
        self,
        state: list[Tensor],
        fixed: Sequence[Tensor],
        known: dict[int, Any] | None,
        watcher: Watcher | None,
    ) -> list[Tensor]:
        """Run the loop, and begin iterations before the last ones are known to be needed."""
        undecided = Undecided(self.unread)
        questions: list[Question] = []
        try:
            while True:
                mirrored = self._mirror_goes_on(known)
                if mirrored is None:
                    (goes_on,) = await self.test.run_async([*state, *fixed])
                    questions.append(Question(goes_on, bool))
                if questions:
                    await undecided.add(questions, state)
                last = await undecided.first_end(of_all=mirrored is False)
                if last is not None:
                    return [now if t is None else t for t, now in zip(last, state, strict=True)]
                if mirrored is False:
                    return state
                state = await self.body.run_async([*state, *fixed])
                self._advance(state, known)
                questions = _questions(watcher, state)
                await give_turn()
        finally:
            undecided.close()

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
        mirrored = self._mirror_goes_on(known)
        if mirrored is not None:
            return mirrored
        (goes_on,) = self.test.run(inputs)
        return bool(goes_on.host_view())

    async def _goes_on_async(self, inputs: list[Tensor], known: dict[int, Any] | None) -> bool:
        mirrored = self._mirror_goes_on(known)
        if mirrored is not None:
            return mirrored
        (goes_on,) = await self.test.run_async(inputs)
        return bool(await goes_on.storage.to_host_async())

    def _mirror_goes_on(self, known: dict[int, Any] | None) -> bool | None:
        """Return the result of the test if the host computes it, and None otherwise."""
        test = self.mirror.test
        if not known or test is None:
            return None
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


def _questions(watcher: Watcher | None, state: Sequence[Tensor]) -> list[Question]:
    """Return what an observer asks after an iteration."""
    tensor = None if watcher is None else watcher.choose(state)
    return [] if watcher is None or tensor is None else [Question(tensor, watcher.see)]
