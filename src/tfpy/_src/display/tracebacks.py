"""Tracebacks in notebooks that show the program's lines without tfpy's frames."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Iterator
from types import TracebackType
from typing import Any

from tfpy._src.base.source_locations import is_library

_MARK = "__tracebackhide__"
"""Local variable with which IPython, pytest and others hide a frame."""


def hide_frames() -> None:
    """Hide the frames of tfpy and Keras in tracebacks of IPython, if it runs; also in Pyodide.

    Exceptions do not change, and `%xmode show` shows all frames. There is no cost until an
    exception is shown.
    """
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    shown = getattr(shell, "InteractiveTB", None)
    if shown is None:
        return
    rendered = shown.structured_traceback

    @functools.wraps(rendered)
    def structured_traceback(
        kind: Any = None, error: Any = None, trace: Any = None, *args: Any, **kwargs: Any
    ) -> Any:
        if getattr(shown, "skip_hidden", False):
            _mark(error)
            trace = _without_end(trace)
        return rendered(kind, error, trace, *args, **kwargs)

    shown.structured_traceback = structured_traceback


def _mark(error: BaseException | None) -> None:
    """Mark the frames of the library in an exception and in its causes."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        for step in _steps(error.__traceback__):
            code = step.tb_frame.f_code
            if is_library(code.co_filename) and code.co_flags & inspect.CO_OPTIMIZED:
                step.tb_frame.f_locals[_MARK] = True
        error = error.__cause__ or error.__context__


def _without_end(trace: TracebackType | None) -> TracebackType | None:
    """Return a traceback that ends with the program's frame. IPython always shows the last one."""
    steps = list(_steps(trace))
    while steps and is_library(steps[-1].tb_frame.f_code.co_filename):
        steps.pop()
    found: TracebackType | None = None
    for step in reversed(steps):
        found = TracebackType(found, step.tb_frame, step.tb_lasti, step.tb_lineno)
    return found or trace


def _steps(trace: TracebackType | None) -> Iterator[TracebackType]:
    while trace is not None:
        yield trace
        trace = trace.tb_next
