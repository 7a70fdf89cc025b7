"""The test cases of operations in the package onnx, run with tfpy."""

from __future__ import annotations

import functools
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.encodings.protobuf import read
from tfpy._src.formats.node_graphs.plan import plan
from tfpy._src.formats.node_graphs.runner import Runner
from tfpy._src.formats.node_graphs.scope import Scope
from tfpy._src.formats.onnx.reader import proto, tensors
from tfpy._src.formats.onnx.reader.dialect import ONNX
from tfpy._src.formats.onnx.reader.files import read_onnx
from tfpy._src.formats.onnx.reader.values import tensor

ABSOLUTE = 1e-6
_STEPS = {"float16": 2**-10, "bfloat16": 2**-7}
"""Relative distance between neighboring numbers, because sums may round to the next number."""


@dataclass(frozen=True)
class Case:
    """A model of a few nodes, its inputs and its expected outputs."""

    name: str
    model: bytes
    data: Any
    relative: float
    absolute: float

    def check(self) -> None:
        """Run the model, compiled if its inputs are tensors.

        Raises:
            AssertionError: If an output differs from the expected one.
        """
        graph = read_onnx(self.model, ONNX)
        for inputs, wanted in self.data:
            given = {
                spec.name: _given(value) for spec, value in zip(graph.inputs, inputs, strict=False)
            }
            for spec in graph.inputs[len(inputs) :]:
                given[spec.name] = None
            if all(isinstance(value, Tensor) for value in given.values()):
                found = Runner(graph)(given, graph.outputs)
            else:
                found = Scope(graph, given).run(plan(graph, graph.outputs, given))
            assert len(found) == len(wanted)
            for one, other in zip(found, wanted, strict=True):
                _compare(one, other, self.relative, max(self.absolute, ABSOLUTE))


def _given(value: Any) -> Any:
    if value is None:
        return None
    if isinstance(value, list):
        return [_given(one) for one in value]
    return tensor(_array(value))


def _array(value: Any) -> Any:
    if hasattr(value, "SerializeToString"):
        return tensors.array(read(value.SerializeToString(), proto.TENSOR))
    array = np.asarray(value)
    if array.dtype.kind in "OU":
        made = np.empty(array.size, object)
        made[:] = [v if isinstance(v, bytes) else str(v).encode() for v in array.reshape(-1)]
        return made.reshape(array.shape)
    return array


def _compare(found: Any, wanted: Any, relative: float, absolute: float) -> None:
    if isinstance(wanted, list):
        assert isinstance(found, list)
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted, strict=True):
            _compare(one, other, relative, absolute)
        return
    array = found.numpy() if isinstance(found, Tensor) else np.asarray(found)
    expected = _array(wanted)
    assert array.shape == expected.shape, f"{array.shape} is not {expected.shape}"
    if expected.dtype == object:
        assert _array(array).tolist() == expected.tolist()
        return
    assert _narrow(array.dtype) == _narrow(expected.dtype), f"{array.dtype}, not {expected.dtype}"
    if expected.dtype.kind in "iub":
        np.testing.assert_array_equal(array.astype(np.int64), expected.astype(np.int64))
    else:
        relative = max(relative, _STEPS.get(expected.dtype.name, 0))
        wide = np.complex128 if expected.dtype.kind == "c" else np.float64
        np.testing.assert_allclose(
            array.astype(wide), expected.astype(wide), rtol=relative, atol=absolute
        )


def _narrow(dtype: Any) -> str:
    """Return the name of tfpy's dtype."""
    return {"int64": "int32", "float64": "float32", "complex128": "complex64"}.get(
        dtype.name, dtype.name
    )


@functools.cache
def cases() -> dict[str, Case]:
    """Return all cases by name."""
    from onnx.backend.test.loader import load_model_tests

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = load_model_tests(kind="node")
    return {
        case.name: Case(
            case.name, case.model.SerializeToString(), case.data_sets, case.rtol, case.atol
        )
        for case in found
    }
