"""Parts of control flow that fail while tracing with errors that TensorFlow raises at run time.

A program is traced for actual sizes. If the signature leaves sizes open, the function is also valid
for other sizes. A failed comparison with an open size is therefore an error of the run, and so is
an error about values. A part that raises such an error is replaced by an equation that raises it
whenever the part runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy._src.base.dtypes import bool as bool_
from tfpy._src.base.errors import InvalidArgumentError, OutOfRangeError
from tfpy._src.compiler.ir.sizes import Misfits
from tfpy._src.compiler.ops.failing import refuse
from tfpy._src.core.operand import Composite
from tfpy._src.core.records import map_structure
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.control import lists
from tfpy._src.functions.control.staged_array import StagedArray
from tfpy._src.functions.control.tensor_array import TensorArray
from tfpy._src.functions.control.traced_parts import TracedPart, inside
from tfpy._src.tensors.array.making import zeros


class Refused:
    """The result of a function that cannot be traced for the actual sizes and values."""

    def __init__(self, part: TracedPart, error: InvalidArgumentError | OutOfRangeError) -> None:
        self.error = error
        self._part = part
        with part.taken():
            refuse(error=type(error), name=error.op_name, message=str(error), shape=(), dtype=bool_)

    def like(self, nest: Any, of: TracedPart) -> Any:
        """Return values with the shapes of another part's results. They are never computed.

        Raises:
            InvalidArgumentError: If the results are ragged or sparse.
            OutOfRangeError: If the results are ragged or sparse.
        """

        def leaf(value: Any) -> Any:
            if isinstance(value, Composite):
                raise self.error
            if isinstance(value, TensorArray):
                return StagedArray(value, lists.empty())
            if not isinstance(value, Tensor) or getattr(value, "trace", None) is not of:
                return value
            return zeros(value.aval.shape, value.dtype)

        return inside(self._part, lambda: map_structure(leaf, nest))


def attempted(part: TracedPart, function: Callable[[], Any]) -> Any:
    """Trace a function into a part. Return its result, or a :class:`Refused` if it fails."""
    try:
        with Misfits() as misfits:
            return inside(part, function)
    except (InvalidArgumentError, OutOfRangeError) as error:
        return Refused(part, error)
    except ValueError as error:
        if not misfits.explains(error):
            raise
        return Refused(part, InvalidArgumentError(None, part.name, str(error)))
