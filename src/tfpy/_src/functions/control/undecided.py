"""States of a loop that may be its last, while later iterations already run."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence, Set
from time import perf_counter
from typing import NamedTuple

from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.tensor import Tensor

AHEAD_SECONDS = 0.02
"""Duration of the iterations that may run before the device answers whether the loop continues.

Answers arrive a few milliseconds after their iteration. If the loop ends, the later iterations are
superfluous, so longer ones do not run ahead.
"""
_MOST_AHEAD = 4


class Question(NamedTuple):
    """A tensor that decides whether a loop continues."""

    tensor: Tensor
    decide: Callable[[Array], bool]
    """A function of the tensor's values, which returns True if the loop continues."""


class _Waiting(NamedTuple):
    """A state, with the values that decide whether it is the last one."""

    reads: list[asyncio.Task[Array]]
    decisions: list[Callable[[Array], bool]]
    results: list[Tensor | None]


class Undecided:
    """The states of a loop in their order, with the questions that decide whether it continues.

    Args:
        unread: Positions of tensors that are not results of the loop. They are not kept, so that
            the next iteration can overwrite them.
    """

    def __init__(self, unread: Set[int]) -> None:
        self._unread = unread
        self._waiting: deque[_Waiting] = deque()
        self._most = 0
        """Number of states that may wait; none until the duration of an iteration is known."""
        self._last = perf_counter()
        """Time of the last decision."""

    async def add(self, questions: Sequence[Question], state: list[Tensor]) -> None:
        """Add a state, and begin to read its questions before any later run.

        Args:
            questions: The questions, in the order in which they are decided.
            state: The tensors of the state.
        """
        reads = [asyncio.ensure_future(q.tensor.storage.to_host_async()) for q in questions]
        results = [None if p in self._unread else t for p, t in enumerate(state)]
        self._waiting.append(_Waiting(reads, [q.decide for q in questions], results))
        await asyncio.sleep(0)

    async def first_end(self, of_all: bool) -> list[Tensor | None] | None:
        """Decide the oldest questions.

        Args:
            of_all: If False, some states may remain, so that an iteration can begin.

        Returns:
            The first state after which the loop ends, with None for tensors that are not results;
            None if there is no such state.
        """
        while len(self._waiting) > (0 if of_all else self._most):
            reads, decisions, results = self._waiting.popleft()
            for read, decide in zip(reads, decisions, strict=True):
                if not decide(await read):
                    return results
            now = perf_counter()
            self._most = min(int(AHEAD_SECONDS / max(now - self._last, 1e-6)), _MOST_AHEAD)
            self._last = now
        return None

    def close(self) -> None:
        """Cancel the remaining reads."""
        for waiting in self._waiting:
            for read in waiting.reads:
                read.cancel()
