"""The results of a traced function: a nest of tensors that each call computes again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tfpy._src.base.errors import InvalidArgumentError
from tfpy._src.compiler.ir.sizes import Misfits
from tfpy._src.core import records
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.operand import Composite, PythonValue, check_untraced
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.control.list_items import describe, description, is_list
from tfpy._src.functions.control.staging import like_leaf
from tfpy._src.functions.control.tensor_array import TensorArray
from tfpy._src.functions.trace.symbolic import SymbolicTensor


class Results:
    """The structure of a function's result: a nest of tensors, composite tensors and None.

    A call computes the same components of a composite that the trace computed: for indexed slices,
    the values and usually the indices. For a TensorArray a call returns a list, which is a tensor
    of dtype variant.
    """

    def __init__(self, structure: Any) -> None:
        self.structure = structure
        leaves = records.flatten(structure)
        self._arrays = {i: x for i, x in enumerate(leaves) if isinstance(x, TensorArray)}
        leaves = [returned(leaf) for leaf in leaves]
        self.tensors: list[Tensor] = [
            t for leaf in leaves for t in _parts(leaf) if _is_computed(t, leaf)
        ]
        self._packed = records.packer(structure)
        plain = all(isinstance(leaf, Tensor) and not is_list(leaf) for leaf in leaves)
        self._leaves = None if plain else leaves
        """Leaves of the nest. None if all leaves are tensors and none of them is a list."""
        self.is_tensor = plain and isinstance(structure, Tensor)
        """True if the nest is a single tensor."""
        self.is_list = (
            plain and type(structure) is list and all(isinstance(x, Tensor) for x in structure)
        )
        """True if the nest is a list of tensors."""

    @property
    def how(self) -> Any:
        """Structure for `DirectCall`: None for a tensor, True for a list, or a function."""
        return None if self.is_tensor else self.is_list or self.filled

    def filled(self, values: Iterable[Any]) -> Any:
        """Return the nest with other tensors, in the order of :attr:`tensors`. Ignore the rest."""
        given = iter(values)
        if self._leaves is None:
            return self._packed(given)
        return self._packed(iter([_filled(leaf, given) for leaf in self._leaves]))

    def structured(self, values: Iterable[Any]) -> Any:
        """Return the nest with other tensors, and with the TensorArrays of the Python function."""
        leaves = records.flatten(self.filled(values))
        for place, array in self._arrays.items():
            leaves[place] = like_leaf(array, leaves[place])
        return self._packed(iter(leaves))


def converted(result: Any) -> Any:
    """Convert a leaf of a function's result: a number, array or Variable becomes a tensor.

    Raises:
        TypeError: If the leaf cannot be converted to a tensor.
    """
    if result is None or isinstance(result, Composite | TensorArray):
        return result
    if isinstance(result, PythonValue):
        check_untraced(result)
        return result
    try:
        return convert_to_tensor(result)
    except (TypeError, ValueError) as error:
        raise TypeError(
            "To be compatible with tf.function, Python functions must return zero or more Tensors "
            f"or None values; found a return value of type {type(result).__name__}, which is not "
            "a Tensor"
        ) from error


def returned(leaf: Any) -> Any:
    """Return the value that a call returns for a leaf: a list in place of a TensorArray."""
    return leaf.as_list() if isinstance(leaf, TensorArray) else leaf


def _filled(leaf: Any, given: Iterator[Any]) -> Any:
    """Return a leaf with the next tensors in place of its computed components."""
    parts = [next(given) if _is_computed(t, leaf) else t for t in _parts(leaf)]
    if isinstance(leaf, Composite):
        return leaf.with_components(parts)
    return describe(parts[0], description(leaf)) if is_list(leaf) else parts[0]


def _parts(leaf: Any) -> tuple[Any, ...]:
    return leaf.components if isinstance(leaf, Composite) else (leaf,)


def _is_computed(tensor: Any, leaf: Any) -> bool:
    """Return True if each call computes this component of a leaf."""
    return isinstance(tensor, SymbolicTensor if isinstance(leaf, Composite) else Tensor)


def with_errors_of_runs(function: Callable[[], Any], name: str) -> Any:
    """Run a function that is being traced and return its result.

    Raises:
        InvalidArgumentError: If a size that the signature leaves open does not match. TensorFlow
            raises the same error when the function runs.
    """
    try:
        with Misfits() as misfits:
            return function()
    except ValueError as error:
        if not misfits.explains(error):
            raise
        raise InvalidArgumentError(None, name, str(error)) from error
