"""Errors for ops that cannot be exported, with the op and its line in the program."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from tfpy._src.base import tracing
from tfpy._src.base.errors import UnimplementedError

_PACKAGE = str(Path(__file__).parents[3])


class NotExportable(Exception):
    """An error for an op that needs Python. It does not contain the op's line yet."""

    def __init__(self, op: str, why: str) -> None:
        super().__init__(why)
        self.op, self.why = op, why


def refusal(
    function: str, cause: NotExportable, retrace: Callable[[], object]
) -> UnimplementedError:
    """Return the error for the user.

    Args:
        function: Name of the function.
        cause: Error that names the op.
        retrace: Function that traces the exported function again, to find the line.
    """
    where = _line_of(cause.op, retrace)
    text = f"tf.export: '{function}' cannot be exported: {cause.op}{where}: {cause.why}"
    return UnimplementedError(None, cause.op, text)


def _line_of(op: str, retrace: Callable[[], object]) -> str:
    """Return `" at file:line"` of the first call that adds an equation of this op."""
    found: list[str] = []

    def note(name: str) -> None:
        if name == op and not found:
            found.append(_caller())

    tracing.local.notes = note
    try:
        retrace()
    finally:
        tracing.local.notes = None
    return f" at {found[0]}" if found and found[0] else ""


def _caller() -> str:
    """Return the innermost line outside of tfpy, if possible outside of installed packages."""
    frame: FrameType | None = sys._getframe(2)
    library = ""
    while frame is not None:
        name = frame.f_code.co_filename
        place = f"{name}:{frame.f_lineno}"
        if not name.startswith((_PACKAGE, "<")):
            if "site-packages" not in name:
                return place
            library = library or place
        frame = frame.f_back
    return library
