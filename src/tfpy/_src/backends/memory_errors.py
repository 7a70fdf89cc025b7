"""Errors about exhausted memory, with the largest tensors and a suggested fix."""

from __future__ import annotations

from tfpy._src.backends.backend import Backend
from tfpy._src.backends.memory_holders import MemoryHolder, largest
from tfpy._src.base.errors import ResourceExhaustedError
from tfpy._src.base.source_locations import called_function
from tfpy._src.compiler.ir.aval import Aval

_SHOWN = 3
"""Number of kinds of tensors that an error lists."""

_MEND = "free tensors that are no longer needed (del, tf.tidy), or compute in smaller parts"


def exhausted(op: str | None, message: str) -> ResourceExhaustedError:
    """Return an error with the message, the largest tensors and a suggested fix."""
    return ResourceExhaustedError(None, op, message + _advice())


def advise(error: ResourceExhaustedError) -> None:
    """Add the largest tensors and a suggested fix to an error."""
    error.message += _advice()
    error.args = (error.message,)


def name_call(error: ResourceExhaustedError) -> None:
    """Add the function that the program has called to an error of one of its ops."""
    function = called_function()
    op = error.op_name
    is_named = not op or not error.message.startswith(f"{op}:")
    if not is_named and function not in (None, op):
        error.message = f"{function} (op {op}){error.message.removeprefix(str(op))}"
        error.args = (error.message,)


def too_large(op: str, aval: Aval, limit: int, backend: Backend) -> ResourceExhaustedError:
    """Return the error of an op whose result exceeds the backend's limit for a tensor."""
    return exhausted(
        op,
        f"{op}: the result, {aval}, takes {aval.nbytes} bytes; on {backend.name} a tensor may "
        f"take {limit}, and {backend.memory()['bytes']} are in use",
    )


def _advice() -> str:
    texts = [_in_words(holder) for holder in largest(_SHOWN)]
    held = f"; the largest tensors are {', '.join(texts)}" if texts else ""
    return f"{held}; {_MEND}"


def _in_words(holder: MemoryHolder) -> str:
    many = f"{holder.tensors} x " if holder.tensors > 1 else ""
    line = f" of {holder.line}" if holder.line else ""
    return f"{many}{holder.aval} ({holder.nbytes} bytes, {holder.place}{line})"
