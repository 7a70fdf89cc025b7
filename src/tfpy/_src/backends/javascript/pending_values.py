"""Values from JavaScript that tasks of Python wait for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import Context
from typing import Any

Callback = Callable[[Any], object]


class Arrival(asyncio.Future[None]):
    """A future whose waiting task continues inside of `arrive`.

    The task of an ordinary future continues in the next turn of the event loop. In a page this is
    0.1 ms later, as long as a small kernel and its read take.
    """

    def __init__(self) -> None:
        super().__init__()
        self._waiting: list[tuple[Callback, Context | None]] = []

    def add_done_callback(self, fn: Callback, /, *, context: Context | None = None) -> None:
        if self.done():
            super().add_done_callback(fn, context=context)
        else:
            self._waiting.append((fn, context))

    def remove_done_callback(self, fn: Callback, /) -> int:
        before = len(self._waiting)
        self._waiting = [entry for entry in self._waiting if entry[0] != fn]
        return before - len(self._waiting)

    def cancel(self, msg: Any | None = None) -> bool:
        cancelled = super().cancel(msg)
        self._hand_on()
        return cancelled

    def set_exception(self, exception: type[BaseException] | BaseException, /) -> None:
        super().set_exception(exception)
        self._hand_on()

    def arrive(self, error: Exception | None) -> None:
        """Set the result or error. Nothing happens if no one waits any more."""
        if self.done():
            return
        if error is None:
            self.set_result(None)
        else:
            super().set_exception(error)
        if asyncio.current_task(self.get_loop()) is None:
            self._go_on()
        else:  # Python is suspended within a task
            self._hand_on()

    def _go_on(self) -> None:
        for fn, context in self._take():
            if context is None:
                fn(self)
            else:
                context.run(fn, self)

    def _hand_on(self) -> None:
        """Leave the callbacks to the event loop."""
        for fn, context in self._take():
            super().add_done_callback(fn, context=context)

    def _take(self) -> list[tuple[Callback, Context | None]]:
        waiting, self._waiting = self._waiting, []
        return waiting
