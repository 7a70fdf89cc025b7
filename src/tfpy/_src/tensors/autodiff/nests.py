"""What gradients flow through in nests: tensors, and the values of ragged and sparse ones.

Gradients themselves are tensors or indexed slices, which stay whole.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy._src.core import nest
from tfpy._src.core.operand import CompositeOperand
from tfpy._src.core.tensor import Tensor


def leaves(structure: Any) -> list[Any]:
    """What gradients flow through, in order."""
    if isinstance(structure, Tensor):
        return [structure]
    found = nest.flatten(structure)
    return [x.differentiable if isinstance(x, CompositeOperand) else x for x in found]


def held(leaf: Any) -> Any:
    """The Variable in another library's Variable, which says that it acts as one; others as are."""
    return leaf.handle if getattr(leaf, "_should_act_as_resource_variable", False) else leaf


def map_leaves(structure: Any, function: Callable[[Any], Any]) -> Any:
    """The nest with ``function`` of each such leaf; None where that gives None."""

    if isinstance(structure, Tensor):
        return function(structure)

    def mapped(leaf: Any) -> Any:
        if not isinstance(leaf, CompositeOperand):
            return function(leaf)
        found = function(leaf.differentiable)
        return None if found is None else leaf.with_differentiable(found)

    return nest.map_structure(mapped, structure)
