"""Programs that other backends run in browsers.

They cover control flow, random numbers, updates in place, leaks and networks.
"""

from __future__ import annotations

import asyncio
import inspect
import re
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import numpy as np
import pytest
import tensorflow
from function.chains import chain
from function.test_chains import check

import tfpy
from e2e import (
    test_control_flow as control_flow,
    test_donation as donation,
    test_indices as indices,
    test_leaks as leaks,
    test_networks as networks,
    test_ops as ops,
    test_random as random,
)
from tfpy._src.compiler.lower.jax import program as jax_program, replicas

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
            control_flow.test_gradients_of_assigned_variables,
            control_flow.test_without_rows,
            control_flow.test_vectorized_map,
            control_flow.test_decorated_methods_of_an_installed_package,
            indices.test_indices_out_of_range,
            indices.test_labels_out_of_range,
            indices.test_debug_mode_refuses_indices,
            indices.test_what_ignores_indices_out_of_range,
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
    """Check that compiled random calls have TensorFlow's values and gradients."""
    check(chain(seed), tfpy, compiled=True)


def test_donated_variables_are_written_over() -> None:
    """Check that a step deletes the arrays of the old values.

    The new values use their memory.
    """
    from tfpy._src.backends import registry

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


def test_a_step_that_fails_leaves_donated_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    from tfpy._src.compiler.lower.jax import JaxProgram

    variables = [tfpy.Variable(np.full(2**12, n, np.float32)) for n in range(3)]

    @tfpy.function
    def step() -> None:
        for v in variables:
            v.assign(v * 0.5 + 1.0)

    def failing(*arrays: Any) -> None:
        raise jax.errors.JaxRuntimeError("INTERNAL: the device has failed")

    step()
    with monkeypatch.context() as context:
        context.setattr(JaxProgram, "donating", lambda program, positions: failing)
        with pytest.raises(tfpy.errors.InternalError, match="has failed"):
            step()
    assert [v.numpy()[0] for v in variables] == [1.0, 1.5, 2.0]
    step()
    assert [v.numpy()[0] for v in variables] == [1.5, 1.75, 2.0]


def test_new_values_are_written_over_their_own_old_ones() -> None:
    """Check that a new value overwrites its own old value.

    Otherwise the old values would be copied first, because each step needs both of them.
    """
    from tfpy._src.backends import registry

    values, speeds = ([tfpy.Variable(np.full(2**12, n, np.float32)) for n in (1, 2)] for _ in "ab")
    gradients = tfpy.constant(np.ones(2**12, np.float32))

    @tfpy.function
    def step() -> None:
        for v, speed in reversed(list(zip(values, speeds, strict=True))):
            moved = 0.9 * speed + gradients
            v.assign_sub(0.1 * moved)
            speed.assign(moved)

    backend: Any = registry.active_backend()

    def places() -> list[int]:
        arrays = [backend._arrays[v.value().storage.slot] for v in (*values, *speeds)]
        return [array.unsafe_buffer_pointer() for array in arrays]

    step()
    first = places()
    step()
    assert places() == first
    np.testing.assert_allclose(values[1].numpy(), np.full(2**12, 2 - 0.1 * (2.8 + 3.52)), 1e-6)
    np.testing.assert_allclose(speeds[0].numpy(), np.full(2**12, 2.71), 1e-6)


def test_a_step_is_compiled_once() -> None:
    """Check that the step is compiled once.

    Few values are on the device at its first call.
    """
    from tfpy._src.backends import registry

    variables = [tfpy.Variable(np.ones(n, np.float32)) for n in (2, 2**16)]

    @tfpy.function
    def step() -> None:
        for v in variables:
            v.assign(v * 0.5 + 1.0)

    backend: Any = registry.active_backend()
    before = set(backend._programs)
    for _ in range(3):
        step()
    (program,) = (backend._programs[n] for n in backend._programs.keys() - before)
    assert list(program._donating) == [(0, 1)]


