"""Tracebacks in notebooks: the program's lines, without tfpy's frames."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Iterator
from types import TracebackType
from typing import Any

from tfpy._src.base.source_locations import is_library

_MARK = "__tracebackhide__"
"""The name of the local variable by which IPython, pytest and others leave out a frame."""


def hide_frames() -> None:
    """Lets IPython, where it runs, leave out the frames of tfpy and Keras; in Pyodide, too.

    Errors are as they were, and ``%xmode show`` shows all of their frames. It costs nothing until
    an error is shown.
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
    """Marks the frames of the library in an error, and in those that it comes of."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        for step in _steps(error.__traceback__):
            code = step.tb_frame.f_code
            if is_library(code.co_filename) and code.co_flags & inspect.CO_OPTIMIZED:
                step.tb_frame.f_locals[_MARK] = True
        error = error.__cause__ or error.__context__


def _without_end(trace: TracebackType | None) -> TracebackType | None:
    """A traceback that ends with the program's frame: IPython shows the last in any case."""
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
