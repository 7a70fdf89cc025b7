"""What is exported: traces of functions and models, with names for what they take and give."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tfpy._src.base.dtypes import as_dtype
from tfpy._src.core import nest
from tfpy._src.core.operand import Composite
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.tf_function.concrete import ConcreteFunction
from tfpy._src.functions.tf_function.open import OpenConcreteFunction
from tfpy._src.functions.tf_function.polymorphic import Function
from tfpy._src.functions.tf_function.signature import TensorSpec

Retrace = Callable[[ConcreteFunction], object]


@dataclass(frozen=True)
class Exported:
    """A function under its name in the file."""

    name: str
    traces: list[ConcreteFunction]
    retrace: Retrace
    output_names: Sequence[str] = field(default=())
    """Names for the results of a model, which has them."""


def exported(name: str, function: Any, signatures: Any) -> Exported:
    """The traces of a function for some signatures.

    Raises:
        TypeError: for what is no function.
        ValueError: when no signature is given or known, or one leaves sizes open.
        NotTraceableError: when a shape depends on values.
    """
    if isinstance(function, ConcreteFunction):
        if signatures is not None:
            raise ValueError(f"tf.export: '{name}' is a ConcreteFunction, which has one signature")
        return Exported(name, [_whole(name, function)], lambda trace: None)
    if not callable(function):
        raise TypeError(f"tf.export: '{name}' is no function or model, but {function!r}")
    known = None
    output_names: Sequence[str] = ()
    if not isinstance(function, Function):
        known = _inputs_of(function)
        output_names = _outputs_of(function)
        function = Function(_of_tensors(function, known) if known else function)
    if known is not None:
        several = signatures if isinstance(signatures, list) else [signatures]
        signatures = [_named_as(name, known, one) for one in several]
    traces = [_whole(name, trace) for trace in _traces(name, function, signatures)]
    return Exported(name, traces, function.traced_again, output_names)


def _traces(name: str, function: Function[..., Any], signatures: Any) -> list[Any]:
    if signatures is None:
        if function.input_signature is not None:
            return [function.get_concrete_function()]
        found = [c for c in function.concrete_functions if not c.call.is_sized]
        if not found:
            raise ValueError(
                f"tf.export: give the signatures of '{name}', such as "
                f"tf.export({name}, path, tf.TensorSpec([1, 28, 28]))"
            )
        return list(found)
    several = signatures if isinstance(signatures, list) else [signatures]
    calls = [_arguments(one) for one in several]
    return [function.get_concrete_function(*args, **kwargs) for args, kwargs in calls]


def _arguments(signature: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    if isinstance(signature, Mapping):
        return (), dict(signature)
    return (signature if isinstance(signature, tuple) else (signature,)), {}


def _whole(name: str, trace: ConcreteFunction) -> ConcreteFunction:
    if isinstance(trace, OpenConcreteFunction):
        raise ValueError(
            f"tf.export: a signature of '{name}' leaves sizes open, {trace!r}; give each size, and "
            "a list of signatures for several sizes"
        )
    return trace


def _inputs_of(model: Any) -> list[TensorSpec] | None:
    """The inputs that a model, such as Keras's, says it has; a batch that it leaves open is 1."""
    inputs = getattr(model, "inputs", None)
    if not isinstance(inputs, list | tuple) or not inputs:
        return None
    found = []
    for given in inputs:
        sizes = list(given.shape)
        if sizes and sizes[0] is None:
            sizes[0] = 1
        label = str(given.name).partition(":")[0]
        found.append(TensorSpec(sizes, as_dtype(given.dtype), label))
    return found


def _outputs_of(model: Any) -> tuple[str, ...]:
    """The names that a model says its outputs have: ``output_names``, or ``outputs`` by name."""
    for attribute in ("output_names", "outputs"):
        names = getattr(model, attribute, None)
        if isinstance(names, list | tuple) and all(isinstance(name, str) for name in names):
            return tuple(name.partition(":")[0] for name in names)
    return ()


def _named_as(name: str, inputs: Sequence[TensorSpec], signature: Any) -> tuple[Any, ...]:
    """A signature of a model, its inputs under the model's names for them."""
    if signature is None:
        return tuple(inputs)
    if isinstance(signature, Mapping):
        names = [str(spec.name) for spec in inputs]
        if signature.keys() != set(names):
            raise ValueError(f"tf.export: the inputs of '{name}' are {names}, not {[*signature]}")
        given = tuple(signature[label] for label in names)
    else:
        given = signature if isinstance(signature, tuple) else (signature,)
    if len(given) != len(inputs):
        raise ValueError(f"tf.export: '{name}' has {len(inputs)} inputs, got {len(given)}")
    return tuple(
        TensorSpec(one.shape, one.dtype, spec.name) for one, spec in zip(given, inputs, strict=True)
    )


def _of_tensors(model: Callable[..., Any], inputs: Sequence[TensorSpec]) -> Callable[..., Any]:
    """The model as a function of its inputs one by one."""

    def call(*tensors: Tensor) -> Any:
        return model(tensors[0] if len(inputs) == 1 else list(tensors))

    call.__name__ = str(getattr(model, "name", "model"))
    return call


def input_names(trace: ConcreteFunction) -> list[str]:
    """The names of the tensors that a call takes, each another one."""
    found: list[str] = []
    for name, _ in trace.call.tensors:
        found.append(_free(str(name).partition(":")[0], found))
    return found


def output_names(trace: ConcreteFunction, given: Sequence[str] = ()) -> list[str]:
    """The names of the tensors that a call gives: the keys of dicts, numbers in lists.

    Raises:
        ValueError: for what is no tensor.
    """
    structure = trace.results.structure
    leaves = nest.flatten(structure)
    if any(isinstance(leaf, Composite) for leaf in leaves):
        raise ValueError(f"tf.export: '{trace.name}' gives ragged or sparse tensors")
    named = list(given)
    if len(named) == len(leaves) and not isinstance(structure, Mapping):
        names = named
    else:
        names = list(_paths(structure, ""))
    kept = [n for n, leaf in zip(names, leaves, strict=True) if isinstance(leaf, Tensor)]
    found: list[str] = []
    for name in kept:
        found.append(_free(name or "output", found))
    return found


def _paths(structure: Any, before: str) -> list[str]:
    if not nest.is_nested(structure):
        return [before]
    if isinstance(structure, Mapping):
        labels = [str(key) for key in sorted(structure)]
    elif hasattr(structure, "_fields"):
        labels = list(structure._fields)
    else:
        count = len(nest.contents(structure))
        labels = [f"output_{i}" if not before else str(i) for i in range(count)]
    pairs = zip(labels, nest.contents(structure), strict=True)
    return [
        path
        for label, inner in pairs
        for path in _paths(inner, f"{before}/{label}" if before else label)
    ]


def _free(name: str, taken: Sequence[str]) -> str:
    found, number = name, 0
    while found in taken:
        number += 1
        found = f"{name}_{number}"
    return found
