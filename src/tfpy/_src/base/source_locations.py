"""Source lines of ops, for the errors of compiled functions."""

from __future__ import annotations

import importlib
import linecache
import sys
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import NamedTuple

_PACKAGE = str(Path(__file__).parents[2])
_KERAS = str(Path("keras", "src"))
_IMPORTLIB = ("<frozen importlib", importlib.__file__)
"""Beginnings of the names of the files that run imports."""
_EXECUTOR = "apply"
"""Name of the function of `core.eager` that runs an op. Its callers can be public functions."""
_AUTOGRAPH = "ag__"
"""Prefix of the names of functions that AutoGraph generates."""


class Line(NamedTuple):
    """A location in code. Its number and text are computed when they are requested."""

    code: CodeType
    at: int
    """Offset of the executed instruction."""

    @property
    def number(self) -> int:
        """Line number in the file."""
        for start, end, number in self.code.co_lines():
            if start <= self.at < end and number is not None:
                return number
        return self.code.co_firstlineno

    @property
    def text(self) -> str:
        """Source text of the line, or an empty string."""
        return linecache.getline(self.code.co_filename, self.number).strip()

    @property
    def short(self) -> str:
        """File and line number."""
        return f"{self.code.co_filename}:{self.number}"

    def __str__(self) -> str:
        """Format the location as in a traceback."""
        name = self.code.co_name
        within = "" if name.startswith(_AUTOGRAPH) else f", in {name}"
        place = f'  File "{self.code.co_filename}", line {self.number}{within}'
        return f"{place}\n    {self.text}" if self.text else place


class _Settings:
    collected = True


class _Local(threading.local):
    def __init__(self) -> None:
        self.running: Line | None = None
        """Line of the equation or gradient that runs, in place of the line that calls it."""


local = _Local()


_libraries: dict[str, bool] = {}  # file name -> result of is_library


def collect(wanted: bool) -> None:
    """Set if traces record the lines of their equations."""
    _Settings.collected = wanted


def here() -> Line | None:
    """Return the line of the op that is called now; None if lines are not collected."""
    return local.running or (caller() if _Settings.collected else None)


def caller() -> Line | None:
    """Return the line of the user program, past the frames of tfpy and Keras."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        known = _libraries.get(code.co_filename)
        if not (is_library(code.co_filename) if known is None else known):
            return Line(code, frame.f_lasti)
        frame = frame.f_back
    return None


def outside_of_tfpy() -> Line | None:
    """Return the line of the program or of Keras that called tfpy."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and is_tfpy(frame.f_code.co_filename):
        frame = frame.f_back
    return None if frame is None else Line(frame.f_code, frame.f_lasti)


def lines_of(error: BaseException) -> Iterator[Line]:
    """Yield the lines in the traceback of an error."""
    trace = error.__traceback__
    while trace is not None:
        yield Line(trace.tb_frame.f_code, trace.tb_lasti)
        trace = trace.tb_next


def called_function() -> str | None:
    """Return the name of the tfpy function that the user program or Keras has called.

    Return None if the program has not called a function, for example if it has used an operator,
    or if a compiled function is running.
    """
    frame: FrameType | None = sys._getframe(1)
    found = None
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        name = frame.f_code.co_qualname
        if name == _EXECUTOR:
            found = None
        elif "<locals>" not in name and not name.rpartition(".")[2].startswith("_"):
            found = name
        frame = frame.f_back
    return None if local.running else found


def warn(text: str, category: type[Warning] = RuntimeWarning) -> None:
    """Issue a warning that names the line of the user program."""
    line = caller()
    if line is None:
        warnings.warn(text, category, stacklevel=2)
    else:
        warnings.warn_explicit(text, category, line.code.co_filename, line.number)


def calling_line() -> str:
    """Return the line of the op that is called now as `file:number: text`."""
    line = local.running or caller()
    return "?" if line is None else f"{line.short}: {line.text or '?'}"


def is_tfpy(filename: str) -> bool:
    """Return True if a file belongs to tfpy."""
    return filename.startswith(_PACKAGE)


def is_library(filename: str) -> bool:
    """Return True if a file belongs to tfpy or Keras, or runs imports."""
    found = is_tfpy(filename) or filename.startswith(_IMPORTLIB) or _KERAS in filename
    _libraries[filename] = found
    return found


def add_note(error: Exception, line: Line | None) -> None:
    """Add the program line of the failing op to an error's traceback.

    In nested control flow it is the line of the innermost op.
    """
    if line is not None and not is_said(error):
        error.add_note(f"The op is in a compiled function, at\n{line}")
        say(error)


def say(error: Exception) -> None:
    """Record that an error names its line."""
    vars(error)[_SAYS] = True


def is_said(error: Exception) -> bool:
    """Return True if an error names its line."""
    return _SAYS in vars(error)


_SAYS = "_says_line"
