"""Random chains of calls: compiled or not, tfpy gives TensorFlow's values and gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow
from function.chains import Array, Chain, chain

import tfpy

SEEDS = range(60)


def check(program: Chain, lib: Any, *, compiled: bool) -> None:
    """Compares values, and gradients of a random mix of the outputs, with TensorFlow's."""
    wanted = results(program, tensorflow, lambda f: f)
    found = results(program, lib, lib.function if compiled else lambda f: f)
    for mine, theirs in zip(found, wanted, strict=True):
        assert mine.shape == theirs.shape, program.text
        largest = float(np.abs(theirs).max(initial=0))
        np.testing.assert_allclose(mine, theirs, 5e-4, 5e-4 * (1 + largest), err_msg=program.text)


def results(program: Chain, lib: Any, compile: Callable[[Any], Any]) -> list[Array]:
    """The second call's outputs and the gradients of inputs and weights."""
    function = program.function()
    weights = [lib.Variable(w) for w in program.weights]

    def step(*inputs: Any) -> Any:
        with lib.GradientTape() as tape:
            tape.watch(inputs)
            outputs = function(lib, *inputs, *weights)
            rng = np.random.default_rng(5)
            mixes = [rng.uniform(-1, 1, tuple(y.shape)).astype(np.float32) for y in outputs]
            loss = lib.add_n(
                [lib.reduce_sum(y * mix) for y, mix in zip(outputs, mixes, strict=True)]
            )
        sources = [*inputs, *weights]
        return outputs, tape.gradient(loss, sources, unconnected_gradients="zero")

    run = compile(step)
    inputs = [lib.constant(a) for a in program.inputs]
    run(*inputs)
    outputs, gradients = run(*inputs)
    return [np.asarray(lib.convert_to_tensor(y)) for y in (*outputs, *gradients)]


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_chain(seed: int, compiled: bool) -> None:
    check(chain(seed), tfpy, compiled=compiled)
