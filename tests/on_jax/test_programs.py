"""The programs that other backends run in browsers: control flow, random numbers, updates in place,
leaks, networks."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from function.chains import chain
from function.test_chains import check

import tfpy
from e2e import (
    test_control_flow as control_flow,
    test_donation as donation,
    test_leaks as leaks,
    test_networks as networks,
    test_ops as ops,
    test_random as random,
)

rest = pytest.mark.rest

CASES: dict[str, Callable[..., Any]] = {
    **{
        f"control-flow-{program.__name__}": partial(
            inspect.unwrap(control_flow.test_programs), number=number
        )
        for number, program in enumerate(control_flow.PROGRAMS)
    },
    **{
        test.__name__.removeprefix("test_"): inspect.unwrap(test)
        for test in (
            control_flow.test_variables_and_effects,
            control_flow.test_decorated_methods_of_an_installed_package,
            random.test_bits,
            random.test_counters_carry,
            random.test_seeds_and_generators_within_functions,
            donation.test_old_values_stay_as_they_are,
            donation.test_the_state_of_a_loop,
            donation.test_a_loop_over_a_variable,
            leaks.test_device_memory_does_not_grow,
            leaks.test_a_training_loop_holds_memory_flat,
            leaks.test_errors_leak_nothing,
            ops.test_gradients_of_a_small_network,
        )
    },
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.usefixtures("no_leaks")
def test_as_in_browsers(name: str) -> None:
    case = CASES[name]
    wanted = inspect.signature(case).parameters
    given = {"tf": tfpy, "backend": "jax"}
    done = case(**{key: value for key, value in given.items() if key in wanted})
    if inspect.isawaitable(done):
        asyncio.run(done)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n == "transformer" else rest) for n in networks.NETWORKS]
)
def test_networks(name: str) -> None:
    got = networks.results(tfpy, name, compiled=True)
    tfpy.set_backend("cpu")
    wanted = networks.results(tfpy, name, compiled=False)
    assert networks.error_of(got, wanted) < networks.TOLERANCE


SEEDS = [pytest.param(seed, marks=rest if seed % 8 else ()) for seed in range(300, 330)]


@pytest.mark.parametrize("seed", SEEDS)
def test_chains(seed: int) -> None:
    """Random calls, compiled: values and gradients are TensorFlow's."""
    check(chain(seed), tfpy, compiled=True)


def test_donated_variables_are_written_over() -> None:
    """The old values' arrays are gone after a step, and their bytes are the new ones'."""
    from tfpy._src.runtime import registry

    v = tfpy.Variable(np.ones(2**16, np.float32))

    @tfpy.function
    def step() -> None:
        v.assign(v * 0.5 + 1.0)

    step()
    before = v.value().storage
    backend: Any = registry.active_backend()
    array = backend._arrays[before.slot]
    del before
    step()
    assert array.is_deleted()
    kept = v.value()
    step()
    np.testing.assert_array_equal(kept.numpy(), np.full(2**16, 1.75, np.float32))


def parts(function: Any, *arguments: Any) -> tuple[list[str], str]:
    """Where the parts of a compiled function run, and their text."""
    lowered = function.get_concrete_function(*arguments).lower()
    return [part.place for part in lowered.lowering.parts], lowered.as_text()


def test_control_flow_is_part_of_the_program() -> None:
    x, w = tfpy.ones([4, 3]), tfpy.eye(3)
    for program in control_flow.PROGRAMS:
        places, text = parts(tfpy.function(lambda x, w, f=program: f(tfpy, x, w)), x, w)
        assert places == ["jax"], program.__name__
        assert "stablehlo.while" in text or "stablehlo.case" in text


def test_numbers_of_branches() -> None:
    """One beyond the branches takes the last one, as on the host."""
    branches = [lambda: tfpy.constant(1.0), lambda: tfpy.constant(2.0), lambda: tfpy.constant(3.0)]
    function = tfpy.function(lambda n: tfpy.switch_case(n, branches))
    assert parts(function, tfpy.constant(0))[0] == ["jax"]
    found = [function(tfpy.constant(n)).numpy() for n in (0, 1, 2, 7, -1)]
    assert found == [1, 2, 3, 3, 3]


def test_lists_that_branches_fill_differently() -> None:
    @tfpy.function
    def fill(flag: Any, x: Any) -> Any:
        array = tfpy.TensorArray(tfpy.float32, size=3)
        array = array.write(0, x) if flag else array.write(1, x).write(2, x * 2.0)
        return array.stack()

    x = tfpy.constant([1.0, 2.0])
    assert parts(fill, tfpy.constant(True), x)[0] == ["jax"]
    zero = [0, 0]
    assert fill(tfpy.constant(True), x).numpy().tolist() == [[1, 2], zero, zero]
    assert fill(tfpy.constant(False), x).numpy().tolist() == [zero, [1, 2], [2, 4]]


def test_what_the_host_runs_all_the_same() -> None:
    """Effects, texts, and lists that grow to a length that only values tell."""

    @tfpy.function
    def gradient(x: Any, w: Any) -> Any:
        with tfpy.GradientTape() as tape:
            tape.watch(w)
            found = control_flow.recurrent(tfpy, x, w)
        return tape.gradient(found, w)

    assert "host" in parts(gradient, tfpy.ones([4, 3]), tfpy.eye(3))[0]

    @tfpy.function
    def text(x: Any) -> Any:
        if tfpy.reduce_sum(x) > 0:
            return tfpy.strings.as_string(x[0])
        return tfpy.constant("none")

    assert text(tfpy.constant([2.0])).numpy() == b"2.000000"
    assert text(tfpy.constant([-2.0])).numpy() == b"none"
