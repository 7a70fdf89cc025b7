"""Tensors of a graph: results of operations, which have values only in a run of a session."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tfpy._src.backends.storage import Storage
from tfpy._src.base import tracing
from tfpy._src.compiler.ir.aval import Array, Aval
from tfpy._src.compiler.ir.sizes import OpenSize
from tfpy._src.core.sizes import Sizes
from tfpy._src.core.tensor import Tensor, next_identity
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.functions.trace.symbolic import SymbolicTensor

if TYPE_CHECKING:
    from tfpy._src.functions.graph_mode.operation import Operation


class _Local(threading.local):
    values: Mapping[int, Tensor] | None = None
    """In a run of a session, the values of tensors by identity."""

    def __init__(self) -> None:
        self.sessions: list[Any] = []
        """Default sessions, innermost last."""
        self.constants: list[GraphTensor] = []
        """Constants that a function uses in addition to its arguments while shapes are inferred."""


local = _Local()

OPERATORS: dict[str, str] = {
    "add": "add",
    "radd": "add",
    "sub": "sub",
    "rsub": "sub",
    "mul": "mul",
    "rmul": "mul",
    "truediv": "truediv",
    "rtruediv": "truediv",
    "floordiv": "floordiv",
    "rfloordiv": "floordiv",
    "mod": "FloorMod",
    "rmod": "FloorMod",
    "pow": "pow",
    "rpow": "pow",
    "matmul": "matmul",
    "rmatmul": "matmul",
    "and": "and",
    "rand": "and",
    "or": "or",
    "ror": "or",
    "xor": "xor",
    "lt": "Less",
    "le": "LessEqual",
    "gt": "Greater",
    "ge": "GreaterEqual",
    "neg": "Neg",
    "abs": "Abs",
    "invert": "LogicalNot",
    "getitem": "strided_slice",
}
"""Names of the operations of Python's operators."""


class GraphTensor(SymbolicTensor):
    """A result of an operation of a graph."""

    __module__ = SymbolicTensor.__module__  # libraries recognize tensors by it
    __slots__ = ("_assign_part", "known", "op")

    def __init__(self, op: Operation, index: int, aval: Aval, known: Tensor | None = None) -> None:
        self.aval = aval
        self.identity = next_identity()
        self.kept = True
        self.trace = op.graph  # type: ignore[assignment]
        self.op = op
        """The operation that computes the tensor."""
        self.value = index
        self.name = f"{op.name}:{index}"
        self.known = known
        """The value if it is the same in each run, or the value for the sizes of the inference."""

    @property
    def graph(self) -> Any:
        """Graph of the operation."""
        return self.op.graph

    @property
    def device(self) -> str:
        """Name of the device that the program has specified for the operation."""
        return self.op.device

    @property
    def value_index(self) -> int:
        """Number of the tensor among the results of its operation."""
        return self.value

    @property
    def constant(self) -> Tensor | None:
        """Value of the tensor if it is the same in each run."""
        return None if isinstance(self.known, Sizes) else self.known

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Tensor:
        if local.values is not None:
            return self._in_run()
        if self.constant is None or not _infers():
            return self
        local.constants.append(self)
        return self.constant

    def _in_run(self) -> Tensor:
        assert local.values is not None
        known = self if self.constant is None else self.constant
        return local.values.get(self.identity, known)

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """Return the value in a session.

        Args:
            feed_dict: Values of other tensors, as for `Session.run`.
            session: Session. Default: the default session.

        Returns:
            NumPy array.

        Raises:
            ValueError: If there is no default session.
        """
        return self.op.session(session, "eval").run(self, feed_dict)

    def consumers(self) -> list[Operation]:
        """Return the operations that read the tensor."""
        return [op for op in self.graph.get_operations() if any(t is self for t in op.inputs)]

    def set_shape(self, shape: Any) -> None:
        given, known = TensorShape(shape), self.shape
        merged = known.merge_with(given)
        if merged.rank is not None:
            sizes = self.aval.shape if known.rank is not None else (OpenSize(240),) * merged.rank
            pairs = zip(sizes, merged.as_list(), strict=True)
            self.aval = Aval(tuple(n if g is None else g for n, g in pairs), self.dtype)

    def alias(self) -> Tensor:
        return self

    @property
    def has_values(self) -> bool:
        return self.constant is not None

    @property
    def storage(self) -> Storage:
        if self.constant is not None:
            return self.constant.storage
        found = self if local.values is None else self._in_run()
        return super().storage if found is self else found.storage

    def host_view(self) -> Array:
        return self.storage.to_host().reshape(self.aval.closed.shape)

    def __iter__(self) -> Any:
        if self.shape.rank is None or self.shape[0] is None:
            raise TypeError("Cannot iterate over a tensor with unknown first dimension.")
        return (self[i] for i in range(self.shape[0]))

    def __len__(self) -> int:
        raise TypeError(
            f"len is not well defined for a symbolic Tensor ({self.name}). "
            "Please call `x.shape` rather than `len(x)` for shape information."
        )

    def __eq__(self, other: object) -> Any:
        return self is other

    def __ne__(self, other: object) -> Any:
        return self is not other

    def __hash__(self) -> int:  # type: ignore[override]
        return id(self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        found = self.__tf_tensor__()
        if isinstance(found, GraphTensor):
            return super().__array__(dtype, copy)
        return np.asarray(found, dtype)

    def __str__(self) -> str:
        shape = "" if self.shape.rank is None else f", shape={self.shape}"
        return f'Tensor("{self.name}"{shape}, dtype={self.dtype.name})'


def _infers() -> bool:
    """Return True while a function is traced to infer the shapes of its results."""
    current = tracing.current()
    return current is not None and not current.is_graph


def _operator(dunder: str, name: str, base: type) -> Callable[..., Any]:
    def method(self: Any, *others: Any) -> Any:
        plain = getattr(base, dunder)
        graph = tracing.active_graph()
        if graph is not None:
            return graph.record(plain, (self, *others), {}, name)
        return plain(resolved(self), *map(resolved, others))

    method.__name__ = dunder
    return method


def resolved(value: Any) -> Any:
    """Return the value of a tensor of a graph in the active run; other values unchanged."""
    return value.__tf_tensor__() if isinstance(value, GraphTensor) else value


def add_operators(kind: type, base: type) -> None:
    """Make Python's operators of a class operations of graphs.

    Args:
        kind: The class.
        base: Class with the operators that compute.
    """
    for symbol, name in OPERATORS.items():
        dunder = f"__{symbol}__"
        setattr(kind, dunder, _operator(dunder, name, base))
