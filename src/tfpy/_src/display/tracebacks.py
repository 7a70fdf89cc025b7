"""Tracebacks that show the program's lines without the frames of tfpy and Keras."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Iterator
from types import TracebackType
from typing import Any

from tfpy._src.base.flags.environment import env
from tfpy._src.base.source_locations import is_library, is_tfpy

_MARK = "__tracebackhide__"
"""Local variable with which IPython, pytest and others hide a frame."""
_FLAG = "TFPY_FULL_TRACEBACKS"


def hide_frames() -> None:
    """Hide the frames of tfpy and Keras in tracebacks of IPython and of Python itself.

    Exceptions do not change, and there is no cost until one is shown. The flag
    `TFPY_FULL_TRACEBACKS` shows all frames, and so does `%xmode show` in IPython. Another
    `sys.excepthook` is kept.
    """
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    shown = getattr(shell, "InteractiveTB", None)
    if shown is not None:
        _hide_in_ipython(shown)
    elif sys.excepthook is sys.__excepthook__:
        sys.excepthook = _print


def hide_in_pytest(error: BaseException) -> None:
    """Hide the frames of tfpy and Keras in pytest's report of an error that passed through tfpy.

    pytest loads the plugin for every project, and Keras's frames belong to the reports of projects
    that use Keras without tfpy. The option `--full-trace` and the flag `TFPY_FULL_TRACEBACKS` show
    all frames.
    """
    if not env().get(_FLAG) and _passed_through_tfpy(error):
        _mark(error)


def _passed_through_tfpy(error: BaseException) -> bool:
    """Return True if tfpy has frames in the traceback of an exception or of its causes."""
    steps = (step for one in _chain(error) for step in _steps(one.__traceback__))
    return any(is_tfpy(step.tb_frame.f_code.co_filename) for step in steps)


def _hide_in_ipython(shown: Any) -> None:
    rendered = shown.structured_traceback

    @functools.wraps(rendered)
    def structured_traceback(
        kind: Any = None, error: Any = None, trace: Any = None, *args: Any, **kwargs: Any
    ) -> Any:
        if getattr(shown, "skip_hidden", False) and not env().get(_FLAG):
            _mark(error)
            trace = _without_end(trace)
        return rendered(kind, error, trace, *args, **kwargs)

    shown.structured_traceback = structured_traceback


def _print(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print an uncaught exception without the library's frames, as `sys.excepthook` does."""
    kept = [] if env().get(_FLAG) else [(e, e.__traceback__) for e in _chain(error)]
    try:
        for one, all_frames in kept:
            one.__traceback__ = _of_program(all_frames)
        sys.__excepthook__(kind, error, trace if not kept else error.__traceback__)
    finally:
        for one, all_frames in kept:
            one.__traceback__ = all_frames


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an exception and its causes."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _of_program(trace: TracebackType | None) -> TracebackType | None:
    """Return a traceback without the library's frames; all frames if there are no others."""
    kept = [s for s in _steps(trace) if not is_library(s.tb_frame.f_code.co_filename)]
    return _joined(kept) or trace


def _mark(error: BaseException | None) -> None:
    """Mark the frames of the library in an exception and in its causes."""
    for one in _chain(error):
        for step in _steps(one.__traceback__):
            code = step.tb_frame.f_code
            if is_library(code.co_filename) and code.co_flags & inspect.CO_OPTIMIZED:
                step.tb_frame.f_locals[_MARK] = True


def _without_end(trace: TracebackType | None) -> TracebackType | None:
    """Return a traceback that ends with the program's frame. IPython always shows the last one."""
    steps = list(_steps(trace))
    while steps and is_library(steps[-1].tb_frame.f_code.co_filename):
        steps.pop()
    return _joined(steps) or trace


def _joined(steps: list[TracebackType]) -> TracebackType | None:
    """Return a traceback of these frames, or None if there are none."""
    found: TracebackType | None = None
    for step in reversed(steps):
        found = TracebackType(found, step.tb_frame, step.tb_lasti, step.tb_lineno)
    return found


def _steps(trace: TracebackType | None) -> Iterator[TracebackType]:
    while trace is not None:
        yield trace
        trace = trace.tb_next
