"""Likely values of tensors of a graph, on which functions run that cannot be traced."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tfpy._src.base.errors import OpError
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.sizes import Sizes
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.graph_mode.composites import samples as composite_samples
from tfpy._src.functions.graph_mode.nests import leaves, mapped
from tfpy._src.functions.graph_mode.tensors import GraphTensor
from tfpy._src.tensors.variables.variable import Variable

if TYPE_CHECKING:
    from tfpy._src.functions.graph_mode.operation import Operation

SIZE = 240
"""Size that replaces an unknown one. It has many divisors."""
_MOST_OPERATIONS = 100
"""Largest number of operations that run while a graph is built, to find the value of a shape."""


class Samples(dict[int, Tensor]):
    """Values of the tensors of a graph by identity, which are found when a function needs them."""

    def __init__(
        self, fill: int, scalar: int, shape: int, size: int, length: int | None = None
    ) -> None:
        self.fill = fill
        """Number in place of unknown values."""
        self.shape = shape
        """Number in place of the elements of an unknown shape."""
        self.scalar = scalar
        """Number in place of an unknown scalar."""
        self.size = size
        """Size in place of an unknown one."""
        self.length = length or size
        """Size of vectors that may be shapes."""
        self.tensors: list[GraphTensor] = []
        """Tensors that the function uses."""
        self.are_likely = True
        """False if a value is only a replacement for an unknown one."""

    def add(self, composite: Any) -> None:
        """Add samples of the components of a sparse or ragged tensor, which match each other."""
        found = composite_samples(composite, self.size)
        self.update(found)
        self.are_likely &= not found

    def get(self, identity: int, default: Any = None) -> Any:
        """Return the sample for `default`, which is the tensor itself if it is not constant."""
        if identity not in self and isinstance(default, GraphTensor):
            self.tensors.append(default)
            found = self._likely_value(default)
            self.are_likely &= found is not None
            self[identity] = self._filled(default) if found is None else found
        return dict.get(self, identity, default)

    def _likely_value(self, tensor: GraphTensor) -> Tensor | None:
        """Return the value of a tensor in a run without fed values, or None if it is not known.

        Functions use the values of integer tensors as shapes, axes and indices. Of other tensors
        they use the shapes, so these tensors are filled with one number.
        """
        if tensor.known is not None:
            return _with_small_sizes(tensor.known, self.size)
        if not tensor.dtype.is_integer:
            return self._filled(tensor)
        values: dict[int, Tensor] = {}

        def value_of(value: Any) -> Any:
            value = initial(value)
            if not isinstance(value, GraphTensor) or value.identity in values:
                return values[value.identity] if isinstance(value, GraphTensor) else value
            return None if value.known is None else _with_small_sizes(value.known, self.size)

        try:
            for op in _needed(tensor.op):
                if op.function is None or not op.args:  # a placeholder, or a random number
                    return None
                args, kwargs = mapped(op.args, value_of), mapped(op.kwargs, value_of)
                found = leaves(op.function(*args, **kwargs))
                for output, place in zip(op.outputs, op.places, strict=True):
                    values[output.identity] = convert_to_tensor(found[place])
        except (ValueError, TypeError, NotImplementedError, OpError):
            return None
        return values[tensor.identity]

    def _filled(self, tensor: GraphTensor) -> Tensor:
        is_shape = may_be_shape(tensor)
        unknown = self.length if is_shape else self.size
        sizes = [unknown if n == SIZE else int(n) for n in tensor.aval.shape]
        fill = self.shape if is_shape else self.fill if sizes else self.scalar
        if tensor.dtype.is_numeric or tensor.dtype.is_bool:
            return constant(np.full(sizes, fill, tensor.dtype.as_numpy_dtype), tensor.dtype)
        return constant("", shape=sizes)


def _with_small_sizes(known: Tensor, size: int) -> Tensor:
    """Return sizes with a small one in place of unknown ones, as in samples of other tensors."""
    if not isinstance(known, Sizes):
        return known
    sizes = known.host_view()
    return constant(np.where(known.open.astype(bool) & (sizes == SIZE), size, sizes), known.dtype)


def may_be_shape(tensor: GraphTensor) -> bool:
    """Return True if a tensor may be a shape with an unknown number of dimensions."""
    return tensor.dtype.is_integer and tensor.shape.rank == 1 and tensor.shape[0] is None


def initial(value: Any) -> Any:
    """Return the initial value of an integer Variable that has no value yet, or the argument."""
    is_empty = isinstance(value, Variable) and not getattr(value, "has_value", True)
    found = value.initial_value if is_empty and value.dtype.is_integer else None
    return value if found is None else found


def _needed(op: Operation) -> list[Operation]:
    """Return an operation and those that compute its inputs, in the order of their creation.

    Raises:
        NotImplementedError: If they are too many to run them for a shape.
    """
    found: dict[int, Operation] = {}
    pending = [op]
    while pending:
        one = pending.pop()
        if one.number not in found:
            found[one.number] = one
            pending += [t.op for t in one.inputs if t.known is None]
        if len(found) > _MOST_OPERATIONS:
            raise NotImplementedError
    return [op for _, op in sorted(found.items())]
