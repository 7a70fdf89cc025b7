"""`tf.compat.v1.wrap_function`: functions of TensorFlow 1 as compiled functions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from tfpy._src.core import conversion, nest
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import Nest, TensorLike
from tfpy._src.functions.graph_mode.composites import COMPOSITES
from tfpy._src.functions.graph_mode.graph import Graph
from tfpy._src.functions.graph_mode.graph_function import GraphFunction
from tfpy._src.functions.graph_mode.nests import leaves, mapped
from tfpy._src.functions.graph_mode.operation import Operation
from tfpy._src.functions.graph_mode.placeholders import placeholder, sparse_placeholder
from tfpy._src.functions.graph_mode.plan import RunPlan
from tfpy._src.functions.graph_mode.ragged_placeholder import placeholder as ragged_placeholder
from tfpy._src.functions.graph_mode.recording import recorded
from tfpy._src.functions.graph_mode.tensors import GraphTensor
from tfpy._src.functions.graph_mode.variables import GraphVariable
from tfpy._src.functions.tf_function.polymorphic import Function
from tfpy._src.functions.tf_function.signature import TensorSpec
from tfpy._src.tensors.composite.specs import RaggedTensorSpec, SparseTensorSpec

to_tensor = recorded(conversion.convert_to_tensor)


def wrap_function(fn: Callable[..., Any], signature: Sequence[Any], name: str | None = None) -> Any:
    """Return a compiled function of tensors with the given types. Its Variables are kept.

    The function is called once, in a new `tf.Graph`. As in a session, operations on which the
    result does not depend are not run.

    Args:
        fn: Function. It can make Variables, for example with `tf.compat.v1.get_variable`.
        signature: List with a `tf.TypeSpec` for each tensor argument, such as a `tf.TensorSpec`.
            Other values are passed to `fn`.

    Returns:
        A concrete function with an attribute `graph`, a `tf.Graph`, and a method `prune`, which
        cuts functions of this graph.

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
    graph = Graph()
    with graph.as_default():
        given = [nest.map_structure(_argument, one) for one in signature]
        result = nest.map_structure(_in_graph, fn(*given))
    _initialize(graph)
    return PrunedFunction(graph, [x for x in nest.flatten(given) if _is_tensor(x)], result)


def _argument(spec: Any) -> Any:
    """Return a placeholder for a spec in a signature, and other values unchanged."""
    if isinstance(spec, RaggedTensorSpec):
        return ragged_placeholder(spec.dtype, spec.ragged_rank, spec.shape[spec.ragged_rank + 1 :])
    if isinstance(spec, SparseTensorSpec):
        return sparse_placeholder(spec.dtype, spec.shape)
    if isinstance(spec, TensorSpec):
        return placeholder(spec.dtype, spec.shape, spec.name)
    return spec


def _is_tensor(value: Any) -> bool:
    return isinstance(value, (GraphTensor, *COMPOSITES))


def _in_graph(value: Any) -> Any:
    """Return a result as a tensor of the graph. Operations and None are unchanged."""
    if value is None or _is_tensor(value) or isinstance(value, Operation | GraphVariable):
        return value
    return to_tensor(value)


def _initialize(graph: Graph) -> None:
    """Assign the initial values of Variables. An imported graph only initializes its own."""
    made = [v for v in graph.variables if isinstance(v, GraphVariable)]
    operations = [v.initializer for v in made if v.initial_value is not None]
    if operations:
        RunPlan(operations, []).run([])


class PrunedFunction(GraphFunction):
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
        self.inputs = leaves([self._element(one) for one in nest.flatten(feeds)])
        self.structured_outputs = nest.map_structure(self._element, fetches)
        self._fetches = [
            one for one in leaves(nest.flatten(self.structured_outputs)) if one is not None
        ]
        self.outputs = [one for one in self._fetches if not isinstance(one, Operation)]
        self._plan = RunPlan(self._fetches, self.inputs)
        self._plan.check_fed()
        self._function: Function[..., Any] = Function(self._structured, autograph=False)

    def _element(self, value: Any) -> Any:
        if value is None or _is_tensor(value) or isinstance(value, GraphVariable):
            return value
        return self.graph.as_graph_element(getattr(value, "name", value))

    @functools.cached_property
    def concrete_function(self) -> Any:
        """The compiled function, which SavedModels store."""
        return self._function.get_concrete_function(*(_spec(x) for x in self.inputs))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.concrete_function, name)

    def __call__(self, *args: TensorLike) -> Any:
        """Return the results for some arguments.

        Args:
            *args: A tensor for each of `inputs`. Sparse and ragged tensors may be passed whole.

        Returns:
            Tensors in the structure of `structured_outputs`, with None for operations.

        Raises:
            TypeError: If the number of arguments is wrong.
            tf.errors.FailedPreconditionError: If an imported Variable has no value yet.
        """
        given = leaves(nest.flatten([*args]))
        if len(given) != len(self.inputs):
            raise TypeError(
                f"The function takes {len(self.inputs)} positional arguments "
                f"({', '.join(x.name for x in self.inputs)}) but {len(given)} were given."
            )
        self._plan.check()
        tensors = [convert_to_tensor(x, y.dtype) for x, y in zip(given, self.inputs, strict=True)]
        found = (self._structured if self._plan.is_dynamic else self._function)(*tensors)
        for variable in self._plan.assigned:
            if isinstance(variable, GraphVariable):
                variable.has_value = True
        return found

    def _structured(self, *given: Tensor) -> Any:
        """Run the operations for some values of `inputs`, and return the structured results."""
        found = iter(self._plan.compute(*given))

        def result(one: Any) -> Any:
            return None if one is None or isinstance(one, Operation) else next(found)

        return nest.map_structure(lambda one: mapped(one, result), self.structured_outputs)

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


def _spec(tensor: GraphTensor) -> TensorSpec:
    return TensorSpec(tensor.shape, tensor.dtype, tensor.op.name)
