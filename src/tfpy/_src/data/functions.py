"""User functions of datasets: traced, compiled and run with NumPy on the host.

As in TensorFlow, Python runs while a function is traced, once for each shape of its arguments. Some
functions run op by op for every element instead: functions that return datasets or use ragged or
sparse tensors, and functions in which a shape or Python code depends on values.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import Any

from tfpy._src.backends import registry
from tfpy._src.base import tracing
from tfpy._src.base.errors import InvalidArgumentError, NotTraceableError, OutOfRangeError
from tfpy._src.compiler.ir.aval import Array, Aval
from tfpy._src.compiler.ir.evaluate import Evaluator
from tfpy._src.compiler.ir.graph import Eqn, Graph
from tfpy._src.compiler.ops import movement
from tfpy._src.compiler.passes.pipeline import simplify, strip
from tfpy._src.core.tensor import Tensor, from_array
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.core.type_spec import RecordSpec
from tfpy._src.data import structure
from tfpy._src.data.arguments import argument, zeros_of
from tfpy._src.data.run import DatasetRun
from tfpy._src.data.specs import DatasetSpec
from tfpy._src.data.structure import Flat
from tfpy._src.functions.executor.control_op import ControlOp
from tfpy._src.functions.tf_function.concrete import ConcreteFunction
from tfpy._src.functions.tf_function.open import OpenConcreteFunction
from tfpy._src.functions.tf_function.polymorphic import Function
from tfpy._src.functions.tf_function.signature import TensorSpec
from tfpy._src.functions.tf_function.type_specs import with_shape
from tfpy._src.functions.tf_function.value_specs import NoneTensorSpec
from tfpy._src.functions.trace.converting import converting, is_converting, passed
from tfpy._src.functions.trace.extra import Extra


def of_rows(graph: Graph, elements: int, count: int) -> Graph | None:
    """Return the graph for `count` stacked elements, or None if it cannot be converted.

    Args:
        elements: Number of inputs that are stacked. The other inputs are the same for all elements.
        count: Number of elements.
    """
    if any(a.dtype.is_complex or a.dtype.is_extension for a in graph.avals):
        return None
    return _Rows(graph, elements, count).graph()


class _Rows:
    """A builder of the graph for stacked elements."""

    def __init__(self, graph: Graph, elements: int, count: int) -> None:
        self._old, self._count = graph, count
        self._new = Graph()
        self._places: dict[int, int] = {}
        self._in_rows: set[int] = set()
        for number, value in enumerate(graph.inputs):
            aval = graph.avals[value]
            if number < elements:
                self._in_rows.add(value)
                aval = Aval((count, *aval.shape), aval.dtype)
            self._places[value] = self._new.add_input(aval)
        for value, array in graph.constants.items():
            self._places[value] = self._new.add_constant(array, graph.avals[value])

    def graph(self) -> Graph | None:
        """Return the graph, or None if an equation is not supported."""
        for eqn in self._old.eqns:
            if self._in_rows.isdisjoint(eqn.inputs):
                new = self._as_it_is(eqn)
            elif eqn.op.laws.exact:
                new = self._elementwise(eqn)
            elif eqn.op.stacked is not None:
                new = self._moved(eqn)
            else:
                return None
            self._places.update(zip(eqn.outputs, new, strict=True))
        self._new.outputs = [self._result(value) for value in self._old.outputs]
        return self._new

    def _as_it_is(self, eqn: Eqn) -> tuple[int, ...]:
        given = [self._places[v] for v in eqn.inputs]
        return self._new.add_copy(eqn, given, self._old)

    def _elementwise(self, eqn: Eqn) -> tuple[int, ...]:
        (result,) = eqn.outputs
        self._in_rows.add(result)
        rank = self._old.avals[result].rank
        given = [self._aligned(v, rank) for v in eqn.inputs]
        return (self._new.add_eqn(eqn.op, given, eqn.attrs),)

    def _aligned(self, value: int, rank: int) -> int:
        """Return a value with rows of the given rank, for broadcasting."""
        place, shape = self._places[value], self._old.avals[value].shape
        if value not in self._in_rows or len(shape) == rank:
            return place
        ones = (1,) * (rank - len(shape))
        attrs = (("shape", (self._count, *ones, *shape)),)
        return self._new.add_eqn(movement.reshape, [place], attrs)

    def _moved(self, eqn: Eqn) -> tuple[int, ...]:
        given = [self._in_row(v) for v in eqn.inputs]
        self._in_rows.update(eqn.outputs)
        assert eqn.op.stacked is not None
        attrs = eqn.op.stacked(self._count, dict(eqn.attrs))
        return (self._new.add_eqn(eqn.op, given, tuple(attrs.items())),)

    def _in_row(self, value: int) -> int:
        """Return a stacked value. An input that is the same for all elements is repeated."""
        place = self._places[value]
        if value in self._in_rows:
            return place
        shape = (self._count, *self._old.avals[value].shape)
        return self._new.add_eqn(movement.broadcast_to, [place], (("shape", shape),))

    def _result(self, value: int) -> int:
        return self._in_row(value)


Call = Callable[[Flat], Flat]


class DataFunction:
    """A user function of elements.

    Args:
        spec: Nest of specs of an element. The components of a tuple are separate arguments.
        name: Name of the transformation, for errors.
        example: Function that returns a first element, or None if there is none. It is used for
            functions that cannot be traced.

    Raises:
        TypeError: If the function returns a value that cannot be converted to tensors.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        spec: Any,
        name: str,
        example: Callable[[], Flat | None],
    ) -> None:
        self._function, self._converts = passed(function), is_converting()
        self._given = spec
        self._name = name
        self._example = example
        self._specs = structure.flatten(spec)
        self._outer = structure.outer(spec)
        self._traced: ConcreteFunction | None = None
        self._programs: dict[Any, _Program | None] = {}
        self._spec: Any = None
        self._found: ConcreteFunction | None = None  # also if it runs op by op
        if all(isinstance(s, TensorSpec | DatasetSpec | NoneTensorSpec) for s in self._specs):
            self._trace()

    @cached_property
    def spec(self) -> Any:
        """Nest of specs of the result."""
        if self._spec is None:
            example = self._example()
            if example is None:
                self._called_without_elements()
            else:
                self._called_first(example)
        return self._spec

    def _called_without_elements(self) -> None:
        """Derive the spec of the result from a call with zeros.

        Raises:
            ValueError: If zeros are not possible, or the function raises an error for them.
        """
        try:
            self._called_first(tuple(map(zeros_of, self._specs)))
        except Exception as error:  # zeros need not be valid arguments
            raise ValueError(
                f"{self._name}: the result spec of the function is unknown, because it cannot be "
                "traced, there is no element to call it with, and a call with zeros raised "
                f"{type(error).__name__}: {error}"
            ) from error

    @cached_property
    def is_stateful(self) -> bool:
        """True if the function is known to use random numbers, Variables or Python functions."""
        found = self._found
        try:
            return found is not None and (
                any(e.variable is not None or e.anew is not None for e in found.extras)
                or any(eqn.op.stateful for eqn in found.traced.graph.eqns)
            )
        except NotTraceableError:
            return False

    @cached_property
    def of_rows(self) -> Call | None:
        """Function that computes many elements at once, from and to arrays of stacked elements.

        None if this could change bits of the result, or if elements observe each other's effects.
        """
        traced = self._traced
        if traced is None or isinstance(traced, OpenConcreteFunction):
            return None
        return _Program(traced).of_rows()

    def start(self, run: DatasetRun) -> Call:
        """Return the function to call in a run. Its random streams restart."""
        return run.keep(self, self._begun)

    def _begun(self) -> Call:
        if self._traced is None:
            return self._op_by_op
        return _Running(self._programs, self._traced, self._op_by_op)

    def _trace(self) -> None:
        tensors = [s for s in self._specs if isinstance(s, TensorSpec)]

        def traced(*arguments: Any) -> list[Any]:
            given = iter(arguments)
            leaves = [argument(s, given) for s in self._specs]
            result = self._result(structure.pack(self._given, leaves))
            self._spec = structure.spec_of(result)
            return [x for x in structure.flatten(result) if isinstance(x, Tensor)]

        traced.__name__ = getattr(self._function, "__name__", "function")
        compiled = Function(traced, autograph=False)
        try:
            specs = [TensorSpec(s.shape, s.dtype) for s in tensors]
            with tracing.without_guesses(), registry.on_host():  # it runs on the host
                found = compiled.get_concrete_function(*specs)
        except NotTraceableError:
            self._spec = None
            return
        self._found = found
        results = structure.flatten(self._spec)
        if all(isinstance(s, TensorSpec) for s in (*self._specs, *results)):
            self._traced = found

    def _result(self, element: Any) -> Any:
        """Return the result of the function as a nest of leaves."""
        try:
            with converting(self._converts):  # functions that it passes on, for example to map_fn
                result = self._function(*(element if type(element) is tuple else (element,)))
        except (StopIteration, OutOfRangeError) as error:  # both would end the dataset
            raise InvalidArgumentError(
                None, self._name, f"{self._name}: the function raised {type(error).__name__}"
            ) from error
        if isinstance(result, list):
            result = tuple(result)
        try:
            return structure.normalized(result)
        except (ValueError, TypeError) as error:
            raise TypeError(
                f"Unsupported return value from function passed to {self._name}: {result}."
            ) from error

    def _called(self, element: Flat) -> Any:
        with tracing.element_scope(), registry.on_host():
            return self._result(self._outer(element))

    def _called_first(self, element: Flat) -> Any:
        """Call the function with a first element and derive the spec from the result.

        Sizes in the spec are open unless the function has declared them.
        """
        with tracing.declared_shapes() as declared:
            result = self._called(element)
        leaves = [_open_spec(x, declared) for x in structure.flatten(result)]
        self._spec = structure.pack(result, leaves)
        return result

    def _op_by_op(self, element: Flat) -> Flat:
        known = self._spec is not None
        return structure.inner(self._called(element) if known else self._called_first(element))


