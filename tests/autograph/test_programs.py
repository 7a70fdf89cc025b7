"""Programs with Python control flow on tensors return the same as with TensorFlow's AutoGraph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from api.same import compare
from autograph.programs import PROGRAMS

import tfpy


def _array(value: Any) -> Any:
    array = np.array(value)
    return array.astype(np.float32 if array.dtype.kind == "f" else np.int32)


def _run(lib: Any, function: Callable[..., Any], inputs: list[list[Any]]) -> list[Any]:
    compiled = lib.function(function)
    return [compiled(lib, *(lib.constant(_array(v)) for v in given)) for given in inputs]


@pytest.mark.parametrize(("function", "inputs"), PROGRAMS, ids=lambda p: getattr(p, "__name__", ""))
def test_values(function: Callable[..., Any], inputs: list[list[Any]]) -> None:
    compare(_run(tfpy, function, inputs), _oracle(function, inputs), 1e-5, function.__name__)


def _oracle(function: Callable[..., Any], inputs: list[list[Any]]) -> list[Any]:
    """Return TensorFlow's compiled results, or its eager results for programs that it rejects."""
    try:
        return _run(tf, function, inputs)
    except (ValueError, NotImplementedError, tf.errors.OpError, TypeError):
        return [function(tf, *(tf.constant(_array(v)) for v in given)) for given in inputs]


FLOATS = [
    (f, i) for f, i in PROGRAMS if _array(i[0][0]).dtype == np.float32 and f.__name__ != "walrus"
]


def _gradients(lib: Any, function: Callable[..., Any], given: list[Any]) -> list[Any]:
    inputs = [lib.constant(_array(v)) for v in given]
    with lib.GradientTape() as tape:
        tape.watch(inputs)
        result = function(lib, *inputs)
        leaves = list(result) if isinstance(result, list | tuple) else [result]
        results = [y for y in leaves if lib.is_tensor(y) and y.dtype == lib.float32]
    return list(tape.gradient(results, inputs, unconnected_gradients="zero"))


@pytest.mark.parametrize(("function", "inputs"), FLOATS, ids=lambda p: getattr(p, "__name__", ""))
def test_gradients(function: Callable[..., Any], inputs: list[list[Any]]) -> None:
    for given in inputs:
        mine = _gradients(tfpy, tfpy.function(function), given)
        wanted = _gradients(tf, function, given)
        compare(mine, wanted, 1e-4, function.__name__)
