"""Programs with Python control flow on tensors give what TensorFlow's AutoGraph gives."""

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
    compare(_run(tfpy, function, inputs), _run(tf, function, inputs), 1e-5, function.__name__)


FLOATS = [
    (f, i) for f, i in PROGRAMS if _array(i[0][0]).dtype == np.float32 and f.__name__ != "walrus"
]


def _gradients(lib: Any, function: Callable[..., Any], given: list[Any]) -> list[Any]:
    inputs = [lib.constant(_array(v)) for v in given]
    with lib.GradientTape() as tape:
        tape.watch(inputs)
        result = lib.function(function)(lib, *inputs)
        results = [y for y in lib.nest.flatten(result) if y.dtype == lib.float32]
    return tape.gradient(results, inputs, unconnected_gradients="zero")


@pytest.mark.parametrize(("function", "inputs"), FLOATS, ids=lambda p: getattr(p, "__name__", ""))
def test_gradients(function: Callable[..., Any], inputs: list[list[Any]]) -> None:
    for given in inputs:
        mine, wanted = (_gradients(lib, function, given) for lib in (tfpy, tf))
        compare(mine, wanted, 1e-4, function.__name__)
