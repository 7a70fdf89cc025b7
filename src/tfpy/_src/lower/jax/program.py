"""What the jax backend runs for a Graph: a function that JAX compiles at its first call."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cached_property
from typing import Any

import jax

from tfpy._src.ir.aval import Aval
from tfpy._src.ir.graph import Graph
from tfpy._src.lower.jax.lowering import function_of


class JaxProgram:
    """A Graph as a jitted function of arrays.

    Args:
        donated: positions of inputs that a run may be given as donated slots.
    """

    def __init__(self, graph: Graph, donated: Collection[int] = ()) -> None:
        self.graph = graph
        self.inputs = graph.inputs
        self.shapes = [graph.avals[v].shape for v in graph.inputs]
        self.donations = _donations(graph, donated)
        """An output -> the input over whose bytes it is written when that is donated."""
        self._function = function_of(graph)
        self._donating: dict[tuple[int, ...], Callable[..., list[Any]]] = {}

    @cached_property
    def plain(self) -> Any:
        """The function of arrays, which keeps them all."""
        return jax.jit(self._function)

    def donating(self, positions: tuple[int, ...]) -> Callable[..., list[Any]]:
        """The same, by which these inputs are gone after a call."""
        found = self._donating.get(positions)
        if found is None:
            found = jax.jit(self._function, donate_argnums=positions)
            self._donating[positions] = found
        return found

    def trace(self) -> None:
        """Traces it for arrays of the Graph's own shapes, which the first call does otherwise.

        Raises:
            NotLowerable: when that tells that it cannot be.
        """
        self.plain.eval_shape(*self._structs())

    def __str__(self) -> str:
        """As StableHLO."""
        text: str = self.plain.lower(*self._structs()).as_text()
        return text

    def _structs(self) -> list[Any]:
        return [_struct(self.graph.avals[v]) for v in self.inputs]


def _struct(aval: Aval) -> Any:
    return jax.ShapeDtypeStruct(aval.shape, aval.dtype.as_numpy_dtype)


def _donations(graph: Graph, donated: Collection[int]) -> dict[int, int]:
    """Each output takes the first of those inputs that has its shape and dtype."""
    free = [graph.inputs[i] for i in donated]
    found: dict[int, int] = {}
    for output in dict.fromkeys(graph.outputs):
        if output in graph.inputs or output in graph.constants:
            continue
        fitting = next((v for v in free if graph.avals[v] == graph.avals[output]), None)
        if fitting is not None:
            free.remove(fitting)
            found[output] = fitting
    return found