def test_options_of_the_compiler_that_it_lacks_are_left_out() -> None:
    assert not jax_program._is_known("xla_no_such_option", True)


def test_options_of_the_compiler_are_those_of_the_graph() -> None:
    def chosen(function: Any, *arguments: Any) -> set[str]:
        graph = tfpy.function(function).get_concrete_function(*arguments).traced.graph
        return {name.removeprefix("xla_cpu_") for name in jax_program.compiler_options(graph)}

    def reduced(x: Any, w: Any) -> Any:
        return tfpy.reduce_max(x @ w, axis=-1)

    def convolved(x: Any, f: Any) -> Any:
        return tfpy.nn.conv2d(x, f, 1, "SAME") @ f[0, 0, :8]

    def looped(x: Any, w: Any) -> Any:
        return tfpy.while_loop(lambda y: tfpy.reduce_any(y[0] < 1.0), lambda y: (y @ w,), (x,))

    every, products = "copy_insertion_use_region_analysis", "experimental_ynn_fusion_type"
    x, wide = tfpy.ones([8, 1024]), tfpy.ones([1024, 1024])
    image, filters = tfpy.ones([1, 8, 8, 1024]), tfpy.ones([1, 1, 1024, 8])
    assert chosen(reduced, x, wide) == chosen(looped, x, wide) == {every, products}
    assert chosen(reduced, x[:, :256], wide[:256]) == {every}
    assert chosen(lambda x: tfpy.reduce_max(x), x) == {every}
    assert chosen(convolved, image, filters) == {every}


def test_gpus_exchange_large_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    strategy = tfpy.distribute.MirroredStrategy(["CPU:0", "CPU:1"])

    @tfpy.function
    def summed(x: Any) -> Any:
        return strategy.run(lambda: tfpy.distribute.get_replica_context().all_reduce("SUM", x))

    @tfpy.function
    def alone(x: Any) -> Any:
        return x * 2.0

    x = tfpy.ones([4])
    graphs = [f.get_concrete_function(x).traced.graph for f in (summed, alone)]
    monkeypatch.setattr(jax_program.jax, "default_backend", lambda: "gpu")
    monkeypatch.setattr(jax_program, "_is_known", lambda name, value: True)
    of_replicas, of_one = map(jax_program.compiler_options, graphs)
    assert of_replicas["xla_gpu_all_reduce_combine_threshold_bytes"] == 2**27
    assert of_replicas["xla_gpu_experimental_parallel_collective_overlap_limit"] == 16
    assert of_one == {}


def test_two_gpus_swap_large_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    strategy = tfpy.distribute.MirroredStrategy(["CPU:0", "CPU:1"])

    def mean_of(x: Any) -> Any:
        def replica() -> Any:
            context: Any = tfpy.distribute.get_replica_context()
            own = tfpy.cast(context.replica_id_in_sync_group, x.dtype)
            return context.all_reduce("MEAN", x * (own + 1))

        return strategy.run(replica)

    def collectives(mean: Any, x: Any) -> set[str]:
        text = str(mean.get_concrete_function(x).lower().as_text())
        return set(re.findall(r"stablehlo\.(all_reduce|collective_permute)", text))

    at_limit = tfpy.range(1 << 18, dtype="float32")  # 1 MB
    small = at_limit[:-1]
    assert collectives(tfpy.function(mean_of), at_limit) == {"all_reduce"}
    monkeypatch.setattr(replicas.jax, "default_backend", lambda: "gpu")
    mean = tfpy.function(mean_of)
    assert collectives(mean, small) == {"all_reduce"}
    assert collectives(mean, at_limit) == {"collective_permute"}
    for x in (small, at_limit):
        for value in mean(x).values:
            np.testing.assert_array_equal(value, x.numpy() * 1.5)


def parts(function: Any, *arguments: Any) -> tuple[list[str], str]:
    """Return where the parts of a compiled function run, and their text."""
    lowered = function.get_concrete_function(*arguments).lower()
    return [part.place for part in lowered.lowering.parts], lowered.as_text()


