"""The traces of functions and models to export, with names for their inputs and outputs."""

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
    """A function of the file."""

    name: str
    traces: list[ConcreteFunction]
    retrace: Retrace
    output_names: Sequence[str] = field(default=())
    """Output names of a model that specifies them."""


def exported(name: str, function: Any, signatures: Any) -> Exported:
    """Trace a function for some signatures.

    Raises:
        TypeError: If `function` is not callable.
        ValueError: If there is no signature, or a signature has open sizes.
        NotTraceableError: If a shape depends on values.
    """
    if isinstance(function, ConcreteFunction):
        if signatures is not None:
            raise ValueError(
                f"tf.export: '{name}' is a ConcreteFunction, which already has a signature. Do not "
                "pass `signatures`"
            )
        return Exported(name, [_whole(name, function)], lambda trace: None)
    if not callable(function):
        raise TypeError(f"tf.export: '{name}' must be a function or model, got {function!r}")
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
                f"tf.export: '{name}' has no signature. Pass one, such as "
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
            f"tf.export: a signature of '{name}' has open sizes: {trace!r}. Specify each size, "
            "or pass a list of signatures for several sizes"
        )
    return trace


def _inputs_of(model: Any) -> list[TensorSpec] | None:
    """Return the input specs of a model, such as a Keras model. An open batch size becomes 1."""
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
    """Return the output names of a model, from `output_names` or names in `outputs`."""
    for attribute in ("output_names", "outputs"):
        names = getattr(model, attribute, None)
        if isinstance(names, list | tuple) and all(isinstance(name, str) for name in names):
            return tuple(name.partition(":")[0] for name in names)
    return ()


def _named_as(name: str, inputs: Sequence[TensorSpec], signature: Any) -> tuple[Any, ...]:
    """Return a signature of a model with the model's input names."""
    if signature is None:
        return tuple(inputs)
    if isinstance(signature, Mapping):
        names = [str(spec.name) for spec in inputs]
        if signature.keys() != set(names):
            raise ValueError(
                f"tf.export: the inputs of '{name}' are {names}, but the signature has "
                f"{[*signature]}"
            )
        given = tuple(signature[label] for label in names)
    else:
        given = signature if isinstance(signature, tuple) else (signature,)
    if len(given) != len(inputs):
        raise ValueError(
            f"tf.export: '{name}' has {len(inputs)} inputs, but the signature has {len(given)}"
        )
    return tuple(
        TensorSpec(one.shape, one.dtype, spec.name) for one, spec in zip(given, inputs, strict=True)
    )


def _of_tensors(model: Callable[..., Any], inputs: Sequence[TensorSpec]) -> Callable[..., Any]:
    """Wrap a model as a function with one parameter per input."""

    def call(*tensors: Tensor) -> Any:
        return model(tensors[0] if len(inputs) == 1 else list(tensors))

    call.__name__ = str(getattr(model, "name", "model"))
    return call


def input_names(trace: ConcreteFunction) -> list[str]:
    """Return a unique name for each tensor that a call takes."""
    found: list[str] = []
    for name, _ in trace.call.tensors:
        found.append(_free(str(name).partition(":")[0], found))
    return found


def output_names(trace: ConcreteFunction, given: Sequence[str] = ()) -> list[str]:
    """Return a unique name for each tensor that a call returns.

    The names are the keys of dictionaries and the indices of lists.

    Raises:
        ValueError: If a result is a ragged or sparse tensor.
    """
    structure = trace.results.structure
    leaves = nest.flatten(structure)
    if any(isinstance(leaf, Composite) for leaf in leaves):
        raise ValueError(
            f"tf.export: '{trace.name}' returns ragged or sparse tensors, which a page does not "
            "support"
        )
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
