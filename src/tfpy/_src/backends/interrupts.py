"""Delay of interrupts while slots change hands.

Python handles an interrupt (e.g. a notebook's Stop) soon after a call of JavaScript returns. At
this time the results of a run may have no owner, and Variables may still hold donated values. Code
that must not be interrupted runs in `with held:`; an interrupt is then raised at the end of the
section. A part of the section that may take long, with consistent state, runs in `with let_in():`.

Exceptions in finalizers are lost, and with them the slot to free. An interrupt in a finalizer is
therefore raised where the program continues, or after the next section if JavaScript has run the
finalizer.
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
    """The number of open sections, and whether an interrupt is pending."""

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
        """Handle a pending interrupt if no section is open."""
        if not self.depth:
            self.waits = False
            self.handler(signal.SIGINT, sys._getframe())


held = _Held()


@contextmanager
def let_in() -> Iterator[None]:
    """Permit interrupts in a part of a section."""
    depth = held.depth
    held.depth -= depth  # other threads may open and close sections during this time
    try:
        if held.waits:
            held.deliver()
        yield
    finally:
        held.depth += depth


def install() -> None:
    """Delay interrupts in this program, in front of its own handler if it has one."""
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
    else:
        held.waits = True  # JavaScript runs the finalizer, so that no program code follows


def _outside(frame: FrameType | None) -> FrameType | None:
    """Return the frame that a finalizer interrupts, or the frame itself outside of finalizers."""
    outside = at = frame
    while at is not None:
        if at.f_code.co_name == "__del__" or at.f_globals.get("__name__") == "weakref":
            outside = at.f_back
        at = at.f_back
    return outside


def _gone_on(frame: FrameType, event: str, _: Any) -> Any:
    """Trace the next line of a frame, or its end."""
    if event == "call":
        return None  # another frame begins
    sys.settrace(None)
    frame.f_trace = None
    _on_interrupt(signal.SIGINT, frame)
    return None
