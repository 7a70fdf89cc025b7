"""Runs a ``while_loop`` equation."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from tfpy.function.executable import executable
from tfpy.ir.graph import Graph
from tfpy.tensor import Tensor


class LoopRun:
    """One loop: its test and its body, compiled."""

    def __init__(self, test: Graph, body: Graph, state: int) -> None:
        self._test = executable(test)
        self._body = executable(body)
        self._state = state

    def run(self, inputs: Sequence[Tensor]) -> list[Tensor]:
        """The state after the last iteration."""
        state, fixed = list(inputs[: self._state]), inputs[self._state :]
        while True:
            (go_on,) = self._test.run([*state, *fixed])
            if not go_on.host_view():
                return state
            state = self._body.run([*state, *fixed])


@lru_cache(maxsize=1024)
def loop_run(test: Graph, body: Graph, state: int) -> LoopRun:
    """The compiled loop."""
    return LoopRun(test, body, state)
