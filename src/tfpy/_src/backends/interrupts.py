"""Interrupts wait while slots change hands.

Python handles an interrupt (a notebook's Stop) soon after a call of JavaScript returns: before what
a run gave has an owner, and before Variables have it in place of values that it was written over.
What belongs together stands in ``with held:``; an interrupt that comes meanwhile is raised at its
end. Where a part of it may take long, and nothing is in between, it stands in ``with let_in():``.

What a finalizer raises is lost, and the slot that it was to give back with it. So an interrupt that
comes in one is raised where the program goes on.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

Handler = Callable[[int, FrameType | None], Any]


class _Held:
    """How many sections are open, and whether an interrupt waits for their end."""

    __slots__ = ("depth", "handler", "waits")

    def __init__(self) -> None:
        self.depth = 0
        self.waits = False
        self.handler: Handler = signal.default_int_handler

    def __enter__(self) -> None:
        self.depth += 1

    def __exit__(self, *_: object) -> None:
        self.depth -= 1
        if self.waits:
            self.deliver()

    def deliver(self) -> None:
        """What would have happened when the interrupt came, if no section is open."""
        if not self.depth:
            self.waits = False
            self.handler(signal.SIGINT, None)


held = _Held()


@contextmanager
def let_in() -> Iterator[None]:
    """Within a section, a part that interrupts may end."""
    depth = held.depth
    held.depth -= depth  # other threads open and close sections meanwhile
    try:
        if held.waits:
            held.deliver()
        yield
    finally:
        held.depth += depth


def install() -> None:
    """Lets interrupts wait in this program, before its own handler of them, if it has one."""
    found = signal.getsignal(signal.SIGINT)
    if callable(found) and found is not _on_interrupt:
        held.handler = found
        signal.signal(signal.SIGINT, _on_interrupt)


def _on_interrupt(number: int, frame: FrameType | None) -> None:
    if held.depth:
        held.waits = True
    elif (outside := _outside(frame)) is frame:
        held.handler(number, frame)
    elif outside is not None:
        outside.f_trace = _gone_on
        sys.settrace(_gone_on)


def _outside(frame: FrameType | None) -> FrameType | None:
    """The frame that a finalizer has come between, if this is part of one; else this one."""
    outside = at = frame
    while at is not None:
        if at.f_code.co_name == "__del__" or at.f_globals.get("__name__") == "weakref":
            outside = at.f_back
        at = at.f_back
    return outside


def _gone_on(frame: FrameType, event: str, _: Any) -> Any:
    """Hears of the next line of a frame, or of its end."""
    if event == "call":
        return None  # of another one, which begins meanwhile
    sys.settrace(None)
    frame.f_trace = None
    _on_interrupt(signal.SIGINT, frame)
    return None
