"""The lines of a program on which ops stand, so that errors of compiled functions can name them."""

from __future__ import annotations

import linecache
import sys
import threading
from pathlib import Path
from types import CodeType, FrameType
from typing import NamedTuple

_PACKAGE = str(Path(__file__).parents[2])
_KERAS = str(Path("keras", "src"))
_AUTOGRAPH = "ag__"
"""How the names of functions begin that AutoGraph makes of parts of the program's."""


class Line(NamedTuple):
    """A place in code; its number and text are looked up when somebody reads them."""

    code: CodeType
    at: int
    """Offset of the instruction that was executed."""

    @property
    def number(self) -> int:
        """The number of the line in its file."""
        for start, end, number in self.code.co_lines():
            if start <= self.at < end and number is not None:
                return number
        return self.code.co_firstlineno

    @property
    def text(self) -> str:
        """What it says, if that can be found."""
        return linecache.getline(self.code.co_filename, self.number).strip()

    @property
    def short(self) -> str:
        """File and number."""
        return f"{self.code.co_filename}:{self.number}"

    def __str__(self) -> str:
        """As in a traceback."""
        name = self.code.co_name
        within = "" if name.startswith(_AUTOGRAPH) else f", in {name}"
        place = f'  File "{self.code.co_filename}", line {self.number}{within}'
        return f"{place}\n    {self.text}" if self.text else place


class _Settings:
    collected = True


class _Local(threading.local):
    def __init__(self) -> None:
        self.running: Line | None = None
        """Where ops stand that the program does not call there: those of equations that are run
        one by one, and of gradients."""


local = _Local()


_libraries: dict[str, bool] = {}  # by file, whether it is tfpy's or Keras's


def collect(wanted: bool) -> None:
    """Whether traces note the lines of their equations."""
    _Settings.collected = wanted


def here() -> Line | None:
    """Where an op stands that is called now; None if nobody wants to know."""
    return local.running or (caller() if _Settings.collected else None)


def caller() -> Line | None:
    """The line of the program that led here, past the frames of tfpy and of Keras."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        known = _libraries.get(code.co_filename)
        if not (is_library(code.co_filename) if known is None else known):
            return Line(code, frame.f_lasti)
        frame = frame.f_back
    return None


def calling_line() -> str:
    """Where an op stands that is called now, as ``file:number: text``."""
    line = local.running or caller()
    return "?" if line is None else f"{line.short}: {line.text or '?'}"


def is_library(filename: str) -> bool:
    """Whether a file is tfpy's or Keras's."""
    found = filename.startswith(_PACKAGE) or _KERAS in filename
    _libraries[filename] = found
    return found


def add_note(error: Exception, line: Line | None) -> None:
    """Says in an error's traceback on which line of the program the op stands that raised it.

    Where control flow nests, it is the innermost op's.
    """
    if line is not None and not is_said(error):
        error.add_note(f"The op stands in a compiled function, at\n{line}")
        say(error)


def say(error: Exception) -> None:
    """Notes that an error says which line it is about."""
    vars(error)[_SAYS] = True


def is_said(error: Exception) -> bool:
    """Whether it does."""
    return _SAYS in vars(error)


_SAYS = "_says_line"