def test_control_flow_is_part_of_the_program() -> None:
    x, w = tfpy.ones([4, 3]), tfpy.eye(3)
    for program in control_flow.PROGRAMS:
        places, text = parts(tfpy.function(lambda x, w, f=program: f(tfpy, x, w)), x, w)
        assert places == ["jax"], program.__name__
        assert "stablehlo.while" in text or "stablehlo.case" in text


def test_numbers_of_branches() -> None:
    """Check that an index beyond the branches selects the last one, as on the host."""
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


def test_bfloat16_stays_on_the_device() -> None:
    """Check that a network's gradients use the device's products.

    Values are rounded as in NumPy.
    """
    x = tfpy.cast(tfpy.reshape(tfpy.range(144) % 7, [1, 6, 8, 3]), tfpy.bfloat16) / 8
    filter = tfpy.cast(tfpy.reshape(tfpy.range(108) % 5, [3, 3, 3, 4]), tfpy.bfloat16) / 4
    dense = tfpy.cast(tfpy.reshape(tfpy.range(8) % 3, [4, 2]), tfpy.bfloat16)

    @tfpy.function
    def gradients(x: Any, filter: Any, dense: Any) -> Any:
        with tfpy.GradientTape() as tape:
            tape.watch([filter, dense])
            y = tfpy.nn.relu(tfpy.nn.conv2d(x, filter, 2, "SAME"))
            loss = tfpy.reduce_mean(tfpy.tanh(tfpy.reduce_mean(y, [1, 2]) @ dense / 8))
        return tape.gradient(loss, [filter, dense])

    places, text = parts(gradients, x, filter, dense)
    assert places == ["jax"]
    assert "(tensor<1x4xbf16>, tensor<4x2xbf16>)" in text
    found = gradients(x, filter, dense)
    tfpy.set_backend("cpu")
    for mine, wanted in zip(found, gradients(x, filter, dense), strict=True):
        assert mine.dtype == tfpy.bfloat16
        near = {"rtol": 2**-6, "atol": 1e-3}
        np.testing.assert_allclose(*(t.numpy().astype("float32") for t in (mine, wanted)), **near)


def gradient_of(program: Any) -> Any:
    @tfpy.function
    def gradient(x: Any, w: Any) -> Any:
        with tfpy.GradientTape() as tape:
            tape.watch(w)
            found = program(tfpy, x, w)
        return tape.gradient(found, w)

    return gradient


def test_gradients_of_counted_loops_are_part_of_the_program() -> None:
    """Check that saved values have one row for each iteration of the loop.

    They have no rows if the loop never runs.
    """
    x, w = tfpy.ones([4, 3]), tfpy.eye(3)
    for program in (control_flow.recurrent, control_flow.rows):
        assert parts(gradient_of(program), x, w)[0] == ["jax"], program.__name__

    def power(times: int) -> Any:
        def run(tf: Any, x: Any, w: Any) -> Any:
            for i in tf.range(times):
                x = x @ w + tf.cast(i, tf.float32) * w[i]
            return x

        return run

    rng = np.random.default_rng(4)
    x, w = (tfpy.constant(rng.uniform(-1, 1, [3, 3]).astype(np.float32)) for _ in range(2))
    assert not gradient_of(power(0))(x, w).numpy().any()
    for times in (1, 3):
        gradient = gradient_of(power(times))
        assert parts(gradient, x, w)[0] == ["jax"]
        found = gradient(x, w)
        with tfpy.GradientTape() as tape:
            tape.watch(w)
            y = x
            for i in range(times):
                y = y @ w + float(i) * w[i]
        wanted = tape.gradient(y, w)
        np.testing.assert_allclose(found.numpy(), wanted.numpy(), rtol=1e-4, atol=1e-5)


