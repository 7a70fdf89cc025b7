"""The signatures of a loaded model, and the conversion of a call's arguments to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tfpy._src.base.dtypes import DType
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.node_graphs.node import Spec
from tfpy._src.functions.tf_function.signature import TensorSpec
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.variables.variable import Variable


@dataclass(frozen=True)
class ModelSignature:
    """The inputs and outputs of a model, by the names that callers use.

    Attributes:
        inputs: Specs of the graph's inputs by public name.
        outputs: Names of the graph's output values by public name.
        structured: True if a call returns the outputs as a dictionary.
    """

    inputs: Mapping[str, Spec]
    outputs: Mapping[str, str]
    structured: bool = False


def tensors(found: Sequence[Any]) -> list[Tensor]:
    """Convert values to tensors."""
    return [value if isinstance(value, Tensor) else convert_to_tensor(value) for value in found]


def by_name(
    signature: ModelSignature, inputs: Sequence[Any], named: Mapping[str, Any]
) -> dict[str, Any]:
    """Map the arguments of a call to the names of the signature's inputs.

    Raises:
        ValueError: If there are more tensors than inputs.
    """
    if len(inputs) == 1 and isinstance(inputs[0], Mapping):
        found = {_known(signature, str(k)): v for k, v in inputs[0].items()}
    else:
        is_list = len(inputs) == 1 and isinstance(inputs[0], list | tuple)
        if is_list and (len(signature.inputs) > 1 or _holds_tensors(inputs[0])):
            inputs = inputs[0]
        if len(inputs) > len(signature.inputs):
            raise ValueError(f"the model takes {takes(signature)}, but got {len(inputs)} tensors")
        found = dict(zip(signature.inputs, inputs, strict=False))
    found.update({_known(signature, k): v for k, v in named.items()})
    return found


def _holds_tensors(values: Sequence[Any]) -> bool:
    return len(values) == 1 and hasattr(values[0], "shape")


def _known(signature: ModelSignature, name: str) -> str:
    """Find an input by its name, with or without ":0", or by its name in the graph."""
    for key in (name, name.removesuffix(":0"), f"{name}:0"):
        if key in signature.inputs:
            return key
    for key, spec in signature.inputs.items():
        if spec.name == name.removesuffix(":0"):
            return key
    return name


def takes(signature: ModelSignature) -> str:
    """Return the number and the names of a model's inputs, for error messages."""
    return f"{len(signature.inputs)} ({', '.join(signature.inputs)})"


def spec_of(name: str, spec: Spec) -> TensorSpec:
    """Convert the spec of a graph's input to a `tf.TensorSpec`. Unknown dtypes become float32."""
    return TensorSpec(spec.shape, spec.dtype or "float32", name)


def closed(spec: TensorSpec) -> TensorSpec:
    """Replace the open sizes of a spec by 1.

    Raises:
        ValueError: If the rank is unknown.
    """
    if spec.shape.rank is None:
        raise ValueError(
            f"warm_up: the shape of the input {spec.name!r} is not known. Pass a tf.TensorSpec or "
            "a tensor for it"
        )
    return TensorSpec([1 if n is None else n for n in spec.shape], spec.dtype, spec.name)


def sizes_text(spec: TensorSpec) -> str:
    """Return a shape as text, with `?` for an open size."""
    if spec.shape.rank is None:
        return "[...]"
    return str(["?" if n is None else n for n in spec.shape]).replace("'", "")


def fitting(name: str, value: Any, spec: Spec) -> Tensor:
    """Convert a value to a tensor for an input.

    Integers of another width, and floats of another precision, are cast to the input's dtype.

    Raises:
        TypeError: If the dtypes differ in kind.
        ValueError: If the shape does not match.
    """
    tensor = _of_dtype(name, value, spec.dtype)
    if spec.shape is not None:
        sizes = tensor.aval.shape
        fits = len(sizes) == len(spec.shape) and all(
            wanted in (None, size) for wanted, size in zip(spec.shape, sizes, strict=True)
        )
        if not fits:
            expected = sizes_text(spec_of(name, spec))
            raise ValueError(f"input {name!r} must have the shape {expected}, got {list(sizes)}")
    return tensor


def _of_dtype(name: str, value: Any, dtype: DType | None) -> Tensor:
    if type(value) is Tensor and value.aval.dtype is dtype:
        return value
    if dtype is None:
        return convert_to_tensor(value)
    if not isinstance(value, Tensor | Variable) and not hasattr(value, "dtype"):
        return convert_to_tensor(value, dtype)
    tensor = convert_to_tensor(value)
    if tensor.dtype == dtype:
        return tensor
    if (tensor.dtype.is_integer and dtype.is_integer) or (
        tensor.dtype.is_floating and dtype.is_floating
    ):
        return cast(tensor, dtype)
    raise TypeError(
        f"input {name!r} must be of dtype {dtype.name}, got {tensor.dtype.name}. Convert it with "
        "tf.cast"
    )
