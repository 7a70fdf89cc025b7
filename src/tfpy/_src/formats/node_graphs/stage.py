"""The compiled parts of a node list, and the operations between the parts."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tfpy._src.base.errors import OpError
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.node_graphs.node import Node, NodeGraph
from tfpy._src.formats.node_graphs.plan import NodeOrder
from tfpy._src.formats.node_graphs.scope import Scope
from tfpy._src.functions.tf_function.concrete import ConcreteFunction
from tfpy._src.functions.tf_function.polymorphic import Function
from tfpy._src.functions.tf_function.signature import TensorSpec
from tfpy._src.tensors.array.making import zeros

_MOST_SIZES = 64  # sizes that are remembered for the operations after one compiled part


class Stage:
    """A compiled part of a graph, and the operations after it.

    Args:
        graph: The graph.
        steps: The nodes and the wanted values.
        known: Values that are not tensors of the trace.
        quantize: Precision of matrix products and convolutions with weights, as for `tf.function`.
    """

    def __init__(
        self, graph: NodeGraph, steps: NodeOrder, known: Mapping[str, Any], quantize: str | None
    ) -> None:
        self.graph, self.quantize = graph, quantize
        self._steps, self._known = steps, known
        self._rests: dict[Any, _Rest] = {}
        self.function: Function[[Mapping[str, Any]], Any] = Function(
            _named(self._traced, graph.name), autograph=False, quantize=quantize
        )
        """The compiled part, which returns a list of tensors."""

    def __call__(self, given: Mapping[str, Tensor]) -> list[Any]:
        traced = self._traced_ones(given)
        signature = _signature(traced)
        tensors = self.function(traced)
        rest = self._rests[signature]
        if rest.places is not None:
            return [tensors[i] for i in rest.places]
        return rest({**given, **dict(zip(rest.names, tensors, strict=True))})

    async def call_async(self, given: Mapping[str, Tensor]) -> list[Any]:
        """Call the stage, and let the page process events between the parts."""
        traced = self._traced_ones(given)
        tensors = await self.function.call_async(traced)
        rest = self._rests[_signature(traced)]
        return await rest.call_async({**given, **dict(zip(rest.names, tensors, strict=True))})

    async def prepare(self, given: Mapping[str, Any], progress: Callable[[float], None]) -> None:
        """Compile the stage for tensors, or for specs of them, and keep the page responsive.

        The part after the stage is compiled for the sizes that result from the given tensors. A
        spec is replaced by zeros.

        Args:
            given: Tensors or specs by name.
            progress: Function that receives the completed fraction, from 0 to 1.

        Raises:
            NotTraceableError: If nothing can be compiled.
        """
        traced = self._traced_ones(given)
        concrete: ConcreteFunction = self.function.get_concrete_function(traced)
        values = {name: _zeros(value) for name, value in given.items()}
        tensors = self._traced_ones(values)
        rest = self._rests[_signature(tensors)]
        ends = rest.is_simple or bool(concrete.assigned)  # a call would change Variables
        await concrete.prepare(progress if ends else lambda part: progress(part / 2))
        if ends:
            return
        try:
            made = self.function(tensors)
            later = rest.given_behind({**values, **dict(zip(rest.names, made, strict=True))})
        except (ValueError, OpError):
            later = None  # an operation refuses zeros
        if later is not None:
            await rest.stage.prepare(later, lambda part: progress((1 + part) / 2))
        progress(1.0)

    def _traced_ones(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the inputs that are not in `known`."""
        return {name: value for name, value in given.items() if name not in self._known}

    def _traced(self, given: dict[str, Tensor]) -> list[Tensor]:
        scope = Scope(self.graph, {**given, **self._known})
        left = scope.trace(self._steps)
        rest = self._rests[_signature(given)] = self._rest(scope, left, given)
        return [scope[name] for name in rest.names]

    def _rest(self, scope: Scope, left: Mapping[Node, bool], given: Mapping[str, Tensor]) -> _Rest:
        """Return the operations that a trace leaves, and the values that they need from it.

        A value that cannot be an output of a trace (such as a list of tensors) is computed again
        after it.

        Args:
            scope: Values of the trace.
            left: Nodes that did not run. The value is True for a node that depends on another one.
            given: Inputs of the trace.
        """
        graph, steps, again = self.graph, self._steps, dict(left)
        known = dict(self._known)
        names: dict[str, None] = {}
        todo = [*steps.wanted, *(name for node in left for name in node.reads)]
        while todo:
            name = todo.pop()
            maker = graph.makers.get(name)
            if name in given or name in known or maker is None or maker in again:
                continue
            value = scope[name]
            if isinstance(value, Tensor):
                names[name] = None
            elif isinstance(value, np.ndarray):
                known[name] = value
            else:
                again[maker] = False
                todo.extend(maker.reads)
        cuts = [node for node in steps.nodes if again.get(node) is False]
        behind = NodeOrder.of(steps.wanted, [node for node in steps.nodes if again.get(node)])
        made = {name for node in cuts for name in node.outputs}
        needed = behind.reads.intersection((*made, *names, *given))
        outside = tuple(name for name in names if name not in made)
        return _Rest(self, NodeOrder.of(sorted(needed), cuts), behind, known, outside)


