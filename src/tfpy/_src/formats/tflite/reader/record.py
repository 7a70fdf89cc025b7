"""The decorator that registers functions as TFLite operations.

A record is a Python function on tensors. Its positional parameters are the inputs of the operation.
A parameter with the annotation `Array` receives a host array, since its values must be known during
tracing; the values of a parameter with the annotation `Known` should be known. Keyword-only
parameters are options with the schema's names; `gives` is the list of output specs, `scope`
the enclosing values::

    @operation("GATHER")
    def gather(params: Any, indices: Any, *, axis: int, batch_dims: int) -> Any:

Functions compute with real numbers, not with the integers of quantized models: the record
dequantizes the inputs and quantizes the outputs.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from tfpy._src.backends.registry import on_host
from tfpy._src.base import dtypes
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core import primitives as p
from tfpy._src.core.conversion import convert_to_tensor, host_values
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.node_graphs.node import Node
from tfpy._src.formats.node_graphs.scope import Scope
from tfpy._src.formats.tflite.reader.tensors import Info
from tfpy._src.library.io.checked_json import ModelFileError
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.math.arithmetic import sign
from tfpy._src.tensors.variables.variable import Variable

TAKES, GIVES = "takes", "gives"
"""Attributes of every node: the specs of the inputs and the outputs in the file."""

_F = TypeVar("_F", bound=Callable[..., Any])
_HOST = "Array"
Known = Any
DECIDE = (_HOST, "Known")
"""Annotations of inputs whose elements must or should be known during tracing."""
_DISCRETE = frozenset((dtypes.int32, dtypes.bool, dtypes.string, dtypes.uint32, dtypes.uint64))


@dataclass(frozen=True)
class Operation:
    """An operation of the format.

    Attributes:
        name: Name of the operation.
        function: Function that computes the operation.
        moves: True if the operation only moves elements, so that it runs on quantized integers if
            inputs and outputs have the same quantization.
        scales: True if the operation commutes with scaling, so that it runs on quantized integers
            and rounds exactly where TFLite does.
    """

    name: str
    function: Callable[..., Any]
    moves: bool
    scales: bool
    inputs: tuple[tuple[str, bool], ...]
    """Annotation, and whether it is optional, of each input."""
    takes_more: bool
    keywords: Mapping[str, Any]
    """Options with their values in files that omit them: zero or empty."""

    def keeps(self, takes: Sequence[Info | None], gives: Sequence[Info]) -> bool:
        """Return True if the operation runs directly on quantized integers."""
        first = next((t.quantization for t in takes if t and t.quantization), None)
        return self.moves and all(
            first is not None and first.same(info.quantization)
            for info in (*takes, *gives)
            if info and info.quantization
        )

    def run(self, node: Node, values: Sequence[Any], scope: Scope) -> Sequence[Any]:
        """Compute the outputs of a node.

        Raises:
            ModelFileError: If the number of inputs or outputs is invalid for the operation.
        """
        takes, gives = node.attrs[TAKES], node.attrs[GIVES]
        around = {**node.attrs, "scope": scope}
        keywords = {name: around.get(name, absent) for name, absent in self.keywords.items()}
        keeps = self.keeps(takes, gives)
        factor = _factor(takes, gives, node.attrs) if self.scales and not keeps else None
        values = self._taken(node, values)
        on_the_host = bool(values) and all(
            isinstance(v, np.ndarray) for v in values if v is not None
        )
        with on_host() if on_the_host else nullcontext():
            if not keeps:
                values = [
                    real(value, info, factor is None) if self._kind(i) != _HOST else value
                    for i, (value, info) in enumerate(zip(values, takes, strict=True))
                ]
            made = self.function(*values, **keywords)
            results = list(made) if isinstance(made, tuple | list) else [made]
            if len(results) < len(gives):
                raise ModelFileError(f"{node.op} has {len(results)} outputs, got {len(gives)}.")
            if not keeps:
                results = [whole(v, g, factor) for v, g in zip(results, gives, strict=False)]
        return [_settled(value) for value in results[: len(gives)]]

    def _kind(self, place: int) -> str:
        return self.inputs[place][0] if place < len(self.inputs) else ""

    def _taken(self, node: Node, values: Sequence[Any]) -> list[Any]:
        if len(values) > len(self.inputs) and not self.takes_more:
            raise ModelFileError(f"{node.op} has {len(self.inputs)} inputs, got {len(values)}.")
        for i, (_, is_optional) in enumerate(self.inputs):
            if not is_optional and (i >= len(values) or values[i] is None):
                raise ModelFileError(f"{node.op} {node.name!r} requires input {i}.")
        return [
            host_values(value) if self._kind(i) == _HOST and value is not None else value
            for i, value in enumerate(values)
        ]


RECORDS: dict[str, Operation] = {}
"""Operations by name."""


def op(name: str, function: Callable[..., Any], moves: bool = False, scales: bool = False) -> None:
    """Register a function as an operation."""
    inputs, takes_more = [], False
    keywords: dict[str, Any] = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.VAR_POSITIONAL:
            takes_more = True
        elif parameter.kind is parameter.KEYWORD_ONLY:
            is_list = parameter.annotation == _HOST
            keywords[parameter.name] = np.zeros(0, np.int32) if is_list else 0
        elif parameter.name != "name":
            kind = str(parameter.annotation).removesuffix(" | None")
            inputs.append((kind, parameter.default is not parameter.empty))
    RECORDS[name] = Operation(name, function, moves, scales, tuple(inputs), takes_more, keywords)


def operation(*names: str, moves: bool = False, scales: bool = False) -> Callable[[_F], _F]:
    """Register a function as the operation of these names."""

    def enter(function: _F) -> _F:
        for name in names:
            op(name, function, moves, scales)
        return function

    return enter


def real(value: Any, info: Info | None, scaled: bool = True) -> Any:
    """Dequantize a value; other values are returned unchanged."""
    if info is None or info.quantization is None or value is None:
        return value
    if isinstance(value, Variable) or not _is_whole(value):
        return value
    if isinstance(value, np.ndarray):
        return info.quantization.real(value)
    scale, zero = info.quantization.shaped(len(value.shape))
    found = cast(value, dtypes.float32)
    if zero.any():
        found = p.subtract(found, zero)
    return p.multiply(found, scale) if scaled else found


def whole(value: Any, info: Info, factor: float | None = None) -> Any:
    """Quantize a value for a quantized output.

    Args:
        value: Real numbers.
        info: Spec of the output.
        factor: Factor that replaces the division by the output's scale.
    """
    if info.quantization is None or _is_whole(value):
        return value
    scale, zero = info.quantization.shaped(len(value.shape))
    if factor is None:
        steps = p.round(p.realdiv(value, scale))
        steps = p.add(steps, zero) if zero.any() else steps
    else:
        steps = p.add(value if factor == 1 else p.multiply(value, factor), zero)
        steps = p.multiply(
            sign(steps), p.floor(p.add(p.abs(steps), 0.5))
        )  # rounds halves away from 0
    if info.dtype in ("int8", "uint8", "int16"):
        limits = np.iinfo(info.dtype)
        steps = p.minimum(p.maximum(steps, float(limits.min)), float(limits.max))
        return cast(cast(steps, dtypes.int32), info.tensor_dtype)
    return cast(steps, info.tensor_dtype)


def _is_whole(value: Any) -> bool:
    kind = value.dtype.kind if isinstance(value, np.ndarray) else None
    return kind in "iub" if kind else not convert_to_tensor(value).dtype.is_floating


def _factor(
    takes: Sequence[Info | None], gives: Sequence[Info], attrs: Mapping[str, Any]
) -> float | None:
    """Return the factor from an operation's only quantized input to its output.

    Returns None if the input must be dequantized first.
    """
    taken = [info.quantization for info in takes if info and info.quantization]
    given = gives[0].quantization if gives else None
    if len(taken) != 1 or given is None or taken[0].scale.size != 1 or given.scale.size != 1:
        return None
    if attrs.get("fused_activation_function", 0) not in (0, 1):
        return None
    return float(taken[0].scale.item()) / float(given.scale.item())


def _settled(value: Any) -> Any:
    """Convert discrete values on the host to arrays, so that shapes stay known."""
    if type(value) is Tensor and value.dtype in _DISCRETE:
        storage = value.storage
        if storage.host is not None or (storage.backend is not None and storage.backend.on_host):
            array: Array = value.host_view()
            return array
    return value