def _open_spec(leaf: Any, declared: list[tuple[Any, Any]]) -> Any:
    """Return a spec that also fits other results, with open sizes."""
    spec = structure.leaf_spec(leaf)
    if isinstance(spec, RecordSpec):
        parts = [_open_spec(part, declared) for part in leaf.__parts__()]
        return leaf.__with_parts__(parts).__spec__()
    if isinstance(spec, NoneTensorSpec | DatasetSpec) or spec.shape.rank is None:
        return spec
    shape = TensorShape([None] * spec.shape.rank)
    for tensor, known in declared:
        if tensor is leaf:
            shape = shape.merge_with(known)
    return with_shape(spec, shape)


class _Running:
    """A traced function in one run."""

    def __init__(
        self, programs: dict[Any, _Program | None], traced: ConcreteFunction, otherwise: Call
    ) -> None:
        self._programs, self._traced, self._otherwise = programs, traced, otherwise
        self._open = isinstance(traced, OpenConcreteFunction)
        self._calls: dict[Any, Call] = {}

    def __call__(self, element: Flat) -> Flat:
        shapes = tuple([a.shape for a in element]) if self._open else ()
        call = self._calls.get(shapes)
        if call is None:
            call = self._calls[shapes] = self._call(shapes, element)
        return call(element)

    def _call(self, shapes: Any, element: Flat) -> Call:
        if shapes not in self._programs:
            self._programs[shapes] = _program(self._traced, element)
        program = self._programs[shapes]
        return self._otherwise if program is None else program.start()


