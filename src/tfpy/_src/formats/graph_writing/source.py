"""The function to be written: its Graph, its weights, and names of its inputs and outputs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tfpy._src.base.dtypes import DType
from tfpy._src.compiler.ir.aval import Array, Aval
from tfpy._src.compiler.ir.graph import Graph
from tfpy._src.core import nest
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.formats.file_traces import for_file
from tfpy._src.formats.graph_writing.lists import Lists
from tfpy._src.formats.graph_writing.open_sizes import (
    OpenSizes,
    check_small,
    checked,
    computes_otherwise,
    traced,
)
from tfpy._src.functions.tf_function.concrete import ConcreteFunction
from tfpy._src.functions.tf_function.open import OpenConcreteFunction
from tfpy._src.functions.tf_function.polymorphic import Function
from tfpy._src.functions.tf_function.signature import TensorSpec, aval_of
from tfpy._src.functions.tf_function.untraced import Untraced


@dataclass(frozen=True)
class FunctionPort:
    """An input or output of a function.

    Attributes:
        name: Name in the file.
        value: Number of the value in the Graph.
        dtype: Dtype of the tensor.
        shape: Shape of the tensor. None is an open size.
    """

    name: str
    value: int
    dtype: DType
    shape: tuple[int | None, ...]


@dataclass(frozen=True)
class Weight:
    """A tensor or Variable that the function reads.

    Attributes:
        name: Name in the file.
        array: Values.
        is_fixed: True if it is not a Variable, so that nodes may depend on its values.
    """

    name: str
    array: Array
    is_fixed: bool


@dataclass(frozen=True)
class FunctionSource:
    """A function to be written.

    Attributes:
        name: Name of the function.
        graph: The traced Graph.
        inputs: Arguments of the function.
        outputs: Results of the function.
        structured: True if the function returns a dictionary.
        weights: Weights by number of the value in the Graph.
        fed: Inputs of the Graph that each call provides again: the states of random generators.
        sizes: Open sizes of the inputs.
        lists: Lists of tensors in the Graph.
    """

    name: str
    graph: Graph
    inputs: tuple[FunctionPort, ...]
    outputs: tuple[FunctionPort, ...]
    structured: bool
    weights: Mapping[int, Weight]
    fed: frozenset[int]
    sizes: OpenSizes
    lists: Lists


def source_of(function: Any, signatures: Any = None) -> FunctionSource:
    """Trace a function for a writer.

    Args:
        function: A `tf.function`, a concrete function, a model, or a plain function.
        signatures: List with a `tf.TensorSpec` for each argument. Default: the function's
            `input_signature` or the model's inputs.

    Raises:
        ValueError: If there is no signature, or the function assigns Variables.
        TypeError: If `function` is not callable.
    """
    with for_file():
        concrete, sizes, shapes = sized_trace(_opened(function, signatures))
    if concrete.assigned:
        raise ValueError(
            f"{concrete.name} assigns Variables, which a file cannot express. Write a function "
            "that only reads them (for a model, with training=False)"
        )
    return _source(concrete, sizes, shapes)


Shown = list[tuple[int | None, ...] | None]
"""Shapes of the arguments. None is an open size or an unknown rank."""


def sized_trace(
    opened: ConcreteFunction,
    rank: int | None = None,
    traced_again: Callable[[ConcreteFunction], ConcreteFunction] = lambda concrete: concrete,
) -> tuple[ConcreteFunction, OpenSizes, Shown]:
    """Return a trace of a concrete function, with its open sizes and the arguments' shapes.

    Args:
        opened: The function.
        rank: Rank that the trace has in the place of unknown ranks. Default: it raises an error.
        traced_again: Function that returns the trace to write for a trace.

    Raises:
        OpenSizeError: If a file cannot express the function for open sizes.
        NotTraceableError: If a shape depends on values.
    """
    specs = [TensorSpec(t.shape, t.dtype, name) for name, t in opened.call.tensors]
    shapes = [_of_rank(TensorShape(spec.shape), rank) for spec in specs]

    def trace(sizes: list[tuple[int, ...]]) -> ConcreteFunction:
        if not isinstance(opened, OpenConcreteFunction):
            return traced_again(opened)
        avals = [Aval(size, spec.dtype) for size, spec in zip(sizes, specs, strict=True)]
        found = opened.sized(avals)
        if isinstance(found, Untraced):
            raise found.error
        return traced_again(found)

    def differ(one: ConcreteFunction, other: ConcreteFunction) -> bool:
        return computes_otherwise(one.traced.graph, other.traced.graph)

    concrete, other, small, sizes = traced(shapes, trace, differ)
    if small is not None:
        check_small(concrete.traced.graph, small.traced.graph)
    if other is not None:
        captured = {
            value: (one.fetch().numpy(), two.fetch().numpy())
            for value, one, two in zip(
                concrete.traced.graph.inputs[len(specs) :],
                concrete.extras,
                other.extras,
                strict=False,
            )
            if one.tensor is not two.tensor and one.variable is None and one.anew is None
        }
        sizes = checked(concrete.traced.graph, other.traced.graph, sizes, captured)
    return concrete, sizes, [_shown(TensorShape(spec.shape)) for spec in specs]


def _of_rank(shape: TensorShape, rank: int | None) -> TensorShape:
    return shape if shape.rank is not None or rank is None else TensorShape([None] * rank)


def _shown(shape: TensorShape) -> tuple[int | None, ...] | None:
    return None if shape.rank is None else tuple(shape.as_list())


def _source(concrete: ConcreteFunction, sizes: OpenSizes, shapes: Shown) -> FunctionSource:
    graph, taken = concrete.traced.graph, FreeNames()
    count = len(concrete.call.tensors)
    inputs = tuple(
        FunctionPort(taken.free(name), value, aval_of(t).dtype, shape or ())
        for (name, t), value, shape in zip(
            concrete.call.tensors, graph.inputs[:count], shapes, strict=True
        )
    )
    names, structured = _output_names(concrete.structured_outputs)
    outputs = tuple(
        FunctionPort(name, value, graph.avals[value].dtype, graph.avals[value].shown or ())
        for name, value in zip(names, graph.outputs, strict=True)
    )
    weights, fed = {}, set()
    for number, (value, extra) in enumerate(
        zip(graph.inputs[count:], concrete.extras, strict=True)
    ):
        if extra.anew is not None:
            fed.add(value)
            continue
        variable = extra.variable
        said = f"captured_{number}" if variable is None else variable.name
        name = taken.free(said)
        weights[value] = Weight(name, np.asarray(extra.fetch().numpy()), variable is None)
    return FunctionSource(
        concrete.name, graph, inputs, outputs, structured, weights, frozenset(fed), sizes,
        Lists(graph),
    )  # fmt: skip


def _output_names(structure: Any) -> tuple[list[str], bool]:
    """Return the names of the results in order, and True if the results are a dictionary."""
    leaves = nest.flatten(structure)
    if any(not isinstance(leaf, Tensor) for leaf in leaves):
        raise TypeError("a function that is written must return tensors, or a nest of tensors")
    if isinstance(structure, Mapping) and all(isinstance(v, Tensor) for v in structure.values()):
        by_identity = {id(v): str(k) for k, v in structure.items()}
        return [by_identity[id(leaf)] for leaf in leaves], True
    return [f"output_{i}" for i in range(len(leaves))], False


class FreeNames:
    """A generator of unique names for nodes."""

    def __init__(self) -> None:
        self._taken = {"identity", *(f"identity_{i}" for i in range(1000))}  # names of outputs

    def free(self, wanted: str) -> str:
        name = re.sub(r"[^A-Za-z0-9_./\\-]", "_", str(wanted).removesuffix(":0"))
        name = name if name and re.match("[A-Za-z0-9.]", name) else f"x{name}"
        found, number = name, 0
        while found.lower() in self._taken:
            number += 1
            found = f"{name}_{number}"
        self._taken.add(found.lower())
        return found


def _opened(function: Any, signatures: Any) -> ConcreteFunction:
    if isinstance(function, ConcreteFunction):
        return function
    if not callable(function):
        raise TypeError(f"expected a function or model to write, got {type(function).__name__}")
    specs = None if signatures is None else _specs(signatures)
    if isinstance(function, Function):
        if specs is None and function.input_signature is None:
            raise ValueError(
                f"{function.name} has no input_signature. Pass `signatures`, a list with a "
                "tf.TensorSpec for each argument"
            )
        return function.get_concrete_function(*(specs or ()))
    called, own = _model(function)
    specs = own if specs is None else specs
    if not specs:
        raise ValueError(
            f"pass `signatures`, a list with a tf.TensorSpec for each argument of {function!r}"
        )
    return Function(called).get_concrete_function(*specs)


def _specs(signatures: Any) -> list[Any]:
    return list(signatures) if isinstance(signatures, list | tuple) else [signatures]


def _model(model: Any) -> tuple[Callable[..., Any], list[TensorSpec]]:
    """Return a model as a function of tensors, and the specs of its inputs."""
    given = getattr(model, "inputs", None)
    if not isinstance(given, Iterable):
        return model, []
    specs = [_spec(i, tensor) for i, tensor in enumerate(given)]
    if hasattr(model, "train_on_batch"):  # a Keras model

        def called(*tensors: Any) -> Any:
            return model(tensors[0] if len(tensors) == 1 else list(tensors), training=False)

        return called, specs
    return lambda *tensors: model(*tensors), specs


def _spec(number: int, tensor: Any) -> TensorSpec:
    name = getattr(tensor, "name", None) or f"input_{number}"
    return TensorSpec(tensor.shape, tensor.dtype, name)
