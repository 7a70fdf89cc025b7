"""The signatures of a loaded model: names, shapes and dtypes of its inputs and outputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tfpy._src.formats.node_graphs.node import Spec
from tfpy._src.functions.tf_function.signature import TensorSpec


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


def input_name(signature: ModelSignature, name: str) -> str:
    """Find an input by its name, with or without ":0", or by its name in the graph."""
    for key in (name, name.removesuffix(":0"), f"{name}:0"):
        if key in signature.inputs:
            return key
    for key, spec in signature.inputs.items():
        if spec.name == name.removesuffix(":0"):
            return key
    return name