def _program(traced: ConcreteFunction, element: Flat) -> _Program | None:
    """Return the program for arrays of these shapes; None if the function must run op by op."""
    found: Any = traced
    if isinstance(traced, OpenConcreteFunction):
        with tracing.init_scope():
            found = traced.sized([from_array(a).aval for a in element])
    return _Program(found) if isinstance(found, ConcreteFunction) else None


class _Program:
    """A trace that NumPy runs."""

    def __init__(self, concrete: ConcreteFunction) -> None:
        self._concrete = concrete
        self._graph: Graph | None = None
        """None if the host runs control flow, Python or assignments among the equations."""
        graph = concrete.traced.graph
        if not concrete.assigned and not any(isinstance(e.op, ControlOp) for e in graph.eqns):
            self._graph = simplify(strip(graph))

    def start(self) -> Call:
        """Return the function to call. Its random streams restart."""
        if self._graph is None:
            return self._run
        evaluator = Evaluator(self._graph)
        reads = [_reader(extra) for extra in self._concrete.extras]
        if not reads:
            return lambda element: tuple(evaluator(element))
        return lambda element: tuple(evaluator([*element, *[read() for read in reads]]))

    def of_rows(self) -> Call | None:
        """Return the function of stacked elements (see `DataFunction.of_rows`)."""
        graph, extras = self._graph, self._concrete.extras
        changing = any(e.variable is not None or e.anew is not None for e in extras)
        if graph is None or changing:
            return None
        elements = len(graph.inputs) - len(extras)
        if of_rows(graph, elements, count=1) is None:
            return None
        captured = [extra.tensor.host_view() for extra in extras]

        @lru_cache(maxsize=4)
        def sized(count: int) -> Evaluator:
            found = of_rows(graph, elements, count)
            assert found is not None
            return Evaluator(found)

        return lambda rows: tuple(sized(len(rows[0]))([*rows, *captured]))

    def _run(self, element: Flat) -> Flat:
        with tracing.init_scope(), registry.on_host():
            results = self._concrete.run([from_array(a) for a in element])
            return tuple([t.host_view() for t in results])


def _reader(extra: Extra) -> Callable[[], Array]:
    """Return a function that reads an input that is not an argument."""
    if extra.anew is not None:
        return extra.anew()
    if extra.variable is not None:
        return lambda: extra.fetch().host_view()
    array = extra.tensor.host_view()
    return lambda: array
