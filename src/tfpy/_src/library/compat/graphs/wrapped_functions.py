"""`tf.compat.v1.wrap_function`: functions of TensorFlow 1 as compiled functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfpy._src.core import nest
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import Nest, TensorLike
from tfpy._src.functions.graph_mode.graph import Graph
from tfpy._src.functions.graph_mode.operation import Operation
from tfpy._src.functions.graph_mode.plan import RunPlan
from tfpy._src.functions.tf_function.polymorphic import Function
from tfpy._src.library.compat.graphs.scopes import separate_store
from tfpy._src.tensors.variables.creators import variable_creator_scope
from tfpy._src.tensors.variables.variable import Variable


def wrap_function(fn: Callable[..., Any], signature: Sequence[Any], name: str | None = None) -> Any:
    """Return a compiled function of tensors with the given types. Its Variables are kept.

    Args:
        fn: Function. It can make Variables, for example with `tf.compat.v1.get_variable`.
        signature: List with a `tf.TensorSpec` for each argument.

    Returns:
        A concrete function. If `fn` has no arguments and makes no Variables, the function has an
        attribute `graph`, a `tf.Graph`, and a method `prune`, which cuts functions of this graph.

    Example:
        >>> import tfpy as tf
        >>> def scaled(x):
        ...     v = tf.compat.v1.get_variable("v", [], initializer=tf.ones_initializer())
        ...     return x * (v + 1.0)
        >>> double = tf.compat.v1.wrap_function(scaled, [tf.TensorSpec([], tf.float32)])
        >>> print(double(tf.constant(3.0)).numpy())
        6.0

    See also: `tf.function`, `tf.import_graph_def`.
    """
    if not signature:
        graph = Graph()
        with graph.as_default():
            result = fn()
        if graph.operations and not graph.variables:
            return PrunedFunction(graph, [], result)
    return _traced(fn, signature)


def _traced(fn: Callable[..., Any], signature: Sequence[Any]) -> Any:
    made: list[Variable] = []

    def call(*args: Any) -> Any:
        known = iter([*made])  # the function is traced again after it has made its Variables

        def creator(make: Callable[..., Variable], **kwargs: Any) -> Variable:
            found = next(known, None)
            if found is None:
                found = make(**kwargs)
                made.append(found)
            return found

        with separate_store(), variable_creator_scope(creator):
            return fn(*args)

    return Function(call, input_signature=[*signature], autograph=False).get_concrete_function()


class PrunedFunction:
    """A part of a graph as a compiled function.

    Args:
        graph: The graph.
        feeds: Nest of tensors of the graph, or of their names, which are the arguments.
        fetches: Nest of tensors and operations, or of their names, which are the results.

    Attributes:
        graph: The graph.
        inputs: Tensors of the graph that are the arguments.
        outputs: Tensors of the graph that are the results.
        structured_outputs: Tensors and operations of the graph in the structure of the results.
    """

    def __init__(self, graph: Graph, feeds: Nest, fetches: Nest) -> None:
        self.graph = graph
        self.inputs = [graph.as_graph_element(one) for one in nest.flatten(feeds)]
        self.structured_outputs = nest.map_structure(self._element, fetches)
        self._fetches = [one for one in nest.flatten(self.structured_outputs) if one is not None]
        self.outputs = [one for one in self._fetches if not isinstance(one, Operation)]
        plan = RunPlan(self._fetches, self.inputs)
        plan.check()
        compute: Function[..., list[Tensor]] = Function(plan.compute, autograph=False)
        self._compute: Callable[..., list[Tensor]] = plan.compute if plan.is_dynamic else compute

    def _element(self, value: Any) -> Any:
        return None if value is None else self.graph.as_graph_element(value)

    def __call__(self, *args: TensorLike) -> Any:
        """Return the results for some arguments.

        Args:
            *args: A tensor for each of `inputs`.

        Returns:
            Tensors in the structure of `structured_outputs`, with None for operations.

        Raises:
            TypeError: If the number of arguments is wrong.
        """
        if len(args) != len(self.inputs):
            raise TypeError(
                f"The function takes {len(self.inputs)} positional arguments "
                f"({', '.join(x.name for x in self.inputs)}) but {len(args)} were given."
            )
        given = [convert_to_tensor(x, y.dtype) for x, y in zip(args, self.inputs, strict=True)]
        found = iter(self._compute(*given))
        return nest.map_structure(
            lambda x: None if x is None or isinstance(x, Operation) else next(found),
            self.structured_outputs,
        )

    def prune(
        self, feeds: Nest, fetches: Nest, name: str | None = None, input_signature: object = None
    ) -> PrunedFunction:
        """Return another part of the graph as a function.

        Args:
            feeds: Nest of tensors of the graph, or of their names, which are the arguments.
            fetches: Nest of tensors and operations, or of their names, which are the results.
            name, input_signature: Has no effect.

        Returns:
            A function of one tensor for each of `feeds`.

        Raises:
            tf.errors.InvalidArgumentError: If the results depend on a placeholder that is not in
                `feeds`.
        """
        return PrunedFunction(self.graph, feeds, fetches)
