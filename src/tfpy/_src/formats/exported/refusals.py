"""What cannot be exported, said with the op and the line that asked for it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from tfpy._src.base import tracing
from tfpy._src.base.errors import UnimplementedError

_PACKAGE = str(Path(__file__).parents[3])


class NotExportable(Exception):
    """An op that a page without Python cannot compute; the line is not known yet."""

    def __init__(self, op: str, why: str) -> None:
        super().__init__(why)
        self.op, self.why = op, why


def refusal(
    function: str, cause: NotExportable, retrace: Callable[[], object]
) -> UnimplementedError:
    """The error for the user.

    Args:
        retrace: traces the function once more.
    """
    where = _line_of(cause.op, retrace)
    text = f"tf.export: '{function}' cannot be exported: {cause.op}{where}: {cause.why}"
    return UnimplementedError(None, cause.op, text)


def _line_of(op: str, retrace: Callable[[], object]) -> str:
    """`` at file:line`` of the first call that leaves an equation of this op."""
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
    """The innermost line of the user's; of a library's, if there is none."""
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
