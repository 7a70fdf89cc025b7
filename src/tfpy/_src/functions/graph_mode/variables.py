"""Variables of a graph, whose values a session stores."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy._src.backends.storage import host_storage
from tfpy._src.base import tracing
from tfpy._src.base.dtypes import WIDER, DType
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.name_scope import name_scope, prefix
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.functions.graph_mode.collections import GraphKeys
from tfpy._src.functions.graph_mode.graph import Graph
from tfpy._src.functions.graph_mode.inference import aval_of, immediately
from tfpy._src.functions.graph_mode.operation import Operation
from tfpy._src.functions.graph_mode.tensors import GraphTensor, add_operators, local
from tfpy._src.tensors.array import indexing
from tfpy._src.tensors.variables import variable as variables
from tfpy._src.tensors.variables.creators import next_number
from tfpy._src.tensors.variables.distribution import (
    VariableAggregation,
    VariableSynchronization,
    kinds,
)
from tfpy._src.tensors.variables.variable import Variable


class GraphVariable(Variable):
    """A Variable that was made while a graph was active."""

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: object = None,
        name: str | None = None,
        variable_def: object = None,
        dtype: Any = None,
        import_scope: object = None,
        constraint: Callable[..., Any] | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
        shape: Any = None,
        experimental_enable_variable_lifting: bool = True,
        collections: Any = None,
    ) -> None:
        if initial_value is None:
            raise ValueError("initial_value must be specified.")
        graph: Graph = tracing.local.active[0]
        inner, tracing.local.active = tracing.local.active, [graph]
        try:
            with graph.control_dependencies(None):
                full = graph.unique_name(prefix() + (name or "Variable"))
                made = initial_value
                if callable(made):
                    with name_scope(f"{full}/Initializer/"):
                        made = graph.record(made, (), {}, "initial_value")
                tensor = convert_to_tensor(made, dtype)
                self.graph = graph
                self.initial_value = tensor
                self.synchronization, self.aggregation, self.trainable = kinds(
                    synchronization, aggregation, trainable, name, tensor.dtype.is_floating
                )
                self.constraint = constraint
                self.strategy = None
                self.number = next_number(self)
                self.name = f"{full}:0"
                self._aval = tensor.aval.closed
                if dtype is None:
                    self.saved_as = WIDER.get(str(getattr(made, "dtype", "")))
                self._open_shape = None
                if shape is not None:
                    given = TensorShape(shape)
                    self._open_shape = None if given.is_fully_defined() else given
                elif not validate_shape:
                    self._open_shape = TensorShape(None)
                self.has_value = False
                """True if the Variable is initialized in the session that ran last."""
                self.clear()
                graph.variables.append(self)
                self.op = graph.make(f"{full}/", kind="VarHandleOp")
                self.initializer = graph.assignment(self, tensor, f"{full}/Assign")
        finally:
            tracing.local.active = inner
        default = [GraphKeys.GLOBAL_VARIABLES]
        keys = [*(default if collections is None else collections)]
        if self.trainable and GraphKeys.TRAINABLE_VARIABLES not in keys:
            keys.append(GraphKeys.TRAINABLE_VARIABLES)
        graph.add_to_collections(keys, self)

    @property
    def device(self) -> str:
        """Name of the device that the program has specified for the Variable."""
        return self.op.device

    @classmethod
    def declared(cls, graph: Graph, op: Operation, shape: Any, dtype: DType) -> GraphVariable:
        """Return a Variable for an imported operation. It is not in a collection.

        Args:
            graph: Graph of the operation.
            op: The operation of the Variable.
            shape: Shape, which may be partially unknown, or None.
            dtype: Dtype of the values.
        """
        found = object.__new__(cls)
        found.graph, found.op = graph, op
        found.initial_value = None  # type: ignore[assignment]
        found.initializer = None
        found.synchronization, found.aggregation, found.trainable = kinds(
            VariableSynchronization.AUTO, VariableAggregation.NONE, True, None, dtype.is_floating
        )
        found.constraint = found.strategy = None
        found.number = next_number(found)
        found.name = f"{op.name}:0"
        given = TensorShape(shape)
        found._open_shape = None if given.is_fully_defined() else given
        sizes = tuple(0 if n is None else n for n in given.as_list()) if given.rank else ()
        found._aval = Aval(sizes, dtype)
        found.clear()
        graph.variables.append(found)
        return found

    def adopt(self, op: Operation) -> None:
        """Use an imported operation that assigns the Variable as its initializer."""
        if self.initializer is None or op.name == f"{self.op.name}/Assign":
            self.initializer = op

    @property
    def aval(self) -> Aval:
        """Shape and dtype, with the sizes of the initial value as open sizes if they may change."""
        if self._open_shape is None:
            return self._aval
        likely = None if self.initial_value is None else self._aval.shape
        return aval_of(self._open_shape, self._aval.dtype, likely)

    @property
    def has_open_shape(self) -> bool:
        """True in a run if assignments may change the shape."""
        return self._open_shape is not None and local.values is not None

    def clear(self) -> None:
        """Remove the value."""
        zeros = np.zeros(self._aval.shape, self._aval.dtype.as_numpy_dtype)
        self.held = Tensor(self._aval, host_storage(zeros, self._aval))
        self.held.kept = True
        self.has_value = False

    def initialized_value(self) -> Tensor:
        """Return the initial value."""
        return self.initial_value

    def eval(self, session: Any = None) -> Any:
        """Return the value in a session as a NumPy array."""
        return self.initializer.session(session, "eval").run(self)

    def load(self, value: Any, session: Any = None) -> None:
        """Assign a value in a session."""
        self.load_in(self.initializer.session(session, "run"), value)

    def load_in(self, session: Any, value: Any) -> None:
        """Assign a value in a session.

        Raises:
            ValueError: If the value does not have the shape of the Variable.
        """
        session.enter_values()
        with immediately():
            self.assign(convert_to_tensor(value, self.dtype))
        self.has_value = True

    def is_initialized(self, name: str | None = None) -> Tensor:
        """Return a tensor that is True if the Variable has a value in the session."""
        graph = tracing.active_graph()
        if graph is None:
            return convert_to_tensor(self.has_value)
        aval = Aval((), convert_to_tensor(True).dtype)
        (found,) = graph.add(
            lambda: convert_to_tensor(self.has_value), [], [aval], "IsVariableInitialized"
        )
        found.op.is_dynamic = True
        return found

    def __eq__(self, other: object) -> Any:
        return self is other

    def __ne__(self, other: object) -> Any:
        return self is not other

    def __hash__(self) -> int:  # type: ignore[override]
        return id(self)

    def __getitem__(self, key: Any) -> Tensor:
        graph = tracing.active_graph()
        if graph is None:
            return Variable.__getitem__(self, key)
        part: Any = graph.record(indexing.getitem, (self, key), {}, "strided_slice")
        part.assign = lambda value, name=None: _changed(
            graph, self, functools.partial(self._assign_part, key), (value,), "assign"
        )
        return part

    def __repr__(self) -> str:
        shape, dtype = self.shape, self.dtype.name
        return f"<tf.Variable '{self.name}' shape={shape} dtype={dtype}>"


def _changed(graph: Graph, variable: Variable, method: Any, args: Any, name: str) -> Any:
    return graph.record(method, args, {}, name)


_METHODS = (
    *("assign", "assign_add", "assign_sub", "scatter_add", "scatter_sub", "scatter_update"),
    *("scatter_max", "scatter_min", "scatter_mul", "scatter_div", "scatter_nd_add"),
    *("scatter_nd_sub", "scatter_nd_update", "batch_scatter_update", "count_up_to"),
)


def _method(plain: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return a method of Variables that creates an operation while a graph is active."""

    @functools.wraps(plain)
    def method(self: Variable, *args: Any, **kwargs: Any) -> Any:
        graph = tracing.active_graph()
        bound = functools.partial(plain, self)
        if graph is None:
            return bound(*args, **kwargs)
        returns_value = kwargs.pop("read_value", True)
        title = "".join(part.capitalize() for part in name.split("_"))
        found = graph.record(bound, args, kwargs, title)
        return found if returns_value or not isinstance(found, GraphTensor) else found.op

    return method


for _name in _METHODS:
    if hasattr(Variable, _name):
        setattr(Variable, _name, _method(getattr(Variable, _name), _name))
_own_getitem = GraphVariable.__getitem__
add_operators(GraphVariable, Variable)
GraphVariable.__getitem__ = _own_getitem  # type: ignore[method-assign]
add_operators(GraphTensor, Tensor)
variables.OF_GRAPHS.append(GraphVariable)
