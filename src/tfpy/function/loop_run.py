"""Runs a ``while_loop`` equation."""

from __future__ import annotations

from tfpy.function.executable import Executable
from tfpy.ir.graph import Graph
from tfpy.tensor import Tensor


class LoopRun:
    """One loop: its test and its body, compiled."""

    def __init__(self, test: Graph, body: Graph, state: int) -> None:
        self._test = Executable(test)
        self._body = Executable(body)
        self._state = state

    def __call__(self, *inputs: Tensor) -> list[Tensor]:
        """The state after the last iteration."""
        state, fixed = list(inputs[: self._state]), inputs[self._state :]
        while True:
            (go_on,) = self._test.run([*state, *fixed])
            if not go_on.host_view():
                return state
            state = self._body.run([*state, *fixed])
