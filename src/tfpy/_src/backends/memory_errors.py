"""Errors for want of memory: what was wanted, which tensors hold the most, and the mend."""

from __future__ import annotations

from tfpy._src.backends.backend import Backend
from tfpy._src.backends.memory_holders import MemoryHolder, largest
from tfpy._src.base.errors import ResourceExhaustedError
from tfpy._src.compiler.ir.aval import Aval

_SHOWN = 3
"""Kinds of tensors that an error names."""

_MEND = "let go of what is not needed any more (del, tf.tidy), or compute it in smaller parts"


def exhausted(op: str | None, message: str) -> ResourceExhaustedError:
    """The error that a message says, with what holds the most, and the mend."""
    return ResourceExhaustedError(None, op, message + _advice())


def advise(error: ResourceExhaustedError) -> None:
    """Adds to an error what holds the most, and the mend."""
    error.message += _advice()
    error.args = (error.message,)


def too_large(op: str, aval: Aval, limit: int, backend: Backend) -> ResourceExhaustedError:
    """The error of an op whose result takes more than a tensor may on a backend."""
    return exhausted(
        op,
        f"{op}: the result, {aval}, takes {aval.nbytes} bytes; on {backend.name} a tensor may "
        f"take {limit}, and {backend.memory()['bytes']} are in use",
    )


def _advice() -> str:
    texts = [_in_words(holder) for holder in largest(_SHOWN)]
    held = f"; tensors hold the most as {', '.join(texts)}" if texts else ""
    return f"{held}; {_MEND}"


def _in_words(holder: MemoryHolder) -> str:
    many = f"{holder.tensors} x " if holder.tensors > 1 else ""
    line = f" of {holder.line}" if holder.line else ""
    return f"{many}{holder.aval} ({holder.nbytes} bytes, {holder.place}{line})"
