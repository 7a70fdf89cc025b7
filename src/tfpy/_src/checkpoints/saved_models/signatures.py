"""Signatures of a SavedModel: functions that take tensors by name and return named tensors."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tfpy._src.base.dtypes import DType, resource
from tfpy._src.checkpoints.saved_models.constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from tfpy._src.checkpoints.saved_models.functions import WrittenFunction
from tfpy._src.checkpoints.saved_models.objects import SignatureWrapper, held, is_function, traced
from tfpy._src.core import nest
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.tensorflow.writer.binary import function_proto, node_proto
from tfpy._src.formats.tensorflow.writer.nodes import Func
from tfpy._src.functions.tf_function.concrete import ConcreteFunction
from tfpy._src.functions.tf_function.description import Parameter, parameters_of
from tfpy._src.functions.tf_function.polymorphic import Function
from tfpy._src.functions.tf_function.signature import TensorSpec

Sizes = Iterable[int | None] | None
"""Shape of an argument. None is a shape of unknown rank."""


def canonical(root: Any, signatures: Any) -> dict[str, ConcreteFunction]:
    """Return the functions of the signatures by name.

    Args:
        root: The object that is saved.
        signatures: Argument of `save`: a function, a dict of functions, or None.

    Raises:
        ValueError: If a function has no signature, or a signature is not a function.
    """
    if signatures is None:
        found = _default(root)
        return {} if found is None else {DEFAULT_SERVING_SIGNATURE_DEF_KEY: found}
    if not isinstance(signatures, Mapping):
        signatures = {DEFAULT_SERVING_SIGNATURE_DEF_KEY: signatures}
    return {key: _function(key, traced(signatures[key])) for key in signatures}


def _default(root: Any) -> ConcreteFunction | None:
    """Return the function that Keras specifies for a model, or else the only one of the root."""
    functions = [traced(value) for value in held(root).values() if is_function(value)]
    chosen = getattr(root, "_default_save_signature", None)
    if is_function(chosen):
        functions = [traced(chosen)]
    if len(functions) != 1:
        return None
    (function,) = functions
    if isinstance(function, Function):
        if function.input_signature is None:
            return None
        function = function.get_concrete_function()
    if not isinstance(function, ConcreteFunction):
        return None
    try:
        _named_outputs(function)
        _named_inputs(function)
    except ValueError:
        return None
    return function


def _function(key: Any, function: Any) -> ConcreteFunction:
    if not isinstance(key, str) or not key or key.startswith("__"):
        raise ValueError(
            f"The name of a signature must be a string without leading '__', got {key!r}."
        )
    if isinstance(function, Function):
        if function.input_signature is None:
            raise ValueError(
                f"Expected a TensorFlow function for which to generate a signature, but got "
                f"{function}. Only `tf.functions` with an input signature or concrete functions "
                "can be used as a signature."
            )
        function = function.get_concrete_function()
    if not isinstance(function, ConcreteFunction):
        raise ValueError(
            f"Expected a TensorFlow function for which to generate a signature, but got "
            f"{function}. Python functions may be decorated with `@tf.function` and passed as "
            "signatures if they have an `input_signature`, or `get_concrete_function` may be "
            "called on a `tf.function` to get a concrete function."
        )
    _named_inputs(function)
    _named_outputs(function)
    return function


def _named_inputs(function: ConcreteFunction) -> list[TensorSpec]:
    leaves = nest.flatten(function.structured_input_signature)
    specs = [leaf for leaf in leaves if isinstance(leaf, TensorSpec)]
    names = [spec.name for spec in specs]
    if len(set(names)) != len(names):
        raise ValueError(
            f"Got non-flat/non-unique argument names for SavedModel signature "
            f"'{function.name}': more than one argument to the function is named one of {names}. "
            "Signatures have one Tensor per named input, so to have predictable names Python "
            "functions used to generate these signatures should avoid *args and Tensors in nested "
            "structures unless unique names are specified for each. Use tf.TensorSpec(..., "
            "name=...) to provide a name for a Tensor input."
        )
    parameters = parameters_of(function._signature, function.call.arguments)
    distinct = _distinct([name for parameter in parameters for name in _names_in(parameter)])
    return [TensorSpec(s.shape, s.dtype, name) for s, name in zip(specs, distinct, strict=True)]


def _names_in(parameter: Parameter) -> list[str]:
    """Return a name for each tensor of an argument: the name of its spec, or of the parameter."""
    leaves = [x for x in nest.flatten(parameter.value) if isinstance(x, Tensor | TensorSpec)]
    return [str((x.name if isinstance(x, TensorSpec) else None) or parameter.name) for x in leaves]


def _distinct(names: Sequence[str]) -> list[str]:
    """Return names in which the second "x" is "x_1", the third one "x_2", as in a graph."""
    counts: dict[str, int] = {}
    found: list[str] = []
    for name in names:
        proposal = name
        while proposal in found:
            counts[name] = counts.get(name, 0) + 1
            proposal = f"{name}_{counts[name]}"
        found.append(proposal)
    return found


def _named_outputs(function: ConcreteFunction) -> list[str]:
    """Return the names of the results, in order."""
    found = function.structured_outputs
    if isinstance(found, Mapping):
        if not all(isinstance(key, str) for key in found):
            raise ValueError(
                f"Got a dictionary with a non-string key in the output of the function "
                f"{function.name} used to generate a SavedModel signature: {list(found)}."
            )
        names = sorted(found)
        values = [found[name] for name in names]
    else:
        values = list(found) if isinstance(found, Sequence) else [found]
        names = [f"output_{i}" for i in range(len(values))]
    for value in values:
        if not isinstance(value, Tensor):
            raise ValueError(
                f"Got a non-Tensor value {value!r} in the output of the function {function.name} "
                "used to generate a SavedModel signature. Outputs for functions used as signatures "
                "must be a single Tensor, a sequence of Tensors, or a dictionary from string to "
                "Tensor."
            )
    return names


def wrapper(key: str, function: ConcreteFunction, inner: WrittenFunction) -> SignatureWrapper:
    """Return a function with named results that calls another one.

    Args:
        key: Name of the signature.
        function: The function.
        inner: The function in the form of the library.
    """
    given = _named_inputs(function)
    inputs = sorted(given, key=lambda spec: str(spec.name))  # the order of keyword arguments
    names = _named_outputs(function)
    pairs = zip(names, inner.outputs, strict=True)
    outputs = [TensorSpec(spec.shape, spec.dtype, name) for name, spec in pairs]
    number = inner.name.rpartition("_")[2]
    name = f"__inference_signature_wrapper_{key}_{number}"
    if name == inner.name:  # a signature of a loaded model
        name = f"__inference_signature_{key}_{number}"
    arguments: list[tuple[str, DType, Sizes]] = [
        (f"arg_{i}", spec.dtype, _sizes(spec)) for i, spec in enumerate(inputs)
    ]
    arguments += [(f"resource_{i}", resource, ()) for i, _ in enumerate(inner.captured)]
    attrs = {
        "Tin": [*(spec.dtype for spec in given), *(resource for _ in inner.captured)],
        "Tout": [spec.dtype for spec in outputs],
        "f": Func(inner.name),
    }
    call = "StatefulPartitionedCall"
    passed = [f"arg_{inputs.index(spec)}" for spec in given]
    passed += [name for name, _, _ in arguments[len(inputs) :]]
    nodes = [node_proto(call, call, passed, attrs)]
    results = []
    for i, spec in enumerate(outputs):
        read = [f"{call}:output:{i}", f"^{call}"]
        nodes.append(node_proto(f"Identity_{i}", "Identity", read, {"T": spec.dtype}))
        results.append((f"identity_{i}", spec.dtype, f"Identity_{i}:output:0"))
    message = function_proto(name, arguments, results, nodes, [call])
    by_name = {str(spec.name): spec for spec in inputs}
    result = {str(spec.name): spec for spec in outputs}
    written = WrittenFunction(
        name, inputs, outputs, ((), by_name), result, inner.captured, [message]
    )
    keyword = inspect.Parameter.KEYWORD_ONLY
    return SignatureWrapper(
        written, inspect.Signature([inspect.Parameter(n, keyword) for n in by_name])
    )


def _sizes(spec: TensorSpec) -> Sizes:
    return None if spec.shape.rank is None else spec.shape.as_list()
