"""Helpers that run the same program with ``tensorflow`` and ``tfpy`` and compare the results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from api.same import compare

import tfpy

Array = np.ndarray[Any, Any]
Program = Callable[..., Any]
"""``program(lib, *tensors)`` returns a tensor or a nest of tensors."""


def check(program: Program, *arrays: Any, tolerance: float = 1e-5, grads: bool = False) -> None:
    """Compare values and, with `grads`, the gradients of a random mix of the outputs."""
    mine, wanted = (program(lib, *_tensors(lib, arrays)) for lib in (tfpy, tf))
    compare(mine, wanted, tolerance, "values")
    if grads:
        mine, wanted = (gradients(lib, program, arrays) for lib in (tfpy, tf))
        compare(mine, wanted, 20 * tolerance, "gradients")


def gradients(lib: Any, program: Program, arrays: Sequence[Any]) -> list[Array]:
    """Return the gradient for each float array, zeros where there is none."""
    inputs = _tensors(lib, arrays)
    watched = [x for x in inputs if x.dtype == lib.float32]
    with lib.GradientTape() as tape:
        for x in watched:
            tape.watch(x)
        outputs = [y for y in _leaves(program(lib, *inputs)) if y.dtype == lib.float32]
    rng = np.random.default_rng(5)
    seeds = [lib.constant(rng.uniform(-1, 1, tuple(y.shape)).astype(np.float32)) for y in outputs]
    found = tape.gradient(outputs, watched, seeds, unconnected_gradients="zero")
    return [np.asarray(lib.convert_to_tensor(g)) for g in found]


def raises(program: Program, *arrays: Any) -> None:
    """Check that both libraries raise errors with the same class name."""
    with pytest.raises(Exception) as theirs:  # noqa: PT011 - any class; ours must be the same
        program(tf, *_tensors(tf, arrays))
    with pytest.raises(Exception) as ours:  # noqa: PT011
        program(tfpy, *_tensors(tfpy, arrays))
    assert ours.type.__name__ == theirs.type.__name__, f"{ours.value!r} for {theirs.value!r}"


def _tensors(lib: Any, arrays: Sequence[Any]) -> list[Any]:
    return [lib.constant(a) for a in arrays]


def _leaves(nest: Any) -> list[Any]:
    if isinstance(nest, list | tuple):
        return [leaf for item in nest for leaf in _leaves(item)]
    return [nest]