class _Rest:
    """The operations that a trace leaves.

    Args:
        stage: The stage of the trace.
        cuts: Operations that need the elements of tensors. They compute values for `steps`.
        steps: Operations after the cuts.
        known: Values that are not tensors of the trace.
        names: Names of the tensors that the trace returns.
    """

    def __init__(
        self,
        stage: Stage,
        cuts: NodeOrder,
        steps: NodeOrder,
        known: Mapping[str, Any],
        names: tuple[str, ...],
    ) -> None:
        self._graph, self._cuts, self._steps, self._known = stage.graph, cuts, steps, known
        self._quantize = stage.quantize
        self.names = names
        self._seen: dict[Any, None] = {}
        self.is_simple = not steps.nodes
        """True if there is nothing to compile after the cuts."""
        self.places = (
            [names.index(name) for name in steps.wanted]
            if not (steps.nodes or cuts.nodes) and set(steps.wanted) <= {*names}
            else None
        )
        """Positions of the wanted values among `names` if no operation remains, otherwise None."""

    @functools.cached_property
    def stage(self) -> Stage:
        """Stage that compiles the operations after the cuts."""
        return Stage(self._graph, self._steps, self._known, self._quantize)

    def __call__(self, values: Mapping[str, Any]) -> list[Any]:
        scope = Scope(self._graph, {**values, **self._known})
        given = self._entering(scope.run(self._cuts))
        if given is not None and self._comes_again(_signature(given)):
            return self.stage(given)
        return scope.run(self._steps)

    async def call_async(self, values: Mapping[str, Any]) -> list[Any]:
        """Run the operations, and let the page process events between them."""
        scope = Scope(self._graph, {**values, **self._known})
        given = self._entering(await scope.run_async(self._cuts))
        if given is not None and self._comes_again(_signature(given)):
            return await self.stage.call_async(given)
        return await scope.run_async(self._steps)

    def given_behind(self, values: Mapping[str, Any]) -> dict[str, Tensor] | None:
        """Return the inputs of `stage` for values like these, or None if it cannot be used."""
        scope = Scope(self._graph, {**values, **self._known})
        given = self._entering(scope.run(self._cuts))
        if given is not None:
            self._comes_again(_signature(given))
        return given

    def _entering(self, needed: list[Any]) -> dict[str, Tensor] | None:
        """Return the results of the cuts as inputs of a trace, or None if they cannot be."""
        if self.is_simple or not all(map(_enters_trace, needed)):
            return None
        return dict(zip(self._cuts.wanted, map(convert_to_tensor, needed), strict=True))

    def _comes_again(self, signature: Any) -> bool:
        """Return True if such tensors occurred before. Only then does compiling pay off."""
        if signature in self._seen:
            return True
        if len(self._seen) >= _MOST_SIZES:
            del self._seen[next(iter(self._seen))]
        self._seen[signature] = None
        return False


def _signature(given: Mapping[str, Any]) -> Any:
    """Return the key of a trace: the shapes and dtypes of tensors, and other values themselves."""
    return tuple(
        (name, value.aval.closed if isinstance(value, Tensor) else value)
        for name, value in sorted(given.items())
    )


def _zeros(value: Any) -> Any:
    """Return zeros for a spec, and any other value unchanged."""
    return zeros(value.shape, value.dtype) if isinstance(value, TensorSpec) else value


def _enters_trace(value: Any) -> bool:
    """Return True if a value can be an input of a compiled function."""
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "biufc"
    return isinstance(value, Tensor) and value.dtype.name != "string"


def _named(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    def run(given: dict[str, Any]) -> Any:
        return function(given)

    run.__name__ = name
    return run
