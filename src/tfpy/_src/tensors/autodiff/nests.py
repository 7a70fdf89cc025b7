"""Nests of tensors to which gradients flow, including the values of ragged and sparse tensors.

Gradients themselves are tensors or indexed slices, which are not flattened.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy._src.core import nest
from tfpy._src.core.operand import CompositeOperand, DenseWrapper
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import Nest

_WITH_ELEMENTS = CompositeOperand | DenseWrapper
"""Composites that have one tensor of elements, through which gradients flow."""


def leaves(structure: Any) -> list[Any]:
    """Return the tensors to which gradients flow, in order."""
    if isinstance(structure, Tensor):
        return [structure]
    found = nest.flatten(structure)
    return [x.differentiable if isinstance(x, _WITH_ELEMENTS) else x for x in found]


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
        if not isinstance(leaf, _WITH_ELEMENTS):
            return function(leaf)
        found = function(leaf.differentiable)
        return None if found is None else leaf.with_differentiable(found)

    return nest.map_structure(mapped, structure)
