"""Nests of tensors to which gradients flow, including the values of ragged and sparse tensors.

Gradients themselves are tensors or indexed slices, which are not flattened.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy._src.core import nest
from tfpy._src.core.operand import Composite, CompositeOperand, DenseWrapper, FieldRecord
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import Nest
from tfpy._src.tensors.array.making import zeros
from tfpy._src.tensors.array.reshaping import shape

_WITH_ELEMENTS = CompositeOperand | DenseWrapper
"""Composites that have one tensor of elements, through which gradients flow."""


def leaves(structure: Any) -> list[Any]:
    """Return the tensors to which gradients flow, in order."""
    if isinstance(structure, Tensor):
        return [structure]
    found = []
    for leaf in nest.flatten(structure):
        parts = _parts(leaf)
        found += [_differentiable(leaf)] if parts is None else leaves(parts)
    return found


def _parts(leaf: Any) -> list[Any] | None:
    """Return the tensors and Variables of a composite of several tensors, otherwise None."""
    return leaf.gradient_parts if isinstance(leaf, Composite) else None


def _differentiable(leaf: Any) -> Any:
    """Return the tensor of a leaf to which gradients flow.

    Raises:
        ValueError: If the leaf is an extension type.
    """
    if isinstance(leaf, FieldRecord):
        raise ValueError(
            f"Type {type(leaf).__name__} is not supported as a gradient source or gradient target."
        )
    return leaf.differentiable if isinstance(leaf, _WITH_ELEMENTS) else leaf


def held(leaf: Any) -> Any:
    """Return the Variable inside another library's Variable, or the leaf itself."""
    return leaf.handle if getattr(leaf, "_should_act_as_resource_variable", False) else leaf


def map_leaves(structure: Nest, function: Callable[[Any], Any]) -> Any:
    """Apply a function to each leaf to which gradients flow, and return the nest of results.

    A composite leaf becomes None if the function returns None.
    """

    if isinstance(structure, Tensor):
        return function(structure)

    def mapped(leaf: Any) -> Any:
        if (parts := _parts(leaf)) is not None:
            return _composite(leaf, parts, function)
        if not isinstance(leaf, _WITH_ELEMENTS):
            return function(_differentiable(leaf))
        found = function(leaf.differentiable)
        return None if found is None else leaf.with_differentiable(found)

    return nest.map_structure(mapped, structure)


def _composite(leaf: Composite, parts: list[Any], function: Callable[[Any], Any]) -> Any:
    """Return the gradients of the parts as a composite, with zeros in place of None.

    The result is None if the gradients of all parts are None.
    """
    tensors = leaves(parts)
    found = [function(tensor) for tensor in tensors]
    if all(gradient is None for gradient in found):
        return None
    return leaf.with_components(
        [
            zeros(shape(tensor), tensor.dtype) if gradient is None else gradient
            for tensor, gradient in zip(tensors, found, strict=True)
        ]
    )
