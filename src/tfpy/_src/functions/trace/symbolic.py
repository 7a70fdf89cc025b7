"""Symbolic tensors, which a function receives while it is traced: shape and dtype, no values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn

from tfpy._src.backends.storage import Storage
from tfpy._src.base import tracing
from tfpy._src.base.errors import NotTraceableError, OperatorNotAllowedInGraphError
from tfpy._src.base.source_locations import Line, calling_line
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.core.tensor import Tensor, next_identity
from tfpy._src.core.tensor_shape import TensorShape, known_shape
from tfpy._src.tensors.variables.variable import Variable

if TYPE_CHECKING:
    from tfpy._src.compiler.ir.aval import Array
    from tfpy._src.functions.trace.trace import Trace


def is_symbolic(value: Any) -> bool:
    """Return True for a tensor of a trace, and for a Variable while a function is traced."""
    return isinstance(value, SymbolicTensor) or (
        bool(tracing.local.active) and isinstance(value, Variable)
    )


def is_symbolic_tensor(tensor: object) -> bool:
    """Return True for a tensor of a `tf.function` that is being traced, or of a `tf.Graph`.

    Args:
        tensor: Any object.

    Returns:
        A bool. A symbolic tensor has no value in Python.

    Example:
        >>> import tfpy as tf
        >>> tf.is_symbolic_tensor(tf.constant(1))
        False

    See also: `tf.executing_eagerly`, `tf.is_tensor`.
    """
    return is_symbolic(tensor)


class SymbolicTensor(Tensor):
    """A value of the Graph that a trace builds. Ops on it add equations; it has no elements."""

    __slots__ = ("name", "trace", "value")

    def __init__(self, trace: Trace, value: int, aval: Aval, name: str) -> None:
        self.aval = aval
        self.identity = next_identity()
        self.kept = True
        self.trace = trace
        self.value = value
        """Number of the value in the trace's Graph."""
        self.name = name

    @property
    def line(self) -> Line | None:
        return self.trace.lines.get(self.value)

    @property
    def shape(self) -> TensorShape:
        """Static shape, with None for sizes that the function's signature leaves open."""
        shown = self.aval.shown
        return TensorShape(None) if shown is None else known_shape(shown)

    def set_shape(self, shape: Any) -> None:
        """Specify open sizes.

        Args:
            shape: Sizes, with None for those that stay open.

        Raises:
            ValueError: If `shape` does not match the known sizes.
        """
        super().set_shape(shape)
        given = TensorShape(shape)
        if self.aval.is_open and given.rank is not None:
            sizes = [n if g is None else g for n, g in zip(self.aval.shape, given, strict=True)]
            if sizes != [*self.aval.shape]:
                raise ValueError(
                    f"{self}: the actual shape {self.aval.closed.shape} does not match {given}"
                )
            self.aval = self.trace.graph.avals[self.value] = Aval(tuple(sizes), self.dtype)

    def alias(self) -> Tensor:
        return self.trace.alias(self)

    @property
    def has_values(self) -> bool:
        return False

    @property
    def storage(self) -> Storage:
        """Raise an error, because a symbolic tensor has no storage.

        Raises:
            TypeError: If the trace has ended.
            NotTraceableError: While the function is traced.
        """
        if self.trace not in tracing.local.active:
            raise TypeError(
                f"{self!r} is out of scope and cannot be used here: it belongs to the trace of "
                f"'{self.trace.name}'. Return it from that function, or store it in a tf.Variable"
            )
        raise NotTraceableError(
            f"{self} has no values: it represents an argument or result while tf.function traces. "
            "Compute with ops, return the result and read it outside, or use tf.py_function. Ops "
            "whose result shape depends on values cannot be traced"
        )

    @property
    def device(self) -> str:
        return ""

    @property
    def is_disposed(self) -> bool:
        return False

    def dispose(self) -> None:
        """Do nothing: compiled functions free the values that they do not return."""

    @property
    def numpy(self) -> Any:
        """Raise an error, so that `hasattr` returns False as for TensorFlow's symbolic tensors.

        Raises:
            AttributeError: Always, as in TensorFlow.
        """
        raise AttributeError(
            f"'SymbolicTensor' object has no attribute 'numpy': {self} has no values while "
            "tf.function traces; return it and read it outside"
        )

    def host_view(self) -> Array:
        return self.storage.to_host()

    def __reduce__(self) -> Any:
        raise TypeError("cannot pickle 'SymbolicTensor' object")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        raise NotImplementedError(
            f"Cannot convert a symbolic tf.Tensor ({self.name}) to a numpy array. Use TensorFlow's "
            "function instead of NumPy's, or read the value outside of the tf.function"
        )

    def __bool__(self) -> bool:
        self._refuse("Using a symbolic `tf.Tensor` as a Python `bool`", "tf.cond or tf.while_loop")

    def __int__(self) -> int:
        self._refuse("Using a symbolic `tf.Tensor` as a Python `int`", "ops on it", TypeError)

    def __float__(self) -> float:
        self._refuse("Using a symbolic `tf.Tensor` as a Python `float`", "ops on it", TypeError)

    def __index__(self) -> int:
        self._refuse("Using a symbolic `tf.Tensor` as a Python index", "tf.gather", TypeError)

    def __iter__(self) -> Iterator[Tensor]:
        self._refuse("Iterating over a symbolic `tf.Tensor`", "tf.unstack, tf.map_fn or tf.scan")

    def _refuse(
        self, what: str, mend: str, error: type[TypeError] = OperatorNotAllowedInGraphError
    ) -> NoReturn:
        raise error(
            f"{what} is not allowed ({self}), at {calling_line()}. Use {mend} instead, or let "
            "AutoGraph convert the function: its source must be in a file or a notebook's cell"
        )

    @property
    def _place(self) -> str:
        return f"of the trace of {self.trace.name}"

    def unseen(self, most: int) -> str:
        return "no values: it represents an argument or result while tf.function traces"

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def __str__(self) -> str:
        shape = "" if self.shape.rank is None else f", shape={self.shape}"
        return f'Tensor("{self.name}"{shape}, dtype={self.dtype.name})'

    def __repr__(self) -> str:
        return f"<tf.Tensor '{self.name}' shape={self.shape} dtype={self.dtype.name}>"
