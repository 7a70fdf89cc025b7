"""What a traced function gives: a nest, of which each call computes the tensors anew."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tfpy._src.core import nest
from tfpy._src.core.operand import Composite
from tfpy._src.core.tensor import Tensor
from tfpy._src.trace.symbolic import SymbolicTensor


class Results:
    """A nest of tensors, None, and composites: of these a call computes what the trace did.

    Indexed slices are such by their values and, mostly, their indices.
    """

    def __init__(self, structure: Any) -> None:
        self.structure = structure
        self.tensors: list[Tensor] = [
            t for leaf in nest.flatten(structure) for t in _parts(leaf) if _is_computed(t, leaf)
        ]

    def filled(self, values: Iterable[Any]) -> Any:
        """The nest over other tensors, in the order of :attr:`tensors`."""
        given = iter(values)
        if isinstance(self.structure, Tensor):
            return next(given)

        def part(tensor: Any, leaf: Any) -> Any:
            return next(given) if _is_computed(tensor, leaf) else tensor

        def filled(leaf: Any) -> Any:
            parts = [part(t, leaf) for t in _parts(leaf)]
            return leaf.with_components(parts) if isinstance(leaf, Composite) else parts[0]

        return nest.map_structure(filled, self.structure)


def _parts(leaf: Any) -> tuple[Any, ...]:
    return leaf.components if isinstance(leaf, Composite) else (leaf,)


def _is_computed(tensor: Any, leaf: Any) -> bool:
    """Whether a part of a leaf is a result of each call."""
    return isinstance(tensor, SymbolicTensor if isinstance(leaf, Composite) else Tensor)
