"""What a traced function gives: a nest, of which each call computes the tensors anew."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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
        leaves = nest.flatten(structure)
        self.tensors: list[Tensor] = [
            t for leaf in leaves for t in _parts(leaf) if _is_computed(t, leaf)
        ]
        self._packed = nest.packer(structure)
        self._leaves = None if all(isinstance(leaf, Tensor) for leaf in leaves) else leaves
        """None where each is a tensor."""

    def filled(self, values: Iterable[Any]) -> Any:
        """The nest over other tensors, in the order of :attr:`tensors`; more of them are let be."""
        given = iter(values)
        if self._leaves is None:
            return self._packed(given)
        return self._packed(iter([_filled(leaf, given) for leaf in self._leaves]))


def _filled(leaf: Any, given: Iterator[Any]) -> Any:
    """A leaf with the next tensors in the places of what a call computes."""
    parts = [next(given) if _is_computed(t, leaf) else t for t in _parts(leaf)]
    return leaf.with_components(parts) if isinstance(leaf, Composite) else parts[0]


def _parts(leaf: Any) -> tuple[Any, ...]:
    return leaf.components if isinstance(leaf, Composite) else (leaf,)


def _is_computed(tensor: Any, leaf: Any) -> bool:
    """Whether a part of a leaf is a result of each call."""
    return isinstance(tensor, SymbolicTensor if isinstance(leaf, Composite) else Tensor)
