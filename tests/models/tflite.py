"""Helpers that run and make TFLite models with TensorFlow's interpreter and converter."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as reference

_OPS = reference.lite.experimental.OpResolverType
_PLAIN = _OPS.BUILTIN_WITHOUT_DEFAULT_DELEGATES


class Interpreter:
    """TensorFlow's interpreter of a file. It keeps the model's state between calls.

    Args:
        data: Contents of the file.
        plain: If True, the interpreter's own kernels run. If False, those of XNNPACK run, which
            support MediaPipe's operations.
    """

    def __init__(self, data: bytes, plain: bool = True) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the interpreter will move to another package
            self._run = reference.lite.Interpreter(
                model_content=data,
                experimental_op_resolver_type=_PLAIN if plain else _OPS.AUTO,
                experimental_preserve_all_tensors=plain,
            )
        self._inputs = {_name(d): d["index"] for d in self._run.get_input_details()}

    def __call__(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Return all outputs by the names of their tensors."""
        for name, value in inputs.items():
            self._run.resize_tensor_input(self._inputs[name], value.shape)
        self._run.allocate_tensors()
        for name, value in inputs.items():
            self._run.set_tensor(self._inputs[name], value)
        self._run.invoke()
        return {_name(d): self._run.get_tensor(d["index"]) for d in self._run.get_output_details()}

    def tensor(self, name: str) -> Any:
        """Return the value of a tensor inside the model after a call."""
        (found,) = (d["index"] for d in self._run.get_tensor_details() if _name(d) == name)
        return self._run.get_tensor(found)


def by_tensor(model: Any, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Return inputs by the names of their tensors."""
    specs = model._signature.inputs
    return {specs[name].name: value for name, value in inputs.items()}


def _name(detail: Mapping[str, Any]) -> str:
    return detail["name"].removesuffix(":0")


def sample(shape: Sequence[int | None], dtype: Any, step: int = 0) -> Any:
    """Return numbers of a fixed sequence: floats from 0 to 1, or integers of one byte."""
    sizes = [size or 1 for size in shape]
    found = ((np.arange(np.prod(sizes)) + step) * 7919 % 1009 / 1009).reshape(sizes)
    if np.dtype(dtype).kind in "iu":
        return (np.floor(found * 255) + min(0, np.iinfo(dtype).min) % -256).astype(dtype)
    return found.astype(dtype)


def converted(
    function: Callable[..., Any],
    *inputs: Any,
    whole: Any = None,
    optimized: bool = False,
    flex: bool = False,
    behind: bool = False,
) -> bytes:
    """Convert a TensorFlow function into a TFLite file.

    Args:
        function: Function of tensors that returns a dictionary of outputs.
        *inputs: Arrays with the shapes and dtypes of the function's arguments.
        whole: Dtype of the inputs and outputs of an integer model, or None for a float model.
        optimized: If True, the weights of a float model are quantized to integers.
        flex: If True, the model may contain operations that only TensorFlow has.
        behind: If True, the weights are stored after the FlatBuffer's tables.

    Returns:
        Contents of the file.
    """
    specs = [reference.TensorSpec(x.shape, x.dtype, name=f"x{i}") for i, x in enumerate(inputs)]
    traced = reference.function(function, input_signature=specs, autograph=True)
    converter = reference.lite.TFLiteConverter.from_concrete_functions(
        [traced.get_concrete_function()], reference.Module()
    )
    converter._experimental_use_buffer_offset = behind
    if whole is not None or optimized:
        converter.optimizations = [reference.lite.Optimize.DEFAULT]
    if flex:
        converter.target_spec.supported_ops = [
            reference.lite.OpsSet.TFLITE_BUILTINS,
            reference.lite.OpsSet.SELECT_TF_OPS,
        ]
    if whole is not None:
        rng = np.random.default_rng(0)
        converter.representative_dataset = lambda: (
            [(x * rng.uniform(0.5, 1.0, x.shape)).astype(x.dtype) for x in inputs] for _ in range(8)
        )
        converter.target_spec.supported_ops = [reference.lite.OpsSet.TFLITE_BUILTINS_INT8]
        converter.inference_input_type = converter.inference_output_type = whole
    return converter.convert()