def test_gradients_of_bounded_loops_are_part_of_the_program() -> None:
    """Check that loops that end by value have an upper bound.

    The bound is ``maximum_iterations`` or the length of the iterated sequence.
    """
    ones, eye = tfpy.ones([4, 3]), tfpy.eye(3)
    assert parts(gradient_of(control_flow.stops), ones, eye)[0] == ["jax"]

    def grown(tf: Any, limit: int, x: Any, w: Any) -> Any:
        def goes_on(i: Any, x: Any) -> Any:
            return (i < 90) & (tf.reduce_sum(x * x) < 50.0)

        def step(i: Any, x: Any) -> Any:
            return [i + 1, tf.sin(x) + x @ w]

        return tf.while_loop(goes_on, step, [0, x], maximum_iterations=limit)[1]

    x = np.float32([[0.5, 0.2], [0.1, 0.3]])
    w = np.float32([[0.9, 0.4], [-0.3, 0.8]])
    for limit in (0, 2, 40):
        gradient = gradient_of(lambda tf, x, w, limit=limit: grown(tf, limit, x, w))
        assert parts(gradient, tfpy.constant(x), tfpy.constant(w))[0] == ["jax"]
        variable = tensorflow.constant(w)
        with tensorflow.GradientTape() as tape:
            tape.watch(variable)
            found = grown(tensorflow, limit, tensorflow.constant(x), variable)
        wanted = tape.gradient(found, variable, unconnected_gradients="zero")
        ours = gradient(tfpy.constant(x), tfpy.constant(w))
        np.testing.assert_allclose(ours.numpy(), wanted.numpy(), rtol=1e-3, atol=1e-4)


def test_a_recurrent_layer_behind_a_trained_one_is_part_of_the_program() -> None:
    """Check that the rows that the loop reads have gradients.

    The mask of valid rows does not have a gradient.
    """

    def step(tf: Any, words: Any, table: Any, w: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([table, w])
            found = tf.transpose(tf.gather(table, words), [1, 0, 2])
            rows = tf.TensorArray(tf.float32, 5).unstack(found)
            counts = tf.TensorArray(tf.bool, 5).unstack(tf.transpose(words)[:, :, None] > 1)
            states = tf.TensorArray(tf.float32, 5, element_shape=[3, 2])

            def body(i: Any, state: Any, states: Any) -> Any:
                new = tf.where(counts.read(i), tf.tanh(rows.read(i) + state @ w), state)
                return i + 1, new, states.write(i, new)

            start = (tf.constant(0), tf.zeros([3, 2]), states)
            _, last, states = tf.while_loop(lambda i, *_: i < 5, body, start)
            loss = tf.reduce_sum(last * states.stack())
        return loss, *map(tf.convert_to_tensor, tape.gradient(loss, [table, w]))

    words = np.arange(15, dtype=np.int32).reshape(3, 5) % 7
    table, w = (np.sin(np.arange(n, dtype=np.float32)).reshape(-1, 2) for n in (14, 4))
    function = tfpy.function(partial(step, tfpy))
    given = [*map(tfpy.constant, (words, table, w))]
    assert parts(function, *given)[0] == ["jax"]
    wanted = step(tensorflow, *map(tensorflow.constant, (words, table, w)))
    for mine, other in zip(function(*given), wanted, strict=True):
        np.testing.assert_allclose(mine.numpy(), other.numpy(), rtol=1e-5, atol=1e-5)


def test_what_the_host_runs_all_the_same() -> None:
    """Check that effects, strings, and lists whose length depends on values run on the host."""

    def grown(tf: Any, x: Any, w: Any) -> Any:
        return tf.while_loop(lambda x: tf.reduce_sum(x) < 50.0, lambda x: [x @ w + 1.0], [x])[0]

    assert "host" in parts(gradient_of(grown), tfpy.ones([4, 3]), tfpy.eye(3))[0]

    @tfpy.function
    def text(x: Any) -> Any:
        if tfpy.reduce_sum(x) > 0:
            return tfpy.strings.as_string(x[0])
        return tfpy.constant("none")

    assert text(tfpy.constant([2.0])).numpy() == b"2.000000"
    assert text(tfpy.constant([-2.0])).numpy() == b"none"
