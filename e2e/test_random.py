"""Random integers and uniform numbers have the same bits on every backend."""

from __future__ import annotations

import numpy as np

from tfpy.testing import run_in_browser

RANGES = ((None, None), (0, 10), (-(2**31), 2**31 - 1), (-7, 2**31 - 1))


@run_in_browser(backends=("wasm", "webgl", "webgpu"))
def test_bits(tf, backend):
    from tfpy._src.compiler.ops.reference import philox

    state = philox.scramble((3, -9))
    words = philox.stream(state, 1001)
    mine = tf.random.stateless_uniform([1001], [3, -9])
    assert mine.storage.place == backend
    np.testing.assert_array_equal(mine.numpy(), philox.unit_floats(words))
    for low, high in RANGES:
        mine = tf.random.stateless_uniform([1001], [3, -9], low, high, tf.int32).numpy()
        span = 2**32 if low is None or high is None else high - low
        wanted = (words.astype(np.int64) % span + (low or 0)).astype(np.uint32).view(np.int32)
        np.testing.assert_array_equal(mine, wanted)


@run_in_browser(backends=("wasm", "webgl", "webgpu"))
def test_counters_carry(tf, backend):
    from tfpy._src.compiler.ops.reference import philox

    generator = tf.random.Generator.from_key_counter(5, [-3, -1], "philox")
    words = philox.stream((5, 0, 2**32 - 3, 2**32 - 1, 2**32 - 1, 2**32 - 1), 40)
    mine = generator.uniform_full_int([40], tf.int32)
    np.testing.assert_array_equal(mine.numpy(), words.view(np.int32))


@run_in_browser(backends=("wasm", "webgl", "webgpu"))
def test_seeds_and_generators_within_functions(tf, backend):
    generator = tf.random.Generator.from_key_counter(5, [-3, -1], "philox")

    @tf.function
    def draw(seed):
        return tf.random.stateless_uniform([1001], seed), generator.uniform_full_int([40], tf.int32)

    again = tf.random.Generator.from_key_counter(5, [-3, -1], "philox")
    for seed in ([3, -9], [-1, 2**31 - 1], [0, 0]):
        numbers, words = draw(tf.constant(seed))
        assert numbers.storage.place == backend
        np.testing.assert_array_equal(
            numbers.numpy(), tf.random.stateless_uniform([1001], seed).numpy()
        )
        np.testing.assert_array_equal(words.numpy(), again.uniform_full_int([40], tf.int32).numpy())
    assert draw.experimental_get_tracing_count() == 1
